"""The figures of a rating: a row each, of which pages, API, files and documents take their columns.

One more is a row here, with a field and a migration where it is stored and not of the rating itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import models
from django.utils.translation import gettext_lazy

from stichkampf_platform.core import number_formats
from stichkampf_platform.ratings.rating_rows import SeatColumns


@dataclass(frozen=True)
class Figure:
    """A row.

    :ivar meaning: in English, for the API and documents.
    :ivar heading: of its column on the page of a ladder; empty where another column of the page has it.
    :ivar under: the words of a smaller line of the heading.
    :ivar below: the figure that this smaller line of a cell has.
    :ivar written: writes it in the language of the reader, where there is one.
    :ivar kind: `second` and `third` columns go first from narrow screens.
    :ivar counted: makes it of a version's rows; what has no such function comes of the rating itself.
    """

    meaning: str
    heading: Any = ""
    under: Any = ""
    below: str = ""
    written: Callable[[float], str] = number_formats.plain
    kind: str = "third"
    counted: Callable[[SeatColumns], float | None] | None = None


class CountedFigures(models.Model):
    """The fields of what is counted in the rows of a version, and not rated."""

    deals = models.PositiveIntegerField(default=0)
    fault_permille = models.FloatField(default=0)
    median_ms = models.FloatField(null=True, blank=True)

    class Meta:
        abstract = True

    def count(self, rows: SeatColumns) -> None:
        """Count each figure in the rows of its version."""
        for name, figure in FIGURES.items():
            if figure.counted is not None:
                setattr(self, name, figure.counted(rows))

    def written(self, name: str) -> str:
        """Write a figure of this rating in the language of the reader."""
        number = getattr(self, name)
        return number_formats.DASH if number is None else FIGURES[name].written(number)


def _fault_permille(rows: SeatColumns) -> float:
    decisions = int(rows.decisions.sum())
    return 1000 * int(rows.faults.sum()) / decisions if decisions else 0.0


def _median_ms(rows: SeatColumns) -> float | None:
    times = rows.median_ms[~np.isnan(rows.median_ms)]
    return float(np.median(times)) if len(times) else None


FIGURES: Mapping[str, Figure] = {
    "elo": Figure("Its strength; the mean of the anchors is 1500."),
    "plus_minus": Figure("Half the width of its 95% interval; empty with one block."),
    "blocks": Figure("Rated blocks in which it played."),
    "comparisons": Figure("Hands that it and another held."),
    "rank_best": Figure("The first rank that its interval leaves open."),
    "rank_worst": Figure("The last one."),
    "provisional": Figure("True before its twentieth block."),
    "anchor": Figure("True for those whose mean is 1500."),
    "deals": Figure(
        "Deals of these blocks.", gettext_lazy("Deals"), gettext_lazy("blocks"), below="blocks",
        kind="second", counted=lambda rows: int(rows.deals.sum()),
    ),
    "fault_permille": Figure(
        "Faults in a thousand decisions.", gettext_lazy("Faults"), written=number_formats.frequency,
        counted=_fault_permille,
    ),
    "median_ms": Figure(
        "Median thinking time of a decision in milliseconds; empty where none was measured.",
        gettext_lazy("Median"), gettext_lazy("a decision"), written=number_formats.duration,
        counted=_median_ms,
    ),
}  # fmt: skip
"""By name, in the order of API and CSV."""


def columns() -> list[tuple[str, Figure]]:
    """Return the figures that have a column of their own on the page of a ladder."""
    return [(name, figure) for name, figure in FIGURES.items() if figure.heading]
