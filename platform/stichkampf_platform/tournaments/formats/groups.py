"""Groups that play some blocks together, as Swiss and knock-out do."""

from __future__ import annotations

from collections.abc import Iterable

from stichkampf.schedule import block_of

from stichkampf_platform.tournaments.formats.competition import Competition, Seating


def blocks_of(competition: Competition, groups: Iterable[Iterable[int]]) -> list[list[Seating]]:
    """The blocks of a round: each group plays `competition.blocks` of them, in a new order each time."""
    plan = []
    for group in groups:
        seated = sorted(group)
        for turn in range(competition.blocks):
            block = block_of(seated, competition.seats, turn, partners=competition.partners)
            plan.append([list(table) for table in block.tables])
    return plan


def may_meet(competition: Competition, entrant: int, group: Iterable[int]) -> bool:
    """Tell whether an entrant has another author than all of the group."""
    author = competition.authors[entrant]
    return author is None or all(competition.authors[other] != author for other in group)
