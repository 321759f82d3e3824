"""The permanent ladders: versions enter by themselves, and a few blocks are always ready."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Count, Max, Q
from stichkampf.limits import REMOTE_MOVE_SECONDS_MIN
from stichkampf.partners import has_partners

from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.ratings.queries import ladder_for, newest_snapshot
from stichkampf_platform.tournaments import rounds
from stichkampf_platform.tournaments.formats.ladder import (
    NEW_BELOW,
    Ladder,
    Lately,
    Place,
    compared,
    draw,
    seated,
)
from stichkampf_platform.tournaments.models import Block, Entrant, Seat, Tournament
from stichkampf_platform.tournaments.queries import too_quick_for_remote

BLOCKS_REMEMBERED = 2000
"""Of late: who met whom before that is not asked."""

ONE_SEAT_EACH = Q(table__lane=0) | Q(table__block__dealt_once=True)
"""The first table of a block has everybody in it, except where it is dealt once."""


def top_up(tournament: Tournament) -> int:
    """Draw blocks until as many are ready as shall be; how many. Call it with the tournament locked."""
    _withdraw(tournament)
    missing = tournament.blocks_planned - tournament.blocks.filter(over_at=None).count()
    if missing <= 0:
        return 0
    _enter(tournament)
    entrants = {entrant.number: entrant for entrant in tournament.entrants.select_related("version")}
    lately = _lately(tournament)
    first = rounds.next_number(tournament)
    asked = rounds.competition(tournament, [])
    groups = draw(_places(tournament), lately, size=asked.group_size, first=first, blocks=missing)
    planned = []
    for number, group in enumerate(groups, start=first):
        block = seated(group, lately, number=number, seats=tournament.seats, partners=asked.partners)
        for holders in compared(group, asked.group_size):
            lately.add(holders)
        seatings = [[entrants[who] for who in table] for table in block.tables]
        planned.append(rounds.Planned(number, 0, seatings))
    rounds.add_blocks(tournament, planned)
    return len(groups)


def ladders_of(version: Version) -> list[Tournament]:
    """The running ladders of the games that a version plays."""
    running = Tournament.objects.filter(
        format=Ladder.name, state=Tournament.State.RUNNING, published=True, game__in=version.games
    )
    return list(running.order_by("name"))


def left_out(version: Version, tournament: Tournament) -> str:
    """Why a remote version is not drawn on a ladder now; empty where it is, as for any other version."""
    if not version.remote:
        return ""
    if has_partners(tournament.game):
        return "partners must not see each other's cards, and one remote program would hold both hands"
    if too_quick_for_remote(tournament):
        return (
            f"a move takes {tournament.move_seconds:g} seconds there, and remote bots need"
            f" {REMOTE_MOVE_SECONDS_MIN:g} or more for the way over the network"
        )
    return "" if version.access.connected else "it is not connected"


def _withdraw(tournament: Tournament) -> None:
    """Take back blocks that have not begun and whose remote entrants have gone; nobody has seen a card."""
    for block in tournament.blocks.filter(dealt_once=True, over_at=None):
        tables = list(block.tables.select_for_update())  # no worker takes one up meanwhile
        seated = Version.objects.filter(entries__seats__table__block=block, remote=True)
        gone = any(left_out(version, tournament) for version in seated.select_related("access").distinct())
        if gone and not any(table.started_at for table in tables):
            Block.objects.filter(replaced_by=block).update(replaced_by=None)
            block.delete()


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
    drawn = Seat.objects.filter(ONE_SEAT_EACH, table__block__tournament=tournament)
    counted = drawn.values("entrant").annotate(
        blocks=Count("table__block", distinct=True), last=Max("table__block__number")
    )
    played = {row["entrant"]: (row["blocks"], row["last"]) for row in counted}
    ladder = ladder_for(tournament)
    snapshot = newest_snapshot(ladder) if ladder else None
    elo = dict(snapshot.ratings.values_list("version_id", "elo")) if snapshot else {}
    places = {}
    entrants = tournament.entrants.filter(disqualified_at=None)
    for entrant in entrants.select_related("version__bot__owner", "version__access"):
        version = entrant.version
        if left_out(version, tournament):
            continue
        blocks, last = played.get(entrant.pk, (0, -1))
        if version.may_play and (blocks < NEW_BELOW or version.bot.ranked_version_id == version.pk):
            author = version.bot.owner.username
            places[entrant.number] = Place(
                author=None if author == HOUSE else author,
                played=blocks,
                last=last,
                elo=elo.get(version.pk, 1500.0),
                remote=version.remote,
            )
    return places


def _lately(tournament: Tournament) -> Lately:
    since = rounds.next_number(tournament) - BLOCKS_REMEMBERED
    seats = Seat.objects.filter(
        ONE_SEAT_EACH, table__block__tournament=tournament, table__block__number__gte=since
    )
    groups: dict[tuple[int, int], set[int]] = defaultdict(set)
    for number, dealt_once, hand, entrant in seats.values_list(
        "table__block__number", "table__block__dealt_once", "number", "entrant__number"
    ):
        groups[number, hand if dealt_once else 0].add(entrant)
    lately = Lately()
    for group in groups.values():
        lately.add(group)
    return lately
