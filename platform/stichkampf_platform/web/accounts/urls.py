"""URLs of account pages, under the names that django-allauth expects."""

from __future__ import annotations

from allauth.account import views as allauth
from django.urls import path, re_path

from stichkampf_platform.web.views import account

urlpatterns = [
    path("join/", account.Join.as_view(), name="account_signup"),
    path("join/sent/", allauth.email_verification_sent, name="account_email_verification_sent"),
    path("join/confirm/<str:key>/", allauth.confirm_email, name="account_confirm_email"),
    path("login/", allauth.login, name="account_login"),
    path("login/inactive/", allauth.account_inactive, name="account_inactive"),
    path("logout/", allauth.logout, name="account_logout"),
    path("account/email/", allauth.email, name="account_email"),
    path("account/password/", allauth.password_change, name="account_change_password"),
    path("account/password/set/", allauth.password_set, name="account_set_password"),
    path("password/reset/", account.ResetPassword.as_view(), name="account_reset_password"),
    path("password/reset/sent/", allauth.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        allauth.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("password/new/", allauth.password_reset_from_key_done, name="account_reset_password_from_key_done"),
]
