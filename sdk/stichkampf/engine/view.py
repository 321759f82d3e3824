"""`Observation`: what one seat knows of a deal, by the names that its game declares; `View`: the same as
typed attributes.

What shows a seat its knowledge is made of an observation: the views of bots, the vectors of environments, the
strings of OpenSpiel. The compiled encoders of batches and data sets write the same in bits, without words; a
test compares the two part by part.

A game has a view of its own in `stichkampf.games.views`, whose fields are named like its facts and secrets,
"card points" as `card_points`. `mypy` finds a field that is misspelt or taken for another type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from stichkampf.engine.deal import Deal, Facts


class Observation:
    """The facts and secrets that have a value for a seat.

    :param facts: where the caller has them already.
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
        self.facts: Facts = deal.facts() | deal.secrets(seat) if facts is None else facts

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


class View(Observation):
    """An observation with its facts and secrets as attributes; `Table.view` makes it.

    >>> from stichkampf.games import new_game
    >>> from stichkampf.games.views import SticheRatenView
    >>> from stichkampf.engine.seeds import Chance
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> view = SticheRatenView(deal.information_set(1), 1)
    >>> view
    SticheRatenView(bids=[None, None, None], round=1, tricks=[0, 0, 0], trump='C', turned='CK')
    >>> view.needed(1) is None
    True

    A field whose fact has no value at this moment is None.

    :cvar fields: the names of the fields, each with the fact or secret that it holds.
    """

    fields: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name: name.replace("_", " ") for name in cls.__annotations__}
        cls.fields = cls.fields | own

    def __init__(self, deal: Deal, seat: int) -> None:
        super().__init__(deal, seat)
        for name, fact in self.fields.items():
            setattr(self, name, self.facts.get(fact))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.fields)
        return f"{type(self).__name__}({values})"
