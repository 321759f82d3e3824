from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.errors import StichkampfError
from stichkampf.rating import leader_is_decided
from stichkampf.schedule import round_robin_blocks

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import (
    DECIDED,
    FIXED,
    Competition,
    Past,
    Seating,
)
from stichkampf_platform.tournaments.formats.groups import (
    check_block,
    missing_blocks,
    replacement_blocks,
    shared_first,
)
from stichkampf_platform.tournaments.formats.remote_blocks import blocks_dealt_once, check_dealt_once

BLOCKS_A_LOOK = 16
"""Until decided, the blocks between one look and the next."""
TRIED = 64
"""Blocks that are drawn to see whether a plan is possible."""


class RoundRobin(RoundFormat):
    """Every entrant meets every other equally often: by a balanced design where there is one, else greedily.

    Blocks are counted in all. Until decided, it ends as soon as the leader is proved better than each of the
    others by a confidence sequence, which stands any number of looks. With remote entrants a block is one
    deal, at which everybody is seated once.
    """

    name = "round-robin"
    title = gettext_lazy("Round robin")
    stopping = (FIXED, DECIDED)
    takes_remote = True

    def check(self, competition: Competition) -> None:
        if competition.stopping == DECIDED and competition.blocks <= BLOCKS_A_LOOK:
            raise RequestRefused(
                _(
                    "until decided, the first look is after {blocks_a_look} blocks: allow more than that,"
                    " or choose a fixed number of blocks"
                ).format(blocks_a_look=BLOCKS_A_LOOK)
            )
        if competition.remote:
            check_dealt_once(competition)
        check_block(competition)
        _plan(competition, min(competition.blocks, TRIED))

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        if competition.stopping == FIXED:
            return [] if past.rounds else _plan(competition, competition.blocks)
        if past.blocks >= competition.blocks or _leader(competition, past) is not None:
            return []
        until = min(past.blocks + BLOCKS_A_LOOK, competition.blocks)
        if not competition.out:
            return _plan(competition, until)[past.blocks :]
        return _plan_of_staying(competition, until - past.blocks)

    def further_blocks(self, competition: Competition, past: Past) -> list[list[Seating]]:
        if competition.stopping != FIXED:
            return []
        if not competition.staying.remote:
            return replacement_blocks(competition, past)
        return _plan_of_staying(competition, missing_blocks(competition, past))

    def tables_at_most(self, competition: Competition) -> int:
        self.check(competition)
        if not competition.remote:
            return competition.blocks * competition.tables_a_block
        tables = len(competition.authors) // competition.group_size
        return competition.blocks * tables

    def outcome(self, competition: Competition, past: Past) -> str:
        if competition.stopping == FIXED:
            return shared_first(competition, past)
        leader = _leader(competition, past)
        if leader is None:
            return Sentence("Not decided after {blocks} blocks.", blocks=past.blocks)
        return Sentence(
            "{name} is proved the best after {blocks} blocks.",
            name=competition.names[leader],
            blocks=past.blocks,
        )


def _plan(competition: Competition, blocks: int) -> list[list[Seating]]:
    """Return the first blocks; a longer plan begins with a shorter one."""
    if competition.remote:
        return blocks_dealt_once(replace(competition, blocks=blocks))
    plan = round_robin_blocks(
        sorted(competition.authors),
        competition.seats,
        blocks,
        partners=competition.partners,
        authors=competition.authors,
    )
    return [[list(table) for table in block.tables] for block in plan]


def _plan_of_staying(competition: Competition, blocks: int) -> list[list[Seating]]:
    """Return blocks of those who stay; none where too few do."""
    try:
        return _plan(competition.staying, blocks) if blocks else []
    except StichkampfError:
        return []


def _leader(competition: Competition, past: Past) -> int | None:
    leader = None if past.comparisons is None else leader_is_decided(past.comparisons)
    return None if leader in competition.out else leader
