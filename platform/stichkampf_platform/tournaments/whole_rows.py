"""Lists that are counted and put in order by few columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet


class WholeRows(Sequence[Any]):
    """The rows of a query in its order; of those that a page shows alone all that belongs to them is read.

    :param order: the query that chooses and orders them.
    :param whole: a query of the same model, with all that is shown of a row.
    """

    def __init__(self, order: QuerySet[Any], whole: QuerySet[Any]) -> None:
        self.order, self.whole = order, whole

    def __len__(self) -> int:
        return self.order.count()

    def __getitem__(self, at: Any) -> Any:
        keys = list(self.order.values_list("pk", flat=True)[at])
        rows = self.whole.in_bulk(keys)
        return [rows[key] for key in keys]
