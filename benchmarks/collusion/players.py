"""The field: twelve honest bots, and a giver that takes the place of one of them.

The taker shows itself by its pain card, whose number in the deck is a multiple of four where it can be. The
giver looks for the seat that does so deal after deal, feeds it and hurts the others. No channel outside the
game is used. The spoiler is what the giver would be without a friend: it hurts everybody alike.
"""

from __future__ import annotations

from collections.abc import Callable

from stichkampf.bots.bot import Bot
from stichkampf.bots.practice import Entrant, entrant
from stichkampf.bots.registry import house_bot
from stichkampf.bots.thumbs import sticheln as thumb
from stichkampf.bots.thumbs.tricks import card_of, holder
from stichkampf.match.table import Table

HOUSE = ("thumb", "glimpse", "worrier", "timid", "bold", "random")
SLIPS = (0.05, 0.1, 0.2, 0.35)
TAKER, GIVER, SPOILER = "taker", "giver", "spoiler"


def players() -> dict[str, Entrant]:
    """All thirteen by name; the giver last."""
    house = {name: entrant(name) for name in HOUSE}
    slips = {f"slip-{slip:.2f}": Entrant(f"slip-{slip:.2f}", _slipping(slip)) for slip in SLIPS}
    own = {TAKER: Taker, SPOILER: Spoiler, GIVER: Giver}
    return house | slips | {name: Entrant(name, make) for name, make in own.items()}


def is_sign(card: str) -> bool:
    """Tell whether a pain card says "it is me".

    >>> is_sign("R4"), is_sign("R5")
    (True, False)
    """
    return (15 * "RYGBOV".index(card[0]) + int(card[1:])) % 4 == 0


class Taker(Bot):
    """Thumb, with a pain card that is a sign."""

    games = ("sticheln",)

    def choose(self, table: Table) -> str:
        if table.legal[0].startswith("pain"):
            return _pain(table, sign=True)
        return thumb.choose(table)


class Spoiler(Bot):
    """Hurt the player who holds the trick."""

    games = ("sticheln",)

    def choose(self, table: Table) -> str:
        if table.legal[0].startswith("pain"):
            return _pain(table, sign=False)
        friend = self.friend(table)
        pains = [card[0] for card in table.facts["pain"]]
        return max(table.legal, key=lambda action: _worth(table, card_of(action), friend, pains))

    def friend(self, table: Table) -> int | None:
        """The seat that is fed."""
        return None


class Giver(Spoiler):
    """Feeds the seat that has shown the sign most often."""

    def __init__(self) -> None:
        self._marks: dict[int, int] = {}
        self._seen = -1

    def friend(self, table: Table) -> int | None:
        if table.deal_number != self._seen:
            self._seen = table.deal_number
            for seat, card in enumerate(table.facts["pain"]):
                self._marks[seat] = self._marks.get(seat, 0) + (1 if is_sign(card) else -3)
        others = [seat for seat in range(table.seats) if seat != table.seat]
        return max(others, key=lambda seat: self._marks[seat])


def _pain(table: Table, *, sign: bool) -> str:
    fitting = [action for action in table.legal if is_sign(card_of(action)) == sign]
    return min(fitting or table.legal, key=lambda action: thumb.pain(table, card_of(action)))


def _worth(table: Table, card: str, friend: int | None, pains: list[str]) -> float:
    taker = holder(table, f"play {card}")
    if taker == friend:
        return 3.0 * thumb.points(card, pains[taker])
    if taker == table.seat:
        trick = sum(thumb.points(taken, pains[taker]) for taken in [*(c for _, c in table.trick), card])
        return 0.3 * trick
    return -1.0 * thumb.points(card, pains[taker]) if taker >= 0 else 0.0


def _slipping(slip: float) -> Callable[[], Bot]:
    class Slipping(Bot):
        """Thumb, but for a share of the moves, which chance makes."""

        def __init__(self) -> None:
            self._thumb = house_bot("thumb")()

        def choose(self, table: Table) -> str:
            chosen = self._thumb.choose(table)
            if table.rng.random() < slip:
                return table.rng.choice(table.legal)
            return chosen if isinstance(chosen, str) else chosen[0]

    return Slipping
