"""Past blocks in which a version could take the seat of another one of its bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.faults import FAULT_ALLOWANCE

from stichkampf_platform.bots.models import Version
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.models import User
from stichkampf_platform.ratings.rating_rows import rated_tournaments, whole_blocks
from stichkampf_platform.tournaments.models import Block, Seat, Tournament
from stichkampf_platform.tournaments.shown import shown_to

LOOKED_AT = 2000
"""The past blocks, newest first, among which those that can be played again are chosen."""

REMOTE, PRESENT, CLOCK, AWAY, REFUSES = "remote", "present", "clock", "away", "refuses"
REASONS = {
    REMOTE: gettext_lazy("dealt to a bot on its author's machine, which would remember the cards"),
    PRESENT: gettext_lazy("with both versions"),
    CLOCK: gettext_lazy("under another time control"),
    AWAY: gettext_lazy("with a bot that cannot play any more"),
    REFUSES: gettext_lazy("with a bot whose owner refuses challenges"),
}
"""The reasons for which a block cannot be played again, in words that follow "blocks"."""


@dataclass(frozen=True)
class PastBlock:
    """A block to be played again.

    :ivar seatings: by table and seat, the ids of the versions that sat there.
    """

    block: Block
    seatings: list[list[int]]


@dataclass
class PastBlocks:
    """The blocks that were chosen, and the number of those left out by the reason."""

    blocks: list[PastBlock] = field(default_factory=list)
    opponents: list[Version] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)


def choose(*, version: Version, against: Version, ladder: Ladder, most: int, by: User) -> PastBlocks:
    """Choose the newest rated blocks of `against` in which `version` can sit in its place.

    Those that come after the last one chosen are not counted as left out.
    """
    found, left_out = PastBlocks(), Counter[str]()
    opponents: dict[int, Version] = {}
    for block in _played_by(against, ladder)[:LOOKED_AT]:
        if len(found.blocks) == most:
            break
        tables = block.tables.all()
        seatings = [[seat.entrant.version for seat in table.seats.all()] for table in tables]
        others = {who.pk: who for seating in seatings for who in seating if who.pk != against.pk}
        reason = _obstacle(block, version, others, by)
        if reason:
            left_out[reason] += 1
            continue
        opponents |= others
        found.blocks.append(PastBlock(block, [[who.pk for who in seating] for seating in seatings]))
    found.opponents = [opponents[pk] for pk in sorted(opponents)]
    found.left_out = dict(left_out)
    return found


def in_words(left_out: Mapping[str, int]) -> str:
    """Return what was left out, to follow a sentence; empty where nothing was.

    >>> in_words({"away": 3})
    '; left out: 3 with a bot that cannot play any more'
    """
    told = [f"{number} {REASONS[reason]}" for reason, number in left_out.items() if reason in REASONS]
    return _("; left out: {reasons}").format(reasons=", ".join(told)) if told else ""


def _played_by(version: Version, ladder: Ladder) -> QuerySet[Block]:
    """Return the rated blocks of a version that count and that everybody may see, newest first."""
    sat = Seat.objects.filter(table__block=OuterRef("pk"), entrant__version=version)
    blocks = whole_blocks().filter(
        Exists(sat), tournament__in=rated_tournaments(ladder).filter(shown_to(None)), replaced_by=None
    )
    return (
        blocks.select_related("tournament")
        .prefetch_related("tables__seats__entrant__version__bot__owner")
        .order_by("-over_at", "-pk")
    )


def _obstacle(block: Block, version: Version, others: Mapping[int, Version], by: User) -> str:
    """Return the reason for which a block cannot be played again; empty if it can."""
    if block.dealt_once or any(who.remote for who in others.values()):
        return REMOTE
    if version.pk in others:
        return PRESENT
    if not _has_usual_clock(block.tournament):
        return CLOCK
    if not all(who.may_play for who in others.values()):
        return AWAY
    refusing = (who for who in others.values() if not who.bot.accepts_challenges)
    if any(who.bot.owner_id != by.pk for who in refusing):
        return REFUSES
    return ""


def _has_usual_clock(tournament: Tournament) -> bool:
    usual = ("move_seconds", "bank_seconds", "cap_seconds")
    defaults = {name: Tournament._meta.get_field(name).default for name in usual}
    same_clock = all(getattr(tournament, name) == value for name, value in defaults.items())
    return same_clock and tournament.fault_allowance == FAULT_ALLOWANCE
