"""Addresses of the choice of notices, and of the end of mails."""

from __future__ import annotations

from django.urls import path

from stichkampf_platform.web.notices import views

urlpatterns = [
    path("account/notices/", views.choices, name="notice-choices"),
    path("notices/off/<str:token>/", views.end_mails, name="end-mails"),
]
