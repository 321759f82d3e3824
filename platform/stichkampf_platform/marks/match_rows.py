"""Matches of bots as lists show them: in order, and of those on a page alone what is shown of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, overload

from django.db.models import QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.tournaments.block_rows import SeatRow, seats_at
from stichkampf_platform.tournaments.models import Result

COLUMNS = (
    *("seat__table_id", "seat__table__lane", "seat__table__finished_at", "seat__table__block__number"),
    *("seat__table__block__over_at", "seat__table__block__tournament__slug"),
    *("seat__table__block__tournament__name", "seat__table__block__tournament__game"),
    *("seat__table__block__tournament__rated", "faults"),
)
"""The fields of a result from which a `MatchRow` is read, in its order."""


@dataclass(frozen=True)
class MatchRow:
    """A match of a bot.

    :ivar cost: points of its costliest decision, where the list is in that order.
    :ivar own: its seat.
    :ivar seats: all at the table, its own among them.
    """

    table: int
    lane: int
    finished_at: datetime
    block: int
    over_at: datetime
    tournament: str
    tournament_name: str
    game: str
    rated: bool
    faults: int
    cost: float | None
    own: SeatRow
    seats: list[SeatRow]

    @property
    def page(self) -> str:
        """The address of the replay."""
        return localized(f"/r/{self.table}/")

    @property
    def block_name(self) -> str:
        return _("{tournament}, block {number}").format(
            tournament=self.tournament_name, number=self.block + 1
        )


class MatchRows(Sequence[MatchRow]):
    """The matches of a query in its order.

    Their keys are read once, which tells how many there are too: of a bot with thousands of matches, counting
    them takes as long as putting them in order.

    :param order: results that everybody who reads may see, with `cost`.
    """

    def __init__(self, order: QuerySet[Result]) -> None:
        self.order = order

    @cached_property
    def _keys(self) -> list[tuple[int, float | None]]:
        return list(self.order.values_list("pk", "cost"))

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, at: int) -> MatchRow: ...

    @overload
    def __getitem__(self, at: slice) -> list[MatchRow]: ...

    def __getitem__(self, at: int | slice) -> MatchRow | list[MatchRow]:
        if isinstance(at, int):
            (row,) = self._rows([self._keys[at]])
            return row
        return self._rows(self._keys[at])

    def _rows(self, keys: Sequence[tuple[int, float | None]]) -> list[MatchRow]:
        results = Result.objects.filter(pk__in=[key for key, _cost in keys]).order_by()
        columns = {key: fields for key, *fields in results.values_list("pk", *COLUMNS)}
        seats = seats_at({fields[0] for fields in columns.values()})
        rows = []
        for key, cost in keys:
            at_table = seats[columns[key][0]]
            own = next(seat for seat in at_table if seat.result == key)
            fields: list[Any] = [*columns[key], cost, own, at_table]
            rows.append(MatchRow(*fields))
        return rows
