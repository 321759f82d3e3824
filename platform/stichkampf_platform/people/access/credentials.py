"""Second factors of people."""

from __future__ import annotations

from collections.abc import Collection

from allauth.mfa.models import Authenticator

from stichkampf_platform.people.models import User


def has_second_factor(person: User) -> bool:
    """Tell whether a person signs in with a code of an app, or with a passkey."""
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return Authenticator.objects.filter(user=person, type__in=kinds).exists()


def forget_factors(people: Collection[int]) -> None:
    """Delete second factors, passkeys and recovery codes of these people, named by their ids."""
    Authenticator.objects.filter(user__in=people).delete()
