"""`View`: the facts of a table as typed attributes.

A game has a view of its own in `stichkampf.games.views`, whose fields are named like its facts and secrets,
"card points" as `card_points`. `mypy` finds a field that is misspelt or taken for another type.
"""

from __future__ import annotations

from typing import ClassVar

from stichkampf.engine.deal import Deal
from stichkampf.engine.observation import Observation


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
        own = {name: name.replace("_", " ") for name in vars(cls).get("__annotations__", {})}
        cls.fields = cls.fields | own

    def __init__(self, deal: Deal, seat: int) -> None:
        super().__init__(deal, seat)
        for name, fact in self.fields.items():
            setattr(self, name, self.facts.get(fact))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.fields)
        return f"{type(self).__name__}({values})"
