"""Sources of the deals of a match: a seed, or the deals that a record lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from stichkampf.engine.deal import Carry, Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import Chance
from stichkampf.errors import RecordError


class Deals(Protocol):
    """A source of deals, asked in order."""

    def first_dealer(self) -> int: ...

    def dealt(self, number: int, carry: Carry) -> dict[str, Json]:
        """Return the chance fields of a deal, by its number from 0."""
        ...


class SeededDeals:
    """The deals of a 256-bit seed: label "dealer" draws the first dealer, "deal N" deal N (see `seeds`).

    >>> from stichkampf import new_game
    >>> game = new_game("stiche-raten", 3)
    >>> SeededDeals(game, bytes(32)).dealt(0, game.start())["hands"]
    [['C7'], ['SQ'], ['SA']]
    """

    def __init__(self, game: Game, seed: bytes) -> None:
        self._game = game
        self._seed = seed

    def first_dealer(self) -> int:
        return self._game.first_dealer(Chance(self._seed, "dealer"))

    def dealt(self, number: int, carry: Carry) -> dict[str, Json]:
        return self._game.shuffle(Chance(self._seed, f"deal {number}"), number, carry)


class RecordedDeals:
    """The deals of a match record, of which only the fields of chance are used.

    >>> from stichkampf import new_game
    >>> deals = [{"dealer": 2, "hands": [["D4"], ["SQ"], ["C2"]], "stock": [], "moves": [], "scores": []}]
    >>> source = RecordedDeals(new_game("stiche-raten", 3), deals)
    >>> source.first_dealer(), sorted(source.dealt(0, {}))
    (2, ['hands', 'stock'])
    """

    def __init__(self, game: Game, deals: Sequence[Mapping[str, Json]]) -> None:
        self._fields = game.chance_fields()
        self._deals = deals

    def first_dealer(self) -> int:
        dealer: int = self._deals[0]["dealer"]
        return dealer

    def dealt(self, number: int, carry: Carry) -> dict[str, Json]:
        """Return the chance fields of a deal, by its number from 0.

        :raises RecordError: the match goes on after the last deal of the record.
        """
        if number >= len(self._deals):
            raise RecordError(
                f"the record lists {len(self._deals)} deals, but the match is not over after them"
            )
        return {name: value for name, value in self._deals[number].items() if name in self._fields}
