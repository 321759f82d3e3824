"""URLs of account pages, under the names that django-allauth expects."""

from __future__ import annotations

from allauth.account import views as allauth
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as apps
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount import views as provider_views
from django.urls import path, re_path

from stichkampf_platform.web.accounts import leaving, provider, sessions
from stichkampf_platform.web.views import account

urlpatterns = [
    path("join/", account.JoinView.as_view(), name="account_signup"),
    path("join/sent/", allauth.email_verification_sent, name="account_email_verification_sent"),
    path("join/confirm/<str:key>/", allauth.confirm_email, name="account_confirm_email"),
    path("login/", allauth.login, name="account_login"),
    path("login/inactive/", allauth.account_inactive, name="account_inactive"),
    path("logout/", allauth.logout, name="account_logout"),
    path("login/code/", factors.authenticate, name="mfa_authenticate"),
    path("login/passkey/", passkeys.login_webauthn, name="mfa_login_webauthn"),
    path("account/again/", allauth.reauthenticate, name="account_reauthenticate"),
    path("account/again/code/", factors.reauthenticate, name="mfa_reauthenticate"),
    path("account/again/passkey/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("account/delete/", leaving.leave, name="leave"),
    path("account/data/", leaving.data, name="own-data"),
    path("join/with/", provider_views.signup, name="socialaccount_signup"),
    path("login/cancelled/", provider_views.login_cancelled, name="socialaccount_login_cancelled"),
    path("login/error/", provider_views.login_error, name="socialaccount_login_error"),
    path("account/provider/", provider.connections, name="socialaccount_connections"),
    path("account/sessions/", sessions.sessions, name="sessions"),
    path("account/sessions/end/", sessions.end_others, name="end-other-sessions"),
    path("account/sessions/<int:session_id>/end/", sessions.end, name="end-session"),
    path("account/two-factor/", factors.index, name="mfa_index"),
    path("account/two-factor/", factors.index, name="mfa_list_webauthn"),  # where removing a passkey leads
    path("account/two-factor/app/", apps.activate_totp, name="mfa_activate_totp"),
    path("account/two-factor/app/remove/", apps.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/two-factor/codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/two-factor/codes/new/", codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/two-factor/passkeys/new/", passkeys.add_webauthn, name="mfa_add_webauthn"),
    path(
        "account/two-factor/passkeys/<int:pk>/remove/", passkeys.remove_webauthn, name="mfa_remove_webauthn"
    ),
    path("account/email/", allauth.email, name="account_email"),
    path("account/password/", allauth.password_change, name="account_change_password"),
    path("account/password/set/", allauth.password_set, name="account_set_password"),
    path("password/reset/", account.ResetPasswordView.as_view(), name="account_reset_password"),
    path("password/reset/sent/", allauth.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        allauth.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("password/new/", allauth.password_reset_from_key_done, name="account_reset_password_from_key_done"),
]
