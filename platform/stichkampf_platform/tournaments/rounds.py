"""Between database and formats: what was played becomes the past, what is planned becomes blocks."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Exists, Max, OuterRef
from stichkampf.partners import has_partners
from stichkampf.rating import Comparisons, Results, compare

from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Competition, Past
from stichkampf_platform.tournaments.models import Block, Entrant, Result, Seat, Table, Tournament


def competition(
    tournament: Tournament, versions: Sequence[Version], out: frozenset[int] = frozenset()
) -> Competition:
    """What the format is asked about; entrants are numbered in the order of the versions."""
    owners = [version.bot.owner.username for version in versions]
    return Competition(
        authors={number: None if name == HOUSE else name for number, name in enumerate(owners)},
        names={number: str(version) for number, version in enumerate(versions)},
        game=tournament.game,
        seats=tournament.seats,
        blocks=tournament.blocks_planned,
        rounds=tournament.rounds,
        stopping=tournament.stopping,
        rated=tournament.rated,
        out=out,
        remote=frozenset(number for number, version in enumerate(versions) if version.remote),
    )


def plan_next(tournament: Tournament) -> bool:
    """Add the blocks of the next round; false where there is none. Call it with the tournament locked."""
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    past = _past(tournament)
    plan = ROUND_FORMATS[tournament.format].next_round(_asked(tournament, entrants), past)
    for number, seatings in enumerate(plan, start=next_number(tournament)):
        seated = [[entrants[who] for who in seating] for seating in seatings]
        add_block(tournament, number, len(past.rounds), seated)
    return bool(plan)


def outcome(tournament: Tournament) -> str:
    """What the format says at the end."""
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    return ROUND_FORMATS[tournament.format].outcome(_asked(tournament, entrants), _past(tournament))


def _asked(tournament: Tournament, entrants: list[Entrant]) -> Competition:
    out = frozenset(entrant.number for entrant in entrants if entrant.disqualified_at)
    return competition(tournament, [entrant.version for entrant in entrants], out)


def next_number(tournament: Tournament) -> int:
    """The number of the next block of a tournament."""
    last = tournament.blocks.aggregate(last=Max("number"))["last"]
    return 0 if last is None else last + 1


def add_block(tournament: Tournament, number: int, round: int, seatings: list[list[Entrant]]) -> Block:
    """Add a block with a secret seed of its own; by table and seat, who sits there."""
    block = Block.objects.create(
        tournament=tournament,
        number=number,
        round=round,
        seed=secrets.token_bytes(32),
        dealt_once=any(entrant.version.remote for seating in seatings for entrant in seating),
    )
    tables = Table.objects.bulk_create(Table(block=block, lane=lane) for lane in range(len(seatings)))
    Seat.objects.bulk_create(
        Seat(table=table, number=number, entrant=entrant)
        for table, seating in zip(tables, seatings, strict=True)
        for number, entrant in enumerate(seating)
    )
    return block


def _past(tournament: Tournament) -> Past:
    members: dict[tuple[int, int], set[int]] = defaultdict(set)
    seats = Seat.objects.filter(table__block__tournament=tournament, table__block__replaced_by=None)
    for round, block, entrant in seats.values_list(
        "table__block__round", "table__block__number", "entrant__number"
    ).distinct():
        members[round, block].add(entrant)
    rounds: dict[int, list[frozenset[int]]] = defaultdict(list)
    for (round, _), group in sorted(members.items()):
        rounds[round].append(frozenset(group))
    # a block that is played in another's place has a number out of line
    labels = {number: label for label, (_, number) in enumerate(sorted(members))}
    return Past(tuple(tuple(rounds[round]) for round in sorted(rounds)), _comparisons(tournament, labels))


def _comparisons(tournament: Tournament, labels: dict[int, int]) -> Comparisons | None:
    unplayed = Table.objects.filter(block=OuterRef("pk")).exclude(state=Table.State.DONE)
    whole = Block.objects.filter(~Exists(unplayed), tournament=tournament, over_at__isnull=False)
    rows = Result.objects.filter(seat__table__block__in=whole).values_list(
        "seat__table__block__number", "seat__number", "seat__entrant__number", "score", "seat__table_id",
        "forfeited",
    )  # fmt: skip
    found = [(labels[number], *row) for number, *row in rows]
    return compare(Results.from_rows(found), partners=has_partners(tournament.game)) if found else None
