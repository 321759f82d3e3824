"""Rounds: results in the database become the past that formats read; their plans become blocks."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from django.db.models import Exists, Max, Min, OuterRef
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.games import game_class
from stichkampf.rating import Results, compare

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.plain_rows import portions
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.tournaments import kept_progress
from stichkampf_platform.tournaments.formats import round_format
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating, Standing
from stichkampf_platform.tournaments.models import Block, Entrant, Result, Seat, Table, Tournament
from stichkampf_platform.tournaments.scheduling import participations

BLOCKS_AT_ONCE = 500
"""Blocks that are sent to the database at a time."""
PlayedRows = tuple[list[tuple[int, int, int]], set[int], list[tuple[int, int, int, int, int, bool]]]


@dataclass(frozen=True)
class PlannedBlock:
    """A block that is to be added.

    :ivar seatings: by table and seat, who sits there.
    :ivar repeated: a block that is over, whose cards are dealt again; `None` for cards of its own.
    """

    number: int
    round: int
    seatings: list[list[Entrant]]
    repeated: Block | None = None


def competition(tournament: Tournament, versions: Sequence[Version]) -> Competition:
    """Return a tournament as formats see it; entrants are numbered in the order of the versions."""
    owners = [version.bot.owner.username for version in versions]
    return Competition(
        authors={number: None if name == HOUSE else name for number, name in enumerate(owners)},
        names={number: version.label for number, version in enumerate(versions)},
        game=tournament.game,
        seats=tournament.seats,
        blocks=tournament.blocks_planned,
        rounds=tournament.rounds,
        stopping=tournament.stopping,
        rated=tournament.rated,
        remote=frozenset(number for number, version in enumerate(versions) if version.remote),
    )


@dataclass(frozen=True)
class NextRound:
    """The round that follows from what was played.

    :ivar asked: the tournament by which it was worked out.
    :ivar played: what was played by then.
    :ivar round: its number, or that of the last round where this one needs further blocks.
    :ivar plan: the seatings of its blocks, or none.
    :ivar standings: the entrants in order; `None` where the last round is not over yet.
    """

    asked: Competition
    played: PlayedRows
    round: int
    plan: list[list[Seating]]
    standings: list[Standing] | None


def work_out(tournament: Tournament) -> NextRound:
    """Work out the next round, after all blocks so far. It locks nothing and changes nothing."""
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    return _worked_out(tournament, asked_of(tournament, entrants), _played(tournament))


def _worked_out(tournament: Tournament, asked: Competition, played: PlayedRows) -> NextRound:
    past, format = _past(tournament, played), round_format(tournament.format)
    if past.rounds and (plan := format.further_blocks(asked, past)):
        return NextRound(asked, played, len(past.rounds) - 1, plan, None)
    standings = _standings(format, asked, past)
    return NextRound(asked, played, len(past.rounds), format.next_round(asked, past), standings)


def next_plan(tournament: Tournament, expected: NextRound | None) -> tuple[int, list[list[Seating]]]:
    """Rank the entrants; return the number of the next round and the seatings of its blocks, or none.

    Call it with the tournament locked, after all blocks so far.

    :param expected: what was worked out before it was locked; it holds if nothing has changed since.
    """
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    asked, played = asked_of(tournament, entrants), _played(tournament)
    if expected is None or (expected.asked, expected.played) != (asked, played):
        expected = _worked_out(tournament, asked, played)
    if expected.standings is not None:
        _rank(tournament, entrants, expected.standings, expected.round)
    return expected.round, expected.plan


def goes_on(tournament: Tournament) -> bool:
    """Tell whether another round would be drawn, after all blocks so far."""
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    asked, past, format = asked_of(tournament, entrants), past_of(tournament), round_format(tournament.format)
    return bool(past.rounds and not format.further_blocks(asked, past) and format.next_round(asked, past))


def rank_again(tournament: Tournament) -> None:
    """Rank the entrants by the rounds that are over, after a ruling. Call it with the tournament locked."""
    past = past_of(tournament)
    tournament.entrants.exclude(out_at=None).filter(left_after=None).update(left_after=len(past.rounds))
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    asked, format = asked_of(tournament, entrants), round_format(tournament.format)
    unfinished = tournament.blocks.filter(over_at=None).aggregate(round=Min("round"))["round"]
    if unfinished is not None:
        past = past.after(unfinished)
    elif past.rounds and format.further_blocks(asked, past):
        past = past.after(len(past.rounds) - 1)
    _rank(tournament, entrants, _standings(format, asked, past), len(past.rounds))


def _standings(format: RoundFormat, asked: Competition, past: Past) -> list[Standing]:
    """Rank by what was compared; no places stand where nothing was."""
    return format.standings(asked, past) if past.comparisons is not None and len(past.comparisons) else []


def _rank(tournament: Tournament, entrants: list[Entrant], standings: list[Standing], rounds: int) -> None:
    if rounds == tournament.rounds_over == 0:
        return
    lines = {line.entrant: line for line in standings} if rounds else {}
    for entrant in entrants:
        line = lines.get(entrant.number)
        entrant.place = line.place if line else None
        entrant.points = line.points if line else None
        entrant.round_reached = line.round_reached if line else None
        entrant.tie_breaks = dict(line.tie_breaks) if line and line.tie_breaks else None
    # An upsert of rows that exist: bulk_update() makes an expression for each value, which takes far longer.
    Entrant.objects.bulk_create(
        entrants,
        update_conflicts=True,
        unique_fields=["pk"],
        update_fields=["place", "points", "round_reached", "tie_breaks"],
    )
    Tournament.objects.filter(pk=tournament.pk).update(rounds_over=rounds)


def outcome(tournament: Tournament) -> str:
    """Return the outcome by the format, after the last round."""
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    return round_format(tournament.format).outcome(asked_of(tournament, entrants), past_of(tournament))


def asked_of(tournament: Tournament, entrants: Sequence[Entrant]) -> Competition:
    """Return a tournament that has started as its format sees it.

    :param entrants: all, by number.
    """
    asked = competition(tournament, [entrant.version for entrant in entrants])
    gone = [entrant for entrant in entrants if entrant.out_at]
    return replace(
        asked,
        out=frozenset(entrant.number for entrant in gone),
        left_after={entrant.number: entrant.left_after or 0 for entrant in gone},
        seed=bytes(tournament.lot_seed or asked.seed),
        seeded=tournament.qualifier_id is not None,
    )


def next_number(tournament: Tournament) -> int:
    """The number of the next block of a tournament."""
    last = tournament.blocks.aggregate(last=Max("number"))["last"]
    return 0 if last is None else last + 1


def add_block(tournament: Tournament, number: int, round: int, seatings: list[list[Entrant]]) -> Block:
    """Add one block, as `add_blocks`."""
    (block,) = add_blocks(tournament, [PlannedBlock(number, round, seatings)])
    return block


def add_blocks(tournament: Tournament, planned: Iterable[PlannedBlock]) -> list[Block]:
    """Add blocks in few queries however many they are; one that repeats none has a secret seed of its own."""
    added = (_add(tournament, portion) for portion in portions(planned, BLOCKS_AT_ONCE))
    return list(chain.from_iterable(added))


def _add(tournament: Tournament, planned: Sequence[PlannedBlock]) -> list[Block]:
    blocks = Block.objects.bulk_create(
        Block(
            tournament=tournament,
            number=plan.number,
            round=plan.round,
            seed=bytes(plan.repeated.seed) if plan.repeated else secrets.token_bytes(32),
            substitute_version=(
                plan.repeated.substitute_version if plan.repeated else house_bot(SUBSTITUTE).version
            ),
            dealt_once=any(entrant.version.remote for seating in plan.seatings for entrant in seating),
        )
        for plan in planned
    )
    tables = Table.objects.bulk_create(
        Table(block=block, lane=lane)
        for block, plan in zip(blocks, planned, strict=True)
        for lane in range(len(plan.seatings))
    )
    Seat.objects.bulk_create(
        Seat(table=table, number=number, entrant=entrant)
        for table, seating in zip(tables, chain.from_iterable(plan.seatings for plan in planned), strict=True)
        for number, entrant in enumerate(seating)
    )
    participations.add(
        (block.pk, (entrant.pk for entrant in chain.from_iterable(plan.seatings)))
        for block, plan in zip(blocks, planned, strict=True)
    )
    kept_progress.add(tournament.pk, tables=len(tables), blocks=len(blocks))
    return blocks


def past_of(tournament: Tournament) -> Past:
    return _past(tournament, _played(tournament))


def _played(tournament: Tournament) -> PlayedRows:
    """Return who was drawn into which block, the blocks that were played whole, and the results."""
    seats = Seat.objects.filter(table__block__tournament=tournament, table__block__replaced_by=None)
    drawn = seats.values_list("table__block__round", "table__block__number", "entrant__number").distinct()
    if not (found := sorted(drawn)):
        return [], set(), []
    results = Result.objects.filter(
        seat__table__block__tournament=tournament, seat__table__block__over_at__isnull=False
    ).values_list(
        "seat__table__block__number", "seat__number", "seat__entrant__number", "score", "seat__table_id",
        "forfeited",
    )  # fmt: skip
    return found, _whole(tournament), sorted(results)


def _past(tournament: Tournament, played: PlayedRows) -> Past:
    drawn, whole, results = played
    members: dict[tuple[int, int], set[int]] = defaultdict(set)
    for round, block, entrant in drawn:
        members[round, block].add(entrant)
    rounds: dict[int, list[frozenset[int]]] = defaultdict(list)
    for (round, _), group in sorted(members.items()):
        rounds[round].append(frozenset(group))
    # a block that is played in another's place has a number out of line
    labels = {number: label for label, (_, number) in enumerate(sorted(members))}
    shown = tuple(tuple(rounds[round]) for round in sorted(rounds))
    if not shown:
        return Past()
    unplayed = frozenset(label for number, label in labels.items() if number not in whole)
    found = [(labels[number], *row) for number, *row in results if number in whole and number in labels]
    partners = game_class(tournament.game).partners
    return Past(shown, compare(Results.from_rows(found), partners=partners) if found else None, unplayed)


def _whole(tournament: Tournament) -> set[int]:
    """Return the numbers of the blocks whose tables have all been played."""
    unplayed = Table.objects.filter(block=OuterRef("pk")).exclude(state=Table.State.DONE)
    whole = Block.objects.filter(~Exists(unplayed), tournament=tournament, over_at__isnull=False)
    return set(whole.values_list("number", flat=True))
