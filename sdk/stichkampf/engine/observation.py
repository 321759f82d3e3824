"""`Observation`: what one seat knows of a deal at one moment, by the names that its game declares.

What shows a seat its knowledge is made of one: the typed views of bots, the vectors of environments, the
strings of OpenSpiel. The compiled encoders of batches and data sets write the same in bits, without words; a
test compares the two part by part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stichkampf.engine.deal import Deal, Facts


class Observation:
    """The facts and secrets that have a value for a seat.

    :param facts: the public ones, where the caller has them already.
    :ivar deal: the deal; as far as the seat knows it, or whole.
    :ivar seat: whose knowledge it is, from 0.
    :ivar facts: by name, the declared facts and secrets.

    >>> from stichkampf.testing import table_at
    >>> table = table_at("sticheln", 4, seed="docs", phase="tricks")
    >>> seen = Observation(table.deal, table.seat)
    >>> seen.facts["pain"], seen.numbers_of("tricks", 4), list(seen.texts_of("pain"))[:2]
    (['B6', 'R0', 'O3', 'R4'], [0, 0, 0, 0], ['B6', '0 B6'])
    """

    def __init__(self, deal: Deal, seat: int, facts: Facts | None = None) -> None:
        self.deal = deal
        self.seat = seat
        public = deal.facts() if facts is None else facts
        self.facts: Facts = {**public, **deal.secrets(seat)}

    def numbers_of(self, name: str, length: int) -> list[int]:
        """Return what lists numbers (`Fact.counts`), 0 for each that is missing."""
        return [number or 0 for number in self.facts.get(name) or [0] * length]

    def texts_of(self, name: str) -> Iterator[str]:
        """Yield what has words (`Fact.texts`); those of a list also with the index of their entry."""
        value: Any = self.facts.get(name)
        if isinstance(value, list):
            for index, entry in enumerate(value):
                for word in entry if isinstance(entry, list) else [entry]:
                    yield str(word)
                    yield f"{index} {word}"
        elif value is not None:
            yield str(value)

    def key(self) -> list[int]:
        """List numbers that are equal for deals which the seat cannot tell apart, and for no others."""
        return self.deal.information_set(self.seat).key()
