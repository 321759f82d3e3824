"""The browsers in which a person is signed in: listed for that person, and ended."""

from __future__ import annotations

import re
import time
from collections.abc import Collection

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.passing_writes import passing_write
from stichkampf_platform.people.access.callers import Caller, credential_of
from stichkampf_platform.people.models import OpenSession, User
from stichkampf_platform.people.network_addresses import keyed_digest
from stichkampf_platform.people.sessions import SessionStore

SEEN_SECONDS = 300
KEYS_KEPT = 10_000

_noted: dict[str, float] = {}
"""Moments at which this process noted sessions, by key, so that few requests cost a query."""

BROWSERS = {
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "SamsungBrowser": "Samsung Internet",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
"""By what a browser calls itself, its name; the first that is found, since most also name others."""
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def browser_name(said: str) -> str:
    """Return browser and system in words, such as "Firefox, Linux"; the rest of what it says is not kept."""
    found = [
        next((name for sign, name in names.items() if re.search(rf"\b{sign}\b", said)), "")
        for names in (BROWSERS, SYSTEMS)
    ]
    return ", ".join(name for name in found if name)


def note(key: str | None, person: User, *, browser: str, caller: Caller) -> None:
    """Note that a person uses a session now; a process does so at most every five minutes.

    :param key: of the session.
    :param browser: what it says of itself.
    """
    if not key or time.monotonic() - _noted.get(key, -SEEN_SECONDS) < SEEN_SECONDS:
        return
    if len(_noted) >= KEYS_KEPT:
        _noted.clear()
    _noted[key] = time.monotonic()
    now = clock.now()
    fresh = {"seen_at": now}
    if address := caller.address:
        fresh["digest"] = keyed_digest(address)

    def write() -> None:
        if OpenSession.objects.filter(session_key=key, person=person).update(**fresh):
            return
        first = {
            "browser": browser_name(browser),
            "credential": credential_of(caller, person),
            "began_at": now,
            "person": person,
        }
        OpenSession.objects.update_or_create(session_key=key, defaults={**first, **fresh})

    passing_write(write)


def open_sessions(person: User) -> list[OpenSession]:
    """List the sessions in which a person is signed in, the last used first.

    Those that ended, ran out, or are of an earlier password are not among them.
    """
    alive = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=clock.now())
    right = person.get_session_auth_hash()
    return [
        found
        for found in person.open_sessions.filter(Exists(alive))
        if constant_time_compare(SessionStore(found.session_key).get(HASH_SESSION_KEY, ""), right)
    ]


@transaction.atomic
def end(*, person: User, session_id: int) -> None:
    """End a session.

    :raises RequestRefused: the person has no such session.
    """
    if not _end(person.open_sessions.filter(pk=session_id)):
        raise RequestRefused(_("You have no session with the number {number}.").format(number=session_id))


@transaction.atomic
def end_others(*, person: User, but: str = "") -> int:
    """End all sessions of a person but one, and return how many.

    :param but: the key of the session that goes on.
    """
    return _end(person.open_sessions.exclude(session_key=but))


@transaction.atomic
def end_all(people: Collection[int]) -> None:
    """End all sessions of these people, named by their ids."""
    _end(OpenSession.objects.filter(person__in=people))


def _end(ended: QuerySet[OpenSession]) -> int:
    keys = list(ended.values_list("session_key", flat=True))
    Session.objects.filter(session_key__in=keys).delete()
    ended.delete()
    return len(keys)


def forget_old() -> None:
    """Delete what is known of sessions that are over."""
    alive = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=clock.now())
    OpenSession.objects.filter(~Exists(alive)).delete()
