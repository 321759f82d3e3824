"""Between database and formats: what was played becomes the past, what is planned becomes blocks."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Exists, OuterRef
from stichkampf.rating import Comparisons, Results, compare

from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.tournaments.formats import format_named
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating
from stichkampf_platform.tournaments.formats.partners import has_partners
from stichkampf_platform.tournaments.models import Block, Entrant, Result, Seat, Table, Tournament


def competition(tournament: Tournament, versions: Sequence[Version]) -> Competition:
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
    )


def plan_next(tournament: Tournament) -> bool:
    """Add the blocks of the next round; false where there is none. Call it with the tournament locked."""
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    past = _past(tournament)
    asked = competition(tournament, [entrant.version for entrant in entrants])
    plan = format_named(tournament.format).next_round(asked, past)
    for number, seatings in enumerate(plan, start=past.blocks):
        _add_block(tournament, number, len(past.rounds), seatings, entrants)
    return bool(plan)


def outcome(tournament: Tournament) -> str:
    """What the format says at the end."""
    versions = [entrant.version for entrant in tournament.entrants.select_related("version__bot__owner")]
    return format_named(tournament.format).outcome(competition(tournament, versions), _past(tournament))


def _add_block(
    tournament: Tournament, number: int, round: int, seatings: list[Seating], entrants: list[Entrant]
) -> None:
    block = Block.objects.create(
        tournament=tournament, number=number, round=round, seed=secrets.token_bytes(32)
    )
    tables = Table.objects.bulk_create(Table(block=block, lane=lane) for lane in range(len(seatings)))
    Seat.objects.bulk_create(
        Seat(table=table, number=number, entrant=entrants[who])
        for table, seating in zip(tables, seatings, strict=True)
        for number, who in enumerate(seating)
    )


def _past(tournament: Tournament) -> Past:
    members: dict[tuple[int, int], set[int]] = defaultdict(set)
    seats = Seat.objects.filter(table__block__tournament=tournament)
    for round, block, entrant in seats.values_list(
        "table__block__round", "table__block__number", "entrant__number"
    ).distinct():
        members[round, block].add(entrant)
    rounds: dict[int, list[frozenset[int]]] = defaultdict(list)
    for (round, _), group in sorted(members.items()):
        rounds[round].append(frozenset(group))
    return Past(tuple(tuple(rounds[round]) for round in sorted(rounds)), _comparisons(tournament))


def _comparisons(tournament: Tournament) -> Comparisons | None:
    unplayed = Table.objects.filter(block=OuterRef("pk")).exclude(state=Table.State.DONE)
    whole = Block.objects.filter(~Exists(unplayed), tournament=tournament, over_at__isnull=False)
    rows = Result.objects.filter(seat__table__block__in=whole).values_list(
        "seat__table__block__number", "seat__number", "seat__entrant__number", "score", "seat__table_id",
        "forfeited",
    )  # fmt: skip
    found = list(rows)
    return compare(Results.from_rows(found), partners=has_partners(tournament.game)) if found else None
