"""Signals of Django and django-allauth about accounts, written into the audit log."""

from __future__ import annotations

from allauth.account import signals as account
from allauth.mfa import signals as factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as providers
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth import signals as auth
from django.http import HttpRequest

from stichkampf_platform.people.access import audit, open_sessions
from stichkampf_platform.people.models import AuditAction, OpenSession, User
from stichkampf_platform.people.network_addresses import remember
from stichkampf_platform.web.accounts.callers import RequestCaller
from stichkampf_platform.web.accounts.middleware import note_session


def connect() -> None:
    """Connect the functions of this module; the app does it once, when it is ready."""
    auth.user_logged_in.connect(_signed_in)
    auth.user_logged_out.connect(_signed_out)
    auth.user_login_failed.connect(_sign_in_failed)
    for signal in (account.password_set, account.password_changed, account.password_reset):
        signal.connect(_password_changed)
    account.email_changed.connect(_address_changed)
    factors.authenticator_added.connect(_factor_added)
    factors.authenticator_removed.connect(_factor_removed)
    factors.authenticator_reset.connect(_codes_renewed)
    providers.social_account_added.connect(_provider_connected)
    providers.social_account_removed.connect(_provider_disconnected)
    factors.authentication_failed.connect(_second_factor_failed)


def _caller(request: HttpRequest | None) -> RequestCaller | None:
    return None if request is None else RequestCaller(request)


def _signed_in(*, user: User, request: HttpRequest | None = None, **signal: object) -> None:
    """Note where a person signs in from, the session at its beginning, and the sign-in."""
    caller = _caller(request)
    remember(person=user, address=caller.address if caller else "")
    if request is not None and hasattr(request, "session"):
        note_session(request, user)
    audit.note(AuditAction.SIGNED_IN, person=user, caller=caller)


def _signed_out(*, user: User | None, request: HttpRequest, **signal: object) -> None:
    if user is not None:
        OpenSession.objects.filter(session_key=request.session.session_key or "").delete()
        audit.note(AuditAction.SIGNED_OUT, person=user, caller=_caller(request))


def _sign_in_failed(
    *, credentials: dict[str, str], request: HttpRequest | None = None, **signal: object
) -> None:
    """Note it with the person. A name that does not exist is not kept: it may be a mistyped password."""
    person = User.objects.filter(username=credentials.get("username", "")).first()
    if person is not None:
        audit.note(
            AuditAction.SIGN_IN_FAILED, person=person, caller=_caller(request), subject="wrong password"
        )


def _second_factor_failed(
    *, user: User, authenticator: Authenticator, request: HttpRequest, **signal: object
) -> None:
    subject = f"wrong code, {authenticator.type}"
    audit.note(AuditAction.SIGN_IN_FAILED, person=user, caller=_caller(request), subject=subject)


def _password_changed(*, user: User, request: HttpRequest, **signal: object) -> None:
    """Note it. All other sessions end by themselves, since their hash is that of the old password."""
    open_sessions.end_others(person=user, but=request.session.session_key or "")
    audit.note(AuditAction.PASSWORD_CHANGED, person=user, caller=_caller(request))


def _address_changed(*, user: User, request: HttpRequest, **signal: object) -> None:
    audit.note(AuditAction.ADDRESS_CHANGED, person=user, caller=_caller(request))


def _factor_added(
    *, user: User, authenticator: Authenticator, request: HttpRequest, **signal: object
) -> None:
    """Note it, and end all other sessions: one that a stranger opened before would need no second factor."""
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        open_sessions.end_others(person=user, but=request.session.session_key or "")
    audit.note(AuditAction.FACTOR_ADDED, person=user, caller=_caller(request), subject=authenticator.type)


def _factor_removed(
    *, user: User, authenticator: Authenticator, request: HttpRequest, **signal: object
) -> None:
    audit.note(AuditAction.FACTOR_REMOVED, person=user, caller=_caller(request), subject=authenticator.type)


def _provider_connected(*, request: HttpRequest, sociallogin: SocialLogin, **signal: object) -> None:
    audit.note(AuditAction.PROVIDER_CONNECTED, person=sociallogin.user, caller=_caller(request))


def _provider_disconnected(*, request: HttpRequest, socialaccount: SocialAccount, **signal: object) -> None:
    audit.note(AuditAction.PROVIDER_DISCONNECTED, person=socialaccount.user, caller=_caller(request))


def _codes_renewed(*, user: User, request: HttpRequest, **signal: object) -> None:
    audit.note(AuditAction.CODES_RENEWED, person=user, caller=_caller(request))
