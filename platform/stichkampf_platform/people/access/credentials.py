"""The kind of credential by which a request comes."""

from __future__ import annotations

from collections.abc import Collection

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.http import HttpRequest

from stichkampf_platform.people.models import ApiToken, Credential, User


def credential_of(request: HttpRequest | None, person: User | None) -> str:
    """Return the kind: a token's where there is one, else the kind by which the session was opened."""
    if request is None or person is None:
        return str(Credential.SYSTEM)
    if isinstance(getattr(request, "auth", None), ApiToken):
        return str(Credential.TOKEN)
    if not hasattr(request, "session"):
        return str(Credential.PASSWORD)
    records = get_authentication_records(request, person)
    if any(record.get("passwordless") for record in records):
        return str(Credential.PASSKEY)
    if any(record["method"] == "mfa" and not record.get("reauthenticated") for record in records):
        return str(Credential.SECOND_FACTOR)
    if any(record["method"] == "socialaccount" for record in records):
        return str(Credential.PROVIDER)
    return str(Credential.PASSWORD)


def has_second_factor(person: User) -> bool:
    """Tell whether a person signs in with a code of an app, or with a passkey."""
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return Authenticator.objects.filter(user=person, type__in=kinds).exists()


def forget_factors(people: Collection[int]) -> None:
    """Delete second factors, passkeys and recovery codes of these people, named by their ids."""
    Authenticator.objects.filter(user__in=people).delete()
