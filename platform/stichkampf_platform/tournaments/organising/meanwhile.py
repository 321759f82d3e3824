"""Changes of a draft by one person while another fills in its form, or acts on what a program has read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS
from stichkampf_platform.tournaments.models import Tournament

DIGEST_CHARACTERS = 12
VALUE_CHARACTERS = 100


@dataclass(frozen=True)
class Meanwhile:
    """The changes of others since a form was opened.

    :ivar kept: fields that this person has left alone, so that the change of the others stays.
    :ivar contested: fields that both have changed.
    """

    kept: tuple[str, ...]
    contested: tuple[str, ...]


def values_of(tournament: Tournament) -> dict[str, Any]:
    """Return the settings of a draft, as texts and lists that can be compared."""
    invited = tournament.members.filter(by_code=False).order_by("person__username")
    entrants = tournament.entrants.select_related("version__bot__owner")
    return {
        **settings_of(tournament),
        "entrants": [str(entrant.version) for entrant in entrants],
        "invited": list(invited.values_list("person__username", flat=True)),
        "with_code": bool(tournament.code),
    }


def settings_of(tournament: Tournament) -> dict[str, Any]:
    """Return the settings that stand in the row of a tournament."""
    return {name: _plain(getattr(tournament, name)) for name in COLUMNS}


def _plain(value: Any) -> Any:
    # forms have no fractions of a second
    return value.astimezone(UTC).replace(microsecond=0).isoformat() if isinstance(value, datetime) else value


def digests(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each value."""
    return {name: _digest(value) for name, value in values.items()}


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARACTERS]


def version_of(tournament: Tournament) -> str:
    """Return a digest of the settings of a draft, for those who change it only as they have read it."""
    return _digest([values_of(tournament), tournament.state])


def compared(seen: Mapping[str, str], mine: Mapping[str, Any], now: Mapping[str, Any]) -> Meanwhile:
    """Compare what a person has seen and filled in with the present settings."""
    changed = [name for name, digest in digests(now).items() if seen.get(name, digest) != digest]
    kept = tuple(name for name in changed if _digest(mine[name]) == seen[name])
    contested = tuple(name for name in changed if name not in kept and mine[name] != now[name])
    return Meanwhile(kept, contested)


def told(
    tournament: Tournament, names: tuple[str, ...], now: Mapping[str, Any], labels: Mapping[str, str]
) -> str:
    """Say who has changed what meanwhile, and to what."""
    shown = "; ".join(f"{labels.get(name, name)}: {_in_words(now[name])}" for name in names)
    last = _last_change(tournament)
    if last is None:
        return _("Changed meanwhile: {shown}.").format(shown=shown)
    return _("Changed meanwhile by {person}, {time} UTC: {shown}.").format(
        person=last.user.get_username(), time=date_format(last.action_time, "H:i"), shown=shown
    )


def _last_change(tournament: Tournament) -> LogEntry | None:
    kind = ContentType.objects.get_for_model(Tournament)
    entries = LogEntry.objects.filter(content_type=kind, object_id=str(tournament.pk)).select_related("user")
    return entries.order_by("-action_time", "-pk").first()


def _in_words(value: Any) -> str:
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    text = _("empty") if value in (None, "") else str(value)
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}…"


def expect_version(tournament: Tournament, version: str) -> None:
    """Check that a draft is as a program has read it.

    :raises RequestRefused: it has been changed; the message says by whom, and the present version.
    """
    now = version_of(tournament)
    if version.strip().removeprefix("W/").strip('"') == now:
        return
    last = _last_change(tournament)
    by = "" if last is None else f" by {last.user.get_username()} at {last.action_time:%Y-%m-%d %H:%M} UTC"
    raise RequestRefused(
        f"{tournament} has been changed meanwhile{by}. Read it again; its version is {now}, not"
        f" {version[:40]}."
    )
