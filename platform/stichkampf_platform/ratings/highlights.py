"""Matches of a tournament that is over which are worth a look, each chosen by a rule that the page states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.ratings.queries import unsettled_tournaments
from stichkampf_platform.ratings.standings import StandingsOrder
from stichkampf_platform.tournaments.formats import is_endless
from stichkampf_platform.tournaments.models import Result, Table, Tournament
from stichkampf_platform.tournaments.queries import scored_seats

MATCHES_AT_MOST = 5_000
"""The last matches of a tournament are looked at, so that a long one costs no more than this."""
KEPT_AT_ONCE = 10
"""Tournaments of which one task chooses them, so that it is soon over."""


@dataclass(frozen=True)
class Highlight:
    """A match, and the rule by which it was chosen."""

    title: Promise
    rule: Promise
    table: Table


@dataclass(frozen=True)
class _Match:
    """A match without a fault.

    :ivar lead: points of the winner beyond the next.
    :ivar places: of the entrants in the standings, added up.
    :ivar upset: the places by which the winner, or the better of them, stands below the best of the table.
    """

    table: int
    lead: int
    places: int
    upset: int


TITLES = {
    "best": (
        gettext_lazy("Best match"),
        gettext_lazy("The bots that stand highest at one table; of several, the one with the smallest lead."),
    ),
    "closest": (
        gettext_lazy("Closest match"),
        gettext_lazy("The smallest lead of a winner; of several, the one of the bots that stand highest."),
    ),
    "clearest": (gettext_lazy("Clearest win"), gettext_lazy("The largest lead of a winner.")),
    "upset": (
        gettext_lazy("Strangest match"),
        gettext_lazy("The winner that stands the most places below the best bot of the table."),
    ),
}


def highlights(tournament: Tournament, order: StandingsOrder) -> list[Highlight]:
    """Return matches of a tournament that is over, each chosen by a rule of `TITLES`, as kept or chosen now.

    :param order: the final standings.
    """
    if tournament.highlights is None:
        return _shown(_chosen(tournament, order.ranks))
    return _shown(tournament.highlights)


def keep_highlights() -> int:
    """Choose the highlights of a few tournaments that are over and settled; return of how many."""
    waiting = Tournament.objects.filter(state=Tournament.State.FINISHED, highlights__isnull=True)
    settled = waiting.exclude(pk__in=unsettled_tournaments().values("pk"))
    newest = settled.order_by("-finished_at", "-pk")
    return each_by_itself("highlights of a tournament", newest, _keep, at_most=KEPT_AT_ONCE)


def _keep(tournament: Tournament) -> int:
    chosen = {} if is_endless(tournament.format) else _chosen(tournament, StandingsOrder(tournament).ranks)
    # one that is played again meanwhile is over a second time, and chosen for then
    ended = Tournament.objects.filter(pk=tournament.pk, finished_at=tournament.finished_at)
    return ended.update(highlights=chosen)


def _chosen(tournament: Tournament, places: Mapping[int, int]) -> dict[str, int]:
    """Return the table that each rule chooses.

    :param places: by the id of the entrant.
    """
    matches = _matches(tournament, places)
    if not matches:
        return {}
    chosen = {
        "best": min(matches, key=lambda match: (match.places, match.lead, match.table)),
        "closest": min(matches, key=lambda match: (match.lead, match.places, match.table)),
        "clearest": max(matches, key=lambda match: (match.lead, -match.places, -match.table)),
        "upset": max(matches, key=lambda match: (match.upset, match.lead, -match.table)),
    }
    if not chosen["upset"].upset:
        del chosen["upset"]
    return {name: match.table for name, match in chosen.items()}


def _shown(chosen: Mapping[str, int]) -> list[Highlight]:
    tables = _tables(set(chosen.values()))
    return [
        Highlight(*titles, tables[chosen[name]])
        for name, titles in TITLES.items()
        if chosen.get(name) in tables
    ]


def _matches(tournament: Tournament, places: Mapping[int, int]) -> list[_Match]:
    found = Result.objects.filter(
        seat__table__block__tournament=tournament,
        seat__table__block__over_at__isnull=False,
        seat__table__state=Table.State.DONE,
    )
    newest = found.order_by("-seat__table").values_list(
        "seat__table_id", "seat__entrant_id", "score", "rank", "faults"
    )
    seats: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
    for table, *seat in newest[: MATCHES_AT_MOST * tournament.seats]:
        seats[table].append(tuple(seat))  # type: ignore[arg-type]
    return [match for table, held in seats.items() if (match := _match(table, held, places))]


def _match(table: int, held: Sequence[tuple[int, int, int, int]], places: Mapping[int, int]) -> _Match | None:
    winners = [(entrant, score) for entrant, score, rank, _faults in held if rank == 1]
    beaten = [score for _entrant, score, rank, _faults in held if rank > 1]
    ranked = [places[entrant] for entrant, *_ in held if entrant in places]
    if not beaten or len(ranked) < len(held) or any(faults for *_, faults in held):
        return None
    upset = min(places[entrant] for entrant, _score in winners) - min(ranked)
    return _Match(table, winners[0][1] - max(beaten), sum(ranked), upset)


def _tables(keys: set[int]) -> dict[int, Table]:
    tables = Table.objects.filter(pk__in=keys).select_related("block")
    found = tables.prefetch_related(scored_seats())
    return {table.pk: table for table in found}
