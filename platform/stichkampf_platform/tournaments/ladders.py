"""The permanent ladders: versions enter by themselves, and a few blocks are always ready."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Count, Max

from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.ratings.queries import ladder_for, newest_snapshot
from stichkampf_platform.tournaments import rounds
from stichkampf_platform.tournaments.formats.ladder import NEW_BELOW, Lately, Place, draw, seated
from stichkampf_platform.tournaments.models import Entrant, Seat, Tournament

BLOCKS_REMEMBERED = 2000
"""Of late: who met whom before that is not asked."""


def top_up(tournament: Tournament) -> int:
    """Draw blocks until as many are ready as shall be; how many. Call it with the tournament locked."""
    missing = tournament.blocks_planned - tournament.blocks.filter(over_at=None).count()
    if missing <= 0:
        return 0
    _enter(tournament)
    entrants = {entrant.number: entrant for entrant in tournament.entrants.all()}
    lately = _lately(tournament)
    first = rounds.next_number(tournament)
    asked = rounds.competition(tournament, [])
    groups = draw(_places(tournament), lately, size=asked.group_size, first=first, blocks=missing)
    for number, group in enumerate(groups, start=first):
        block = seated(group, lately, seats=tournament.seats, partners=asked.partners)
        lately.add(group)
        rounds.add_block(tournament, number, 0, [[entrants[who] for who in table] for table in block.tables])
    return len(groups)


def _enter(tournament: Tournament) -> None:
    """Versions that have been let play since."""
    known = set(tournament.entrants.values_list("version_id", flat=True))
    new = [version for version in playable_versions(tournament.game) if version.pk not in known]
    last = tournament.entrants.aggregate(last=Max("number"))["last"]
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, version=version, number=number)
        for number, version in enumerate(new, start=0 if last is None else last + 1)
    )


def _places(tournament: Tournament) -> dict[int, Place]:
    """Those that may be drawn: ranked versions, and others until their first rating is settled."""
    drawn = Seat.objects.filter(table__lane=0, table__block__tournament=tournament)
    counted = drawn.values("entrant").annotate(
        blocks=Count("table__block", distinct=True), last=Max("table__block__number")
    )
    played = {row["entrant"]: (row["blocks"], row["last"]) for row in counted}
    ladder = ladder_for(tournament)
    snapshot = newest_snapshot(ladder) if ladder else None
    elo = dict(snapshot.ratings.values_list("version_id", "elo")) if snapshot else {}
    places = {}
    for entrant in tournament.entrants.filter(disqualified_at=None).select_related("version__bot__owner"):
        version = entrant.version
        blocks, last = played.get(entrant.pk, (0, -1))
        if version.may_play and (blocks < NEW_BELOW or version.bot.ranked_version_id == version.pk):
            author = version.bot.owner.username
            places[entrant.number] = Place(
                None if author == HOUSE else author, blocks, last, elo.get(version.pk, 1500.0)
            )
    return places


def _lately(tournament: Tournament) -> Lately:
    since = rounds.next_number(tournament) - BLOCKS_REMEMBERED
    seats = Seat.objects.filter(
        table__lane=0, table__block__tournament=tournament, table__block__number__gte=since
    )
    groups: dict[int, set[int]] = defaultdict(set)
    for number, entrant in seats.values_list("table__block__number", "entrant__number"):
        groups[number].add(entrant)
    lately = Lately()
    for group in groups.values():
        lately.add(group)
    return lately
