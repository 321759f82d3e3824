"""Base classes of the formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.tournaments.formats.competition import (
    DECIDED,
    FIXED,
    Competition,
    Past,
    Seating,
    Standing,
)


@dataclass(frozen=True)
class TieBreak:
    """A criterion between equals, which stands in a column of its own.

    :ivar title: the head of the column.
    :ivar meaning: one sentence below the table.
    """

    name: str
    title: str
    meaning: str


class Format(ABC):
    """A way to choose who plays whom. Pure: the same competition and past give the same blocks, every time.

    Two entrants of one author never share a table, unless the format says so.

    :cvar stopping: the stopping rules that make sense here.
    :cvar takes_rounds: true if the organiser chooses the number of rounds.
    :cvar takes_remote: true if it can deal a hand to each entrant once only, as remote ones need it.
    :cvar endless: true if it never ends, and versions enter by themselves.
    :cvar names_first: true if one entrant has a part of its own and has to be named.
    :cvar why_closed: the reason why authors cannot enter bots themselves; empty where they can.
    :cvar shows_rounds: true if pages name the round of each block.
    :cvar ranks: true if it has an order of its own; else Elo ranks.
    :cvar knocks_out: true if only a part of each group goes on.
    :cvar tie_breaks: what separates equals, in order.
    :cvar unit: the share of a tournament that its number of blocks is for, as in "2 blocks for each group".
    """

    name: ClassVar[str]
    title: ClassVar[str]
    stopping: ClassVar[tuple[str, ...]] = (FIXED,)
    takes_rounds: ClassVar[bool] = False
    takes_remote: ClassVar[bool] = False
    endless: ClassVar[bool] = False
    names_first: ClassVar[bool] = False
    why_closed: ClassVar[str] = ""
    shows_rounds: ClassVar[bool] = False
    ranks: ClassVar[bool] = False
    knocks_out: ClassVar[bool] = False
    tie_breaks: ClassVar[tuple[TieBreak, ...]] = ()
    unit: ClassVar[str] = ""

    @abstractmethod
    def check(self, competition: Competition) -> None:
        """Check that such a tournament is possible.

        :raises StichkampfError: it is not; the message says which one would be.
        """

    def tables_at_most(self, competition: Competition) -> int | None:
        """Count the tables that a tournament can come to, by arithmetic; `None` for one without an end.

        Further blocks that settle a tie, and those that follow from a ruling, come on top.

        :raises StichkampfError: it is not possible with these entrants.
        """
        return None

    def describe_length(self, *, blocks: int, rounds: int | None, stopping: str) -> str:
        """Describe in words how long a tournament is."""
        if self.endless:
            return _("without an end")
        counted = ngettext("{count} block", "{count} blocks", blocks).format(count=plain(blocks))
        if self.unit:
            counted = f"{counted} {self.unit}"
        if self.takes_rounds:
            told = ngettext("{rounds} round with {counted}", "{rounds} rounds with {counted}", rounds or 0)
            counted = told.format(rounds=rounds, counted=counted)
        return _("at most {counted}").format(counted=counted) if stopping == DECIDED else counted


class RoundFormat(Format):
    """A format that comes to an end, drawn round by round."""

    @abstractmethod
    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        """Draw the next round, once every block before is over: by block, the seatings of its tables.

        Table r is played in lane r. The past is empty before the first round; no blocks end the tournament.
        """

    @abstractmethod
    def tables_at_most(self, competition: Competition) -> int: ...

    def further_blocks(self, competition: Competition, past: Past) -> list[list[Seating]]:
        """Draw further blocks of the last round, once all its blocks are over, as long as it needs any.

        It needs them where a tie has to be settled, or a group plays again; only without any it is over.
        """
        return []

    def standings(self, competition: Competition, past: Past) -> list[Standing]:
        """Rank the entrants after rounds that are all over, first to last; none where Elo ranks them."""
        return []

    def rest_worth(self, competition: Competition, past: Past, entrant: int) -> float | None:
        """Return what a round without a table is worth to an entrant; `None` where points are not counted."""
        return None

    def outcome(self, competition: Competition, past: Past) -> str:
        """Say in a `Sentence` what the end proved; empty where the standings say it all."""
        return ""


class GoneFormat(RoundFormat):
    """The format of a tournament that is called after none, such as one of another release."""

    def __init__(self, name: str) -> None:
        self.title = name  # type: ignore[misc]

    def check(self, competition: Competition) -> None:
        raise RequestRefused(_("there is no format {name} any more").format(name=self.title))

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        self.check(competition)
        return []

    def tables_at_most(self, competition: Competition) -> int:
        self.check(competition)
        return 0
