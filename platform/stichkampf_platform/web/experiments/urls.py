from __future__ import annotations

from functools import partial

from django.urls import path

from stichkampf_platform.bots.actions import CONSENTS
from stichkampf_platform.web.experiments import views

urlpatterns = [
    path("experiments/", views.listing, name="experiments"),
    path("experiments/new/", views.new, name="new-experiment"),
    path("experiments/<int:experiment_id>/", views.experiment, name="experiment"),
    path("experiments/<int:experiment_id>/cancel/", views.cancel, name="cancel-experiment"),
    *(
        path(
            f"bots/<slug:author>/<slug:slug>/{name}/",
            partial(views.consent, name=name),
            name=f"accept-{name}",
        )
        for name in CONSENTS
    ),
]
