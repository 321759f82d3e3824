"""A copy of all that the installation has about a person, for that person."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from stichkampf_platform.bots.models import LogLine, Submission, Version
from stichkampf_platform.people.access.open_sessions import open_sessions
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.models import Entry

LOG_LINES = 100_000
"""The most lines of logs; an account has a quota of submissions, and each a shorter log."""


def own_data(person: User) -> dict[str, Any]:
    """Return it as plain values. Secrets, of which only digests are kept, are not in it."""
    versions = Version.objects.filter(bot__owner=person)
    submissions = Submission.objects.filter(version__in=versions)
    return {
        "account": _fields(
            User.objects.filter(pk=person.pk),
            *("username", "email", "first_name", "last_name", "language", "date_joined", "last_login"),
        )[0],
        "sessions": [
            {"browser": found.browser, "began_at": found.began_at, "seen_at": found.seen_at}
            for found in open_sessions(person)
        ],
        "known_addresses": _fields(person.known_addresses, "digest", "signed_up", "seen_at"),
        "tokens": _fields(
            person.api_tokens,
            *("name", "hint", "scope", "created_at", "expires_at", "last_used_at", "revoked_at"),
        ),
        "notices": _fields(person.notices, "kind", "title", "text", "address", "evidence", "created_at"),
        "acts": _fields(person.audit_entries, "at", "action", "credential", "subject", "digest"),
        "bots": _fields(person.bots, "slug", "name", "description", "created_at"),
        "versions": _fields(
            versions, "bot__slug", "number", "digest", "games", "state", "reason", "created_at"
        ),
        "submissions": _fields(
            submissions, "version__bot__slug", "version__number", "file_name", "created_at"
        ),
        "log": _fields(
            LogLine.objects.filter(submission__in=submissions).order_by("pk")[:LOG_LINES],
            *("submission__version__bot__slug", "submission__version__number", "text"),
        ),
        "entries": _fields(Entry.objects.filter(bot__owner=person), "tournament__name", "bot__slug"),
        "organises_with_others": _fields(person.shared_tournaments, "tournament__name"),
        "memberships": _fields(person.memberships, "tournament__name", "joined_at"),
        # of an open table neither cards nor seed: there is a record only once it is over
        "played": _fields(
            person.played_seats,
            *("table__public_id", "table__game_name", "number", "table__state", "table__created_at"),
            "table__record",
        ),
        "own_results": _fields(
            person.own_results, "table__public_id", "table__game_name", "points", "kept", "house_scores"
        ),
        "days": _fields(
            person.daily_entries, "deal__day", "deal__game_name", "state", "points", "table__public_id"
        ),
    }


def _fields(rows: QuerySet, *names: str) -> list[dict[str, Any]]:
    """Return these fields of rows, with a dot where one leads to another table."""
    return [{name.replace("__", "."): value for name, value in row.items()} for row in rows.values(*names)]
