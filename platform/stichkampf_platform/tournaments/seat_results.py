"""The newest results of a bot as they count for a seat, its mean ranks by seat, its best and worst match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Avg, Count

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.tournaments.models import Block, Entrant, Participation, Result, Table
from stichkampf_platform.tournaments.queries import shown_blocks

RESULTS_READ = 400
"""A mean rank over that many results is exact to a tenth; more would slow every view of the page."""
BLOCKS_LOOKED_AT = 140
"""A block has three results of a bot or more; a few of them may be void, or against the bot itself."""


BLOCKS_COMPARED = 20
"""The newest of those that were read, in which the best and the worst match are looked for."""


class SeatResult(NamedTuple):
    """A result as it counts for a seat, from 0."""

    pk: int
    seat: int
    rank: int
    score: int
    table: int
    lane: int
    block: int
    game: str
    seats: int


COLUMNS = (
    *("pk", "seat__number", "rank", "score"),
    *("seat__table_id", "seat__table__lane", "seat__table__block_id"),
)
"""The fields of the database from which `SeatResult` is read, in its order; game and seats follow."""


@dataclass(frozen=True)
class ShownResult:
    """A result with the block that it is of."""

    result: SeatResult
    block: Block


class SeatsOfGame(NamedTuple):
    """Mean ranks in one game with one number of seats, from the first seat; `None` without matches there."""

    game: str
    seats: int
    matches: int
    mean_ranks: list[float | None]


class ComparedMatch(NamedTuple):
    """A match beside those in which the same hands were played.

    :ivar ahead: points above the mean of that hand at all tables of the block.
    """

    result: SeatResult
    ahead: float


class BestAndWorst(NamedTuple):
    """The matches in one game with one number of seats that are furthest from the means of their hands."""

    game: str
    seats: int
    best: ComparedMatch
    worst: ComparedMatch


class _Block(NamedTuple):
    pk: int
    game: str
    seats: int


def newest_results(entrants: Collection[int]) -> list[SeatResult]:
    """Return the `RESULTS_READ` newest results of these entrants of a bot, in finished blocks.

    Blocks in which every seat is the same bot are left out: they compare its versions and nothing else. Of
    bots with many matches few rows are read for it: those of their newest blocks.
    """
    # a subquery: for a list of ids, PostgreSQL's planner would choose to read all blocks
    theirs = Entrant.objects.filter(pk__in=entrants).order_by().values("pk")
    played = Participation.objects.filter(entrant__in=theirs).values("block")
    over = shown_blocks().filter(pk__in=played).order_by("-over_at", "-pk")
    rows = over.values_list("pk", "tournament__game", "tournament__seats")
    newest = [_Block(*row) for row in rows[:BLOCKS_LOOKED_AT]]
    found = _results(entrants, newest)
    if len(found) < RESULTS_READ and len(newest) == BLOCKS_LOOKED_AT:
        found = _results(entrants, [_Block(*row) for row in rows])
    return found


def _results(entrants: Collection[int], blocks: Collection[_Block]) -> list[SeatResult]:
    bots = Bot.objects.filter(versions__entries__in=entrants).values("pk")
    same = Entrant.objects.filter(version__bot__in=bots).order_by().values("pk")
    others = Participation.objects.exclude(entrant__in=same).filter(block__in=[block.pk for block in blocks])
    against = set(others.values_list("block", flat=True))
    own = Result.objects.filter(
        seat__entrant__in=entrants, seat__table__block__in=against, seat__table__state=Table.State.DONE
    )
    settings = {block.pk: (block.game, block.seats) for block in blocks}
    rows = own.order_by("-pk").values_list(*COLUMNS)[:RESULTS_READ]
    return [SeatResult._make((*row, *settings[row[-1]])) for row in rows]


def with_blocks(results: Sequence[SeatResult]) -> list[ShownResult]:
    """Return results with their blocks and tournaments, read in one query."""
    blocks = Block.objects.select_related("tournament").order_by().in_bulk({each.block for each in results})
    return [ShownResult(each, blocks[each.block]) for each in results]


def by_seat(results: Iterable[SeatResult]) -> list[SeatsOfGame]:
    """Return mean ranks by seat, by game and number of seats."""
    ranks: dict[tuple[str, int], list[list[int]]] = {}
    for result in results:
        of_game = ranks.setdefault((result.game, result.seats), [[] for _ in range(result.seats)])
        of_game[result.seat].append(result.rank)
    return [
        SeatsOfGame(
            game,
            number,
            sum(map(len, seats)),
            [sum(seat) / len(seat) if seat else None for seat in seats],
        )
        for (game, number), seats in sorted(ranks.items())
    ]


def best_and_worst(results: Sequence[SeatResult]) -> list[BestAndWorst]:
    """Return the best and the worst match of the newest blocks, by game and number of seats.

    Hands that were played at one table alone are left out.
    """
    newest = list(dict.fromkeys(result.block for result in results))[:BLOCKS_COMPARED]
    hands = Result.objects.filter(seat__table__block__in=newest, seat__table__state=Table.State.DONE)
    means = {
        (block, seat): mean
        for block, seat, mean, tables in hands.order_by()
        .values_list("seat__table__block_id", "seat__number")
        .annotate(mean=Avg("score"), tables=Count("pk"))
        if tables > 1
    }
    compared: dict[tuple[str, int], list[ComparedMatch]] = defaultdict(list)
    for result in results:
        if (result.block, result.seat) in means:
            ahead = result.score - means[result.block, result.seat]
            compared[result.game, result.seats].append(ComparedMatch(result, ahead))
    return [
        BestAndWorst(*setting, max(matches, key=attrgetter("ahead")), min(matches, key=attrgetter("ahead")))
        for setting, matches in sorted(compared.items())
    ]
