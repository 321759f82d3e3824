"""Figures: the result of one measurement."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import median
from time import monotonic, process_time

HEADING = f"{'':<12}{'tables':>7}{'decisions/s':>14}{'CPU us each':>14}{'p50 us':>10}{'p99 us':>10}"

PATIENCE_SECONDS = 120.0


@dataclass
class Figure:
    """One measurement of the arbiter's side.

    :ivar waits: by decision, seconds from question to answer.
    :ivar charges: by decision, seconds that the clock charged; bots decide at once, so all of it is error.
    :ivar played: number of tables that have received an answer.
    """

    name: str
    tables: int
    waits: list[float] = field(default_factory=list)
    charges: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    played: int = 0

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return len(self.waits) / self.seconds

    @property
    def cpu_us(self) -> float:
        """The arbiter's CPU time for a decision, in microseconds."""
        return self.cpu_seconds / len(self.waits) * 1e6

    @property
    def p50(self) -> float:
        return quantile(self.waits, 0.5)

    @property
    def p99(self) -> float:
        return quantile(self.waits, 0.99)

    @property
    def clock_error(self) -> float:
        """The p99 of the charges, in seconds."""
        return quantile(self.charges, 0.99)


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def table_row(figures: Sequence[Figure]) -> str:
    """Format the medians of one measurement over its rounds, as a row below `HEADING`."""
    rate, cpu_us, p50, p99 = (
        median(getattr(figure, what) for figure in figures) for what in ("rate", "cpu_us", "p50", "p99")
    )
    what = f"{figures[0].name:<12}{figures[0].tables:>7}"
    return f"{what}{rate:>14,.0f}{cpu_us:>14.1f}{p50 * 1e6:>10,.0f}{p99 * 1e6:>10,.0f}"


@asynccontextmanager
async def measured(figure: Figure, seconds: float) -> AsyncIterator[None]:
    """Wait until all tables play, then measure for a while.

    :raises TimeoutError: a table received no answer within two minutes.
    """
    deadline = monotonic() + PATIENCE_SECONDS
    while figure.played < figure.tables:
        if monotonic() > deadline:
            raise TimeoutError(f"{figure.name}: only {figure.played} of {figure.tables} tables play")
        await asyncio.sleep(0.01)
    await asyncio.sleep(seconds / 5)
    figure.waits.clear()
    figure.charges.clear()
    wall, cpu = monotonic(), process_time()
    await asyncio.sleep(seconds)
    figure.seconds, figure.cpu_seconds = monotonic() - wall, process_time() - cpu
    figure.waits, figure.charges = list(figure.waits), list(figure.charges)
    yield
