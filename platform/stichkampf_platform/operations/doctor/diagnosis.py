"""The whole look: machine first, then what programs need of one another."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from stichkampf_platform.operations.doctor.cause import CauseFound
from stichkampf_platform.operations.doctor.database import check_database
from stichkampf_platform.operations.doctor.machine import Machine, check_machine
from stichkampf_platform.operations.doctor.programs import (
    check_arbiter,
    check_gate,
    check_hub,
    check_mail,
    check_redis,
)

LEAST_KEY_CHARACTERS = 50


def diagnose(machine: Machine) -> Iterator[CauseFound]:
    """Yield what is wrong, in an order in which causes come before what follows from them."""
    yield from _secret()
    yield from check_machine(machine)
    yield from check_database()
    yield from check_redis()
    yield from check_arbiter()
    yield from check_gate()
    yield from check_hub()
    yield from check_mail()


def _secret() -> Iterator[CauseFound]:
    if len(settings.SECRET_KEY) < LEAST_KEY_CHARACTERS:
        yield CauseFound(
            "a short secret key",
            f"SECRET_KEY has {len(settings.SECRET_KEY)} characters; sessions could be forged.",
            "Make one of 50 or more: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'",
        )
