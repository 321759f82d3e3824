"""Blocks and tables as lists show them: with their entrants, of which few columns are read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.functional import cached_property

from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.tournaments.models import Block, Entrant, Result, Seat, Table


class BlockEntrant(NamedTuple):
    """An entrant of a block.

    :ivar number: its place in the schedule.
    :ivar house: the house bot that plays, if it is one.
    """

    number: int
    author: str
    slug: str
    version: int
    house: str

    def __str__(self) -> str:
        return f"{self.house or f'{self.author}/{self.slug}'} v{self.version}"

    @property
    def full_name(self) -> str:
        return f"{self.author}/{self.slug} v{self.version}"


@dataclass
class BlockRow:
    """Tables and entrants of a block.

    :ivar tables: id and state of each table, by lane.
    :ivar entrants: in the order of the schedule; none while everybody may not see them.
    """

    tables: list[tuple[int, str]] = field(default_factory=list)
    entrants: list[BlockEntrant] = field(default_factory=list)

    @cached_property
    def states(self) -> Counter[str]:
        """The number of tables by state."""
        return Counter(state for _, state in self.tables)


def rows_of(blocks: Collection[Block]) -> dict[int, BlockRow]:
    """Return the rows of blocks by their ids, with three queries for all of them."""
    rows = {block.pk: BlockRow() for block in blocks}
    tables = Table.objects.filter(block__in=list(rows)).order_by("block_id", "lane")
    for block, table, state in tables.values_list("block_id", "pk", "state"):
        rows[block].tables.append((table, state))
    shown = [block.pk for block in blocks if block.shows_seats]
    seats = Seat.objects.filter(table__block__in=shown).order_by()
    played: dict[int, list[int]] = defaultdict(list)
    for block, entrant in seats.values_list("table__block_id", "entrant_id").distinct():
        played[block].append(entrant)
    known = _entrants({entrant for entrants in played.values() for entrant in entrants})
    for block, entrants in played.items():
        rows[block].entrants = sorted(known[entrant] for entrant in entrants)
    return rows


def _entrants(keys: Collection[int]) -> dict[int, BlockEntrant]:
    of_version = ("bot__owner__username", "bot__slug", "number", "house")
    lines = Entrant.objects.filter(pk__in=keys).order_by()
    columns = lines.values_list("pk", "number", *(f"version__{name}" for name in of_version))
    return {key: BlockEntrant(*names) for key, *names in columns}


class SeatRow(NamedTuple):
    """A seat at a played table, with its result."""

    result: int
    number: int
    author: str
    slug: str
    name: str
    version_id: int
    version: int
    score: int
    rank: int
    forfeited: bool
    decisions: int
    median_ms: float | None

    @property
    def bot(self) -> str:
        return f"{self.author}/{self.slug}"

    @property
    def bot_address(self) -> str:
        return localized(f"/bots/{self.bot}/")


SEAT_COLUMNS = (
    *("pk", "seat__number", "seat__entrant__version__bot__owner__username"),
    *("seat__entrant__version__bot__slug", "seat__entrant__version__bot__name"),
    *("seat__entrant__version_id", "seat__entrant__version__number"),
    *("score", "rank", "forfeited", "decisions", "median_ms"),
)
"""The fields of a result from which `SeatRow` is read, in its order."""


def seats_at(tables: Collection[int]) -> dict[int, list[SeatRow]]:
    """Return the seats of tables by the ids of these, which the reader may see; of one not played, none."""
    seats: dict[int, list[SeatRow]] = {table: [] for table in tables}
    results = Result.objects.filter(seat__table__in=tables).order_by("seat__table_id", "seat__number")
    for table, *columns in results.values_list("seat__table_id", *SEAT_COLUMNS):
        seats[table].append(SeatRow(*columns))
    return seats
