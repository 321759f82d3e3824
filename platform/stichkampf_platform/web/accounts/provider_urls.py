"""URLs between the site and an outside provider: without a language, because the provider knows them."""

from __future__ import annotations

from allauth.socialaccount.providers.openid_connect import views
from django.urls import path

from stichkampf_platform.web.accounts import provider

urlpatterns = [
    path("<slug:provider_id>/", provider.sign_in, name="openid_connect_login"),
    path("<slug:provider_id>/callback/", views.callback, name="openid_connect_callback"),
]
