"""Queries about tournaments. `shown_blocks` and `shown_tables` guard all that a block holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, Max, Min, OuterRef, Prefetch, Q, QuerySet, Sum
from stichkampf.limits import REMOTE_MOVE_SECONDS_MIN

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import failures, lease_times, nodes
from stichkampf_platform.core.queue import REQUEUE_SECONDS
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.sentences import Sentence, restored
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import (
    Block,
    Entrant,
    Participation,
    PlanToDraw,
    ProgressCounts,
    Result,
    Seat,
    SeatReport,
    Table,
    Tournament,
)
from stichkampf_platform.tournaments.shown import Viewer, opened_by, shown_to
from stichkampf_platform.tournaments.troubles import WORKS


@dataclass(frozen=True)
class TournamentProgress:
    """The progress of a tournament. Void tables are not among `tables`, nor replaced blocks among `blocks`.

    :ivar tables_void: played or not, they do not count.
    :ivar being_drawn: true while a worker draws further blocks of its plan.
    """

    tables: int
    tables_done: int
    tables_running: int
    tables_void: int
    blocks: int
    blocks_over: int
    being_drawn: bool = False

    @property
    def percent(self) -> int:
        return 100 * self.tables_done // self.tables if self.tables else 0


@dataclass(frozen=True)
class TableCounts:
    """The tables of a tournament, void ones left out.

    :ivar troubled: those still to be played at which the platform failed.
    """

    tables: int = 0
    done: int = 0
    troubled: int = 0


_STILL_TO_PLAY = Q(state=Table.State.PENDING) | Q(
    block__replaced_by__isnull=False, block__replaced_by__over_at=None
)
"""A table that waits, or whose block is played again and not over."""


def shown_ladders(person: Viewer = None) -> QuerySet[Ladder]:
    """Return the ladders that a person may see: a private one with its tournament."""
    return Ladder.objects.filter(
        Q(private=False) | Exists(Tournament.objects.shown_to(person).filter(ladder=OuterRef("pk")))
    )


def shown_blocks() -> QuerySet[Block]:
    """Return the blocks whose last table has ended: seeds, hands, records, notes and results may be shown."""
    return Block.objects.exclude(over_at=None)


def shown_tables(person: Viewer = None) -> QuerySet[Table]:
    """Return the played tables of shown blocks, of the tournaments that a person may open."""
    # of `shown_blocks`, said of the joined row: a second look at all blocks would take long
    return Table.objects.filter(
        opened_by(person, "block__tournament__"), state=Table.State.DONE, block__over_at__isnull=False
    )


def scored_seats() -> Prefetch:
    """Return how shown tables fetch their seats with bots and results, in one query."""
    return Prefetch("seats", Seat.objects.select_related("result", "entrant__version__bot__owner"))


def shown_results(person: Viewer = None) -> QuerySet[Result]:
    """Return the results at shown tables."""
    return Result.objects.filter(
        shown_to(person, "seat__table__block__tournament__"),
        seat__table__state=Table.State.DONE,
        seat__table__block__over_at__isnull=False,
    )


def results_of(bots: Collection[Bot], person: Viewer) -> QuerySet[Result]:
    """Return the subset of `shown_results` of these bots, by a query that reads few rows."""
    seen = Entrant.objects.filter(shown_to(person, "tournament__"), version__bot__in=bots)
    return Result.objects.filter(
        seat__entrant__in=seen.order_by().values("pk"),
        seat__table__state=Table.State.DONE,
        seat__table__block__over_at__isnull=False,
    )


def shared_blocks(
    versions: Collection[int], others: Collection[int], person: Viewer = None
) -> QuerySet[Block]:
    """Return the shown blocks in which one of these versions met one of the others, newest first."""

    def played(who: Collection[int]) -> QuerySet[Participation]:
        return Participation.objects.filter(entrant__version__in=who).values("block")

    return (
        shown_blocks()
        .filter(shown_to(person, "tournament__"), pk__in=played(versions), replaced_by=None)
        .filter(pk__in=played(others))
        .select_related("tournament")
        .order_by("-over_at", "-pk")
    )


def _hidden_blocks() -> QuerySet[Block]:
    """Return the blocks that are being played, and those whose results are held back."""
    in_play = Exists(Table.objects.filter(block=OuterRef("pk"), state=Table.State.PENDING))
    return Block.objects.filter(Q(played_at__isnull=False) | in_play, over_at=None)


def held_back(to_seat: str = "") -> Exists:
    """Tell whether a seat's output may give away a block that is not over: the one rule for all output.

    A process may play several blocks at a time, and put what it holds in one into the notes, the thinking
    times and the output of another. So notes, times and reports of a seat wait until every block is over
    that its version had begun by the end of the match. Moves and results wait for their own block alone.

    :param to_seat: the way to the seat from what is filtered or annotated, such as `seat__`.
    """
    running = _hidden_blocks()
    meanwhile = Table.objects.filter(
        block__in=running,
        started_at__lt=OuterRef(f"{to_seat}table__finished_at"),
        seats__entrant__version=OuterRef(f"{to_seat}entrant__version"),
    )
    return Exists(meanwhile)


def begun_meanwhile() -> dict[int, datetime]:
    """Return when the first tables of blocks that are not over began, by the versions that play there.

    A seat is held back if its match ended after that: `held_back` in a form for many seats at once.
    """
    running = _hidden_blocks()
    begun = Seat.objects.filter(
        table__block__in=running.order_by().values("pk"), table__started_at__isnull=False
    )
    first = begun.order_by().values_list("entrant__version").annotate(Min("table__started_at"))
    return dict(first)


def readable_reports(person: Viewer = None) -> QuerySet[SeatReport]:
    """Return the reports of shown blocks that give away no other block."""
    return SeatReport.objects.filter(~held_back("seat__"), seat__table__in=shown_tables(person))


def reports_for(person) -> QuerySet[SeatReport]:  # type: ignore[no-untyped-def]
    """Return the readable reports for a person: of own bots, or all for staff."""
    reports = readable_reports(person)
    if person.is_staff:
        return reports
    return reports.filter(seat__entrant__version__bot__owner_id=person.pk)


def progress(tournament: Tournament) -> TournamentProgress:
    """Return the progress of a tournament, as it is kept; only tables in play are counted."""
    (now,) = progress_of([tournament])
    return now


def progress_of(tournaments: Sequence[Tournament]) -> list[TournamentProgress]:
    """Return the progress of each of these tournaments, with two queries for all of them."""
    keys = [tournament.pk for tournament in tournaments]
    playing = leased_tables().filter(block__tournament__in=keys).order_by()
    running = Counter(playing.values_list("block__tournament", flat=True))
    drawn = Exists(PlanToDraw.objects.filter(pk=OuterRef("pk")))
    kept = ProgressCounts.objects.annotate(being_drawn=drawn).in_bulk(keys)
    return [_progress(kept.get(key, ProgressCounts()), running[key]) for key in keys]


def leased_tables() -> QuerySet[Table]:
    """Return the tables that workers hold."""
    return Table.objects.filter(lease_times.held(), state=Table.State.PENDING)


def _progress(kept: ProgressCounts, running: int) -> TournamentProgress:
    return TournamentProgress(
        tables=kept.tables - kept.tables_void,
        tables_done=kept.tables_done,
        tables_running=running,
        tables_void=kept.tables_void,
        blocks=kept.blocks,
        blocks_over=kept.blocks_over,
        being_drawn=getattr(kept, "being_drawn", False),
    )


def table_counts(tournaments: Collection[Tournament]) -> dict[int, TableCounts]:
    """Return the numbers of tables of tournaments, by their ids, with two queries for all of them."""
    keys = [tournament.pk for tournament in tournaments]
    in_trouble = Table.objects.filter(_STILL_TO_PLAY, block__tournament__in=keys).exclude(trouble="")
    troubled = Counter(in_trouble.order_by().values_list("block__tournament", flat=True))
    kept = ProgressCounts.objects.in_bulk(keys)
    counts = {}
    for key in keys:
        row = kept.get(key, ProgressCounts())
        counts[key] = TableCounts(row.tables - row.tables_void, row.tables_done, troubled[key])
    return counts


def free_blocks(*, drained: bool | None = None) -> QuerySet[Block]:
    """Return the blocks with free tables in running tournaments, in playing order.

    Those with a version that must be validated again wait for the verdict.

    :param drained: whether only what has begun is free; None for what the installation was told.
    """
    blocks = Block.objects.filter(
        Exists(Table.objects.filter(leases.free(drained=drained), block=OuterRef("pk"))),
        over_at=None,
        tournament__state=Tournament.State.RUNNING,
    )
    if Version.objects.filter(state=Version.State.STALE).exists():  # seldom; asking of each block costs
        seats = Seat.objects.filter(entrant__version__state=Version.State.STALE)
        blocks = blocks.filter(~Exists(seats.filter(table__block=OuterRef("pk"))))
    return blocks.order_by("number", "tournament_id")


def due_blocks() -> QuerySet[Block]:
    """Return the free blocks that were not queued just now."""
    return free_blocks().filter(not_queued_lately())


def blocks_in_queue(*, experiments: bool = False) -> int:
    """Count the blocks that were queued just now, and that no worker has taken so far.

    Those that a node has begun are not counted: they wait in a queue of its own, and hold up no other node.
    """
    waiting = free_blocks().filter(hinted_at__gte=_lately(), node="", tournament__experiment=experiments)
    return waiting.order_by().count()


def free_places() -> int:
    """Return how many blocks more the workers of the living nodes could play; 0 where that is not known."""
    places = nodes.living().aggregate(all=Sum("places", default=0))["all"]
    played = leased_tables().filter(block__tournament__experiment=False).order_by()
    return max(0, places - played.values("block").distinct().count()) if places else 0


def next_blocks(how_many: int, *, experiments: bool = False) -> list[Block]:
    """Return the due blocks whose turn it is, in order: the running tournaments have equally many in play.

    Experiments of authors have workers of their own, so they and all other tournaments are two lists.
    If two have equally many, the one that was queued longer ago comes first. A block counts as in play while
    a table of it is leased, and for a while after it was queued. What fills idle time comes last.
    """
    if how_many <= 0:
        return []
    running = dict(_running(experiments=experiments).values_list("pk", "rests"))
    if len(running) < 2:  # no other waits for a turn
        blocks = due_blocks().filter(tournament__in=running)
        if any(running.values()):
            blocks = blocks.alias(idle=fills_idle_time()).order_by("idle", "number")
        return list(blocks[:how_many]) if running else []
    leased = leased_tables().values("block")
    in_play = Q(blocks__over_at=None) & (Q(blocks__hinted_at__gte=_lately()) | Q(blocks__in=leased))
    counted = Tournament.objects.filter(pk__in=running).annotate(
        in_play=Count("blocks", filter=in_play), last=Max("blocks__hinted_at")
    )
    turns = []
    for tournament in counted:
        last = tournament.last.timestamp() if tournament.last else 0.0
        blocks = due_blocks().filter(tournament=tournament).annotate(idle=fills_idle_time())
        first = blocks.order_by("idle", "number")[:how_many]
        turns += [(block.idle, number, last, block) for number, block in enumerate(first, tournament.in_play)]
    turns.sort(key=lambda turn: (*turn[:3], turn[3].pk))
    return [block for *_, block in turns[:how_many]]


def fills_idle_time() -> Q:
    """Match blocks that can wait for all others: those of house bots alone, on ladders that rest."""
    submitted = Seat.objects.filter(table__block=OuterRef("pk"), entrant__version__house="")
    return Q(tournament__rests=True) & ~Exists(submitted)


def others_wait(tournament: Tournament) -> bool:
    """Tell whether another running tournament, for the same workers, has blocks to play and none of them."""
    others = unserved(experiments=tournament.experiment) - {tournament.pk}
    return bool(others) and _blocks_here(others).exclude(fills_idle_time()).exists()


def block_in_turn(queued: int, *, experiments: bool = False) -> int:
    """Return the block to play in place of a queued one: if its tournament has a worker already, one of a
    tournament without any. Many messages may lie before the one for that block."""
    without = unserved(experiments=experiments)
    if not without:
        return queued
    if Block.objects.filter(~leases.elsewhere(), pk=queued, tournament__in=without).exists():
        return queued
    first = (
        _blocks_here(without)
        .annotate(idle=fills_idle_time())
        .order_by("idle", "number", "tournament_id")
        .first()
    )
    return first.pk if first else queued


def nodes_of(blocks: Iterable[Block]) -> dict[int, str]:
    """Return the living nodes that have begun these blocks, by block; of others there is none."""
    begun = {block.pk: block.node for block in blocks if block.node}
    if not begun:
        return {}
    living = set(nodes.living().values_list("name", flat=True))
    return {block: node for block, node in begun.items() if node in living}


def _running(*, experiments: bool) -> QuerySet[Tournament]:
    return Tournament.objects.filter(state=Tournament.State.RUNNING, experiment=experiments).order_by()


def unserved(*, experiments: bool) -> set[int]:
    """Return the running tournaments that no worker plays."""
    served = leased_tables().order_by().values("block__tournament")
    return set(_running(experiments=experiments).exclude(pk__in=served).values_list("pk", flat=True))


def _blocks_here(tournaments: Collection[int]) -> QuerySet[Block]:
    """Return the free blocks of these tournaments, without those that another node has."""
    return free_blocks().filter(~leases.elsewhere(), tournament__in=tournaments)


def not_queued_lately() -> Q:
    """Match blocks that were not queued just now."""
    return Q(hinted_at=None) | Q(hinted_at__lt=_lately())


def _lately() -> datetime:
    return clock.now() - timedelta(seconds=REQUEUE_SECONDS)


def too_quick_for_remote(tournament: Tournament) -> bool:
    """Tell whether a move has less time than remote bots need for the way over the network."""
    return tournament.move_seconds < REMOTE_MOVE_SECONDS_MIN


def troubled_tables(tournament: Tournament) -> QuerySet[Table]:
    """Return the tables that the platform failed to play so far, with the reason in `trouble`.

    Where cards are dealt once, the table that failed is void and another block is still to be played for it.
    """
    return Table.objects.filter(_STILL_TO_PLAY, block__tournament=tournament).exclude(trouble="")


def troubles(tournament: Tournament) -> list[tuple[str, int]]:
    """Return the reasons for which the platform fails, with the number of waiting tables, the most first.

    Before them, with 0 tables, those for which the tournament as a whole does not go on.
    """
    failed = [
        (Sentence(words, error=reason), 0)
        for work, words in WORKS.items()
        for reason in failures.reasons([work], tournament)
    ]
    reasons = troubled_tables(tournament).order_by().values_list("trouble", "trouble_parts")
    counted = reasons.annotate(tables=Count("pk")).order_by("-tables", "trouble")
    return failed + [(restored(reason, parts), tables) for reason, parts, tables in counted]
