"""The pace of this installation: tables a minute as they were played here, and what is left at that pace."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Aggregate, Count, Q, QuerySet, Sum
from django.db.models.functions import TruncMinute
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from stichkampf.engine.options import length_of
from stichkampf.games import new_game

from stichkampf_platform.core import clock
from stichkampf_platform.core.number_formats import ReadNumber, plain
from stichkampf_platform.tournaments import formats
from stichkampf_platform.tournaments.formats.competition import Competition
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.queries import TournamentProgress

TABLES_A_MINUTE_ASSUMED = 60.0
"""The pace assumed before anything was played: less than two cores reach with bots that answer at once."""
DEALS_ASSUMED = 4
"""The deals of these tables, as on the main ladders."""
DEALS_AT_MOST = 10**9
RECENT_TABLES = 500
MOMENT = timedelta(minutes=10)
"""The time over which the pace of a running tournament is measured."""


@dataclass(frozen=True)
class TablesAMinute:
    """Tables a minute.

    :ivar source: where the number comes from, to be read after "as".
    """

    tables_a_minute: float
    source: str


@dataclass(frozen=True)
class TournamentEstimate:
    """The size of a tournament that has not begun, and the time that it takes if no other one runs."""

    tables: int
    pace: TablesAMinute

    @property
    def duration(self) -> str:
        return in_words(self.tables / self.pace.tables_a_minute)

    def __str__(self) -> str:
        text = ngettext(
            "{tables} table, {duration} at {pace:.3g} tables a minute, as {source}",
            "{tables} tables, {duration} at {pace:.3g} tables a minute, as {source}",
            self.tables,
        )
        return text.format(
            tables=plain(self.tables),
            duration=self.duration,
            pace=ReadNumber(self.pace.tables_a_minute),
            source=self.pace.source,
        )


def estimate(tournament: Tournament, competition: Competition) -> TournamentEstimate | None:
    """Estimate a tournament before it starts; `None` for one without an end.

    :raises StichkampfError: it is not possible with these entrants.
    """
    tables = formats.format_named(tournament.format).tables_at_most(competition)
    return None if tables is None else TournamentEstimate(tables, of_installation(tournament))


def of_installation(tournament: Tournament) -> TablesAMinute:
    """Return the pace at which tables like those of a tournament were played here."""
    game = Table.objects.filter(block__tournament__game=tournament.game)
    alike = game.filter(
        block__tournament__seats=tournament.seats,
        block__tournament__options_digest=tournament.options_digest,
    )
    if pace := _measured(alike, Count("pk")):
        return TablesAMinute(pace, _("measured here with these options"))
    deals = deals_of(tournament)
    for tables, source in (
        (game, _("measured here in this game with other options")),
        (Table.objects.all(), _("measured here in other games")),
    ):
        if pace := _measured(tables, Sum("match_record__deals") if deals else Count("pk")):
            return TablesAMinute(pace / (deals or 1), source)
    pace = TABLES_A_MINUTE_ASSUMED * (DEALS_ASSUMED / deals if deals else 1)
    return TablesAMinute(pace, _("assumed until some have been played here"))


def deals_of(tournament: Tournament) -> int | None:
    """Return the deals of a match where its options say how many; else `None`."""
    if length_of(tournament.options)[0] == "points":
        return None
    game = new_game(tournament.game, tournament.seats, tournament.options)
    return bisect_left(range(DEALS_AT_MOST), True, key=lambda n: game.is_finished(n, [0] * game.seats, {}))


def _measured(tables: QuerySet[Table], counted: Aggregate) -> float | None:
    """Return how much was counted a minute at the latest tables, over the minutes in which any ended."""
    played = tables.filter(state=Table.State.DONE, finished_at__isnull=False)
    latest = played.order_by("-pk").values_list("pk", flat=True)[:RECENT_TABLES]
    minutes = (
        Table.objects.filter(pk__in=list(latest))
        .order_by()
        .values(minute=TruncMinute("finished_at"))
        .annotate(counted=counted)
    )
    counts = [minute["counted"] or 0 for minute in minutes]
    return sum(counts) / len(counts) if counts else None


def minutes_left(tournament: Tournament, tables_left: int) -> float | None:
    """Return the minutes for these tables at the tournament's own pace; `None` if none ended of late."""
    now = clock.now()
    since = max(tournament.started_at or now, now - MOMENT)
    ended = Table.objects.filter(
        Q(block__over_at=None) | Q(block__over_at__gte=since),  # few blocks, which an index finds
        block__tournament=tournament,
        state=Table.State.DONE,
        finished_at__gte=since,
    ).count()
    return tables_left * (now - since).total_seconds() / 60 / ended if ended else None


def time_left(tournament: Tournament, progress: TournamentProgress) -> str:
    """Say how long it goes on at its present pace; empty where that makes no sense."""
    left = progress.tables - progress.tables_done
    if tournament.state != Tournament.State.RUNNING or formats.is_endless(tournament.format) or not left:
        return ""
    minutes = minutes_left(tournament, left)
    if minutes is None:
        return _("time left is not known before its first tables are played")
    format = formats.FORMATS.get(tournament.format)
    text = _("{time} of this round left") if format and format.shows_rounds else _("{time} left")
    return text.format(time=in_words(minutes))


def in_words(minutes: float) -> str:
    """Write a span of time as people say it.

    >>> in_words(0.4), in_words(7.2), in_words(135), in_words(3000)
    ('less than a minute', 'about 7 min', 'about 2 h 15 min', 'about 2 days')
    """
    if minutes < 1:
        return _("less than a minute")
    if minutes < 60:
        return _("about {minutes:.0f} min").format(minutes=minutes)
    if minutes < 48 * 60:
        hours, rest = divmod(round(minutes), 60)
        text = _("about {hours} h {rest} min") if rest else _("about {hours} h")
        return text.format(hours=hours, rest=rest)
    return _("about {days:.0f} days").format(days=minutes / 60 / 24)
