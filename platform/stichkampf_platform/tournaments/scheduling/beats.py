"""The beat of rounds: when each round after the first starts, where it does not follow at once."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Max, Q
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.entry.local_times import UTC, zones
from stichkampf_platform.tournaments.entry_models import Beat
from stichkampf_platform.tournaments.models import Tournament

FORMAT = "%Y-%m-%d %H:%M"


def times_listed(text: str, zone: str) -> list[datetime]:
    """Return the times of a list, on lines of their own or after commas, by the clocks of a zone.

    :raises RequestRefused: naming the first that is no time.
    """
    clocks = ZoneInfo(zone if zone in zones() else UTC)
    found = []
    for part in filter(None, map(str.strip, text.replace(",", "\n").splitlines())):
        try:
            found.append(datetime.strptime(part, FORMAT).replace(tzinfo=clocks))
        except ValueError:
            told = _("{text} is no time; give one such as 2026-12-04 19:30.")
            raise RequestRefused(told.format(text=repr(part[:40]))) from None
    return found


def time_of(tournament: Tournament, round: int) -> datetime | None:
    """Return the time that was set for a round, from 0; none where it starts otherwise."""
    if tournament.beat != Beat.TIMES or round == 0:
        return None
    times = times_listed(tournament.round_times, tournament.time_zone)
    return times[round - 1] if round <= len(times) else None


def rounds_drawn(tournament: Tournament) -> int:
    """Return how many rounds have been drawn."""
    last = tournament.blocks.aggregate(last=Max("round"))["last"]
    return 0 if last is None else int(last) + 1


def waits(tournament: Tournament, round: int) -> bool:
    """Note that a round waits for its time or a press, unless that has come; tell whether it waits.

    Call it with the tournament locked.
    """
    if tournament.beat == Beat.AT_ONCE or round < max(1, rounds_drawn(tournament)):
        return False
    if tournament.waiting_round == round:
        at = tournament.next_round_at
    elif tournament.beat == Beat.MINUTES:
        at = clock.now() + timedelta(minutes=tournament.beat_minutes or 0)
    else:
        at = time_of(tournament, round)
    waiting = at is None or at > clock.now()
    Tournament.objects.filter(pk=tournament.pk).update(
        waiting_round=round if waiting else None, next_round_at=at
    )
    return waiting


def waiting() -> Q:
    """Match tournaments whose next round waits for its time or a press."""
    later = Q(next_round_at=None) | Q(next_round_at__gt=clock.now())
    return Q(waiting_round__isnull=False) & later


def ask_again(tournament: Tournament) -> None:
    """Have it asked anew whether there is a next round, and when: a ruling has changed what was played."""
    Tournament.objects.filter(pk=tournament.pk).update(waiting_round=None, next_round_at=None)
