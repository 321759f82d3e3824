from __future__ import annotations

from django.urls import path

from stichkampf_platform.web.bot_addresses import bot_paths
from stichkampf_platform.web.experiments import views

urlpatterns = [
    path("experiments/", views.listing, name="experiments"),
    path("experiments/new/", views.new, name="new-experiment"),
    path("experiments/<int:experiment_id>/", views.experiment, name="experiment"),
    path("experiments/<int:experiment_id>/cancel/", views.cancel, name="cancel-experiment"),
    *bot_paths("entries/", views.accept_entries, "accept-entries"),
    *bot_paths("challenges/", views.accept_challenges, "accept-challenges"),
]
