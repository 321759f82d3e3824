"""The permanent ladders: versions enter by themselves, and a few blocks are always ready."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from django.db.models import Max, Q

from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.tournaments import kept_progress
from stichkampf_platform.tournaments.entry.consent import enters_by_itself
from stichkampf_platform.tournaments.entry.membership import vouched_for
from stichkampf_platform.tournaments.formats.ladder import RecentBlocks, compared, draw, seated
from stichkampf_platform.tournaments.formats.ladder_turns import Candidate
from stichkampf_platform.tournaments.models import Block, Entrant, Seat, Tournament
from stichkampf_platform.tournaments.scheduling import rounds
from stichkampf_platform.tournaments.scheduling.ladder_field import (
    SLOW,
    field_of,
    left_out,
)
from stichkampf_platform.tournaments.scheduling.strength import strength_by_version
from stichkampf_platform.tournaments.scheduling.suspicion import suspect_pairs, too_often_together

ONE_SEAT_EACH = Q(table__lane=0) | Q(table__block__dealt_once=True)
"""The first table of a block has everybody in it, except where it is dealt once."""
BLOCKS_REMEMBERED = 2000
"""Blocks that are looked back at for meetings."""


def top_up(tournament: Tournament) -> int:
    """Draw blocks until enough are ready; return how many. Call it with the tournament locked."""
    _withdraw(tournament)
    missing = tournament.blocks_planned - tournament.blocks.filter(over_at=None).count()
    if missing <= 0 and not tournament.rests:
        return 0
    _enter(tournament)
    if tournament.rests and _first_block_is_due(tournament):
        missing += tournament.blocks_planned
    if missing <= 0:
        return 0
    field = field_of(tournament, strength_by_version(tournament.ladder))
    if all(candidate.settled for candidate in field.candidates.values()):
        return 0  # before the past is read, since a ladder that rests is asked with every sweep
    lately = _lately(tournament)
    lately.newcomer_blocks = field.newcomer_blocks
    lately.seats.update(_seats_of_others(tournament, field.candidates, lately.seats))
    first = rounds.next_number(tournament)
    asked = rounds.competition(tournament, [])
    entrants = {entrant.number: entrant for entrant in tournament.entrants.select_related("version")}
    playing = {entrants[number].version_id: number for number in field.candidates}
    apart = _to_separate(playing, vouched_for([tournament]), lately, asked.group_size)
    groups = draw(field.candidates, lately, size=asked.group_size, first=first, blocks=missing, apart=apart)
    planned = []
    for number, group in enumerate(groups, start=first):
        block = seated(group, lately, number=number, seats=tournament.seats, partners=asked.partners)
        for holders in compared(group, asked.group_size):
            lately.add(holders)
        seatings = [[entrants[who] for who in table] for table in block.tables]
        planned.append(rounds.PlannedBlock(number, 0, seatings))
    rounds.add_blocks(tournament, planned)
    return len(groups)


def _withdraw(tournament: Tournament) -> None:
    """Take back blocks that have not begun and whose remote entrants have gone: no card has been seen."""
    taken_back = False
    # a worker that stores a result locks a block before its tables, too
    for block in tournament.blocks.select_for_update().filter(dealt_once=True, over_at=None):
        tables = list(block.tables.select_for_update())  # no worker takes one up meanwhile
        seated = Version.objects.filter(entries__seats__table__block=block, remote=True)
        gone = any(
            left_out(version, tournament)
            for version in seated.select_related("access", "bot__owner").distinct()
        )
        if gone and not any(table.started_at for table in tables):
            Block.objects.filter(replaced_by=block).update(replaced_by=None)
            block.delete()
            taken_back = True
    if taken_back:
        kept_progress.count_again(tournament.pk)


def _enter(tournament: Tournament) -> None:
    """Enter the newest version of each bot that has been approved since."""
    known = set(tournament.entrants.values_list("version_id", flat=True))
    newest = {version.bot_id: version for version in playable_versions(tournament.game)}
    members = set(tournament.members.values_list("person", flat=True))
    new = [
        version
        for version in newest.values()
        if version.pk not in known
        and not (tournament.rests and version.house in SLOW)
        and enters_by_itself(version, tournament, members)
    ]
    last = tournament.entrants.aggregate(last=Max("number"))["last"]
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, version=version, number=number)
        for number, version in enumerate(new, start=0 if last is None else last + 1)
    )


def _first_block_is_due(tournament: Tournament) -> bool:
    """Tell whether a submitted bot has never been drawn: it does not wait until a ready block is over."""
    submitted = tournament.entrants.filter(version__house="", out_at=None, seats=None)
    return submitted.filter(version__state=Version.State.APPROVED).exists()


def _to_separate(
    playing: dict[int, int], vouched: set[int], lately: RecentBlocks, size: int
) -> list[frozenset[int]]:
    """Return the suspected pairs that meet too often to be measured, by their numbers as entrants.

    :param playing: the numbers by version.
    :param vouched: ids of people who are known to be people of their own.
    """
    suspected = suspect_pairs(playing, vouched)
    suspects = [frozenset(playing[version] for version in pair) for pair in suspected]
    return too_often_together(suspects, lately.met, size=size)


def _seats_of_others(
    tournament: Tournament, candidates: Mapping[int, Candidate], seats: Mapping[int, int]
) -> Counter[int]:
    """Count seats of entrants outside the field, such as older versions, for one of their author in it."""
    of_author = {candidate.author: number for number, candidate in candidates.items()}
    owners = tournament.entrants.values_list("number", "version__bot__owner__username")
    counted: Counter[int] = Counter()
    for number, owner in owners:
        if number not in candidates and owner in of_author:
            counted[of_author[owner]] += seats.get(number, 0)
    return counted


def _lately(tournament: Tournament) -> RecentBlocks:
    since = rounds.next_number(tournament) - BLOCKS_REMEMBERED
    seats = Seat.objects.filter(
        ONE_SEAT_EACH, table__block__tournament=tournament, table__block__number__gte=since
    )
    groups: dict[tuple[int, int], set[int]] = defaultdict(set)
    for number, dealt_once, hand, entrant in seats.values_list(
        "table__block__number", "table__block__dealt_once", "number", "entrant__number"
    ):
        groups[number, hand if dealt_once else 0].add(entrant)
    lately = RecentBlocks()
    for group in groups.values():
        lately.add(group)
    return lately
