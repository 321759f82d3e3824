"""The narrator: makes the events of a match, for any game, and notes who may see each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from stichkampf.engine.deal import Deal, Json
from stichkampf.errors import StichkampfError
from stichkampf.match.events import Event

ONLOOKER = 7  # the observer who holds no seat
ALL_HANDS = 8  # the observer who sees all hands

View = tuple[int, str]  # mask of observers, and the words that they see


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)
class Narrator:
    """The log of one match.

    :ivar log: (mask, event) in order; bit s of the mask is seat s, bit 7 an onlooker, bit 8 all hands.

    >>> narrator = Narrator(3)
    >>> narrator.tell(Event("phase", text="bidding"))
    >>> [event.text for event in narrator.events(ONLOOKER, since=0)]
    ['bidding']
    """

    def __init__(self, seats: int) -> None:
        self.log: list[tuple[int, Event]] = []
        self._seats = seats
        self._all = (1 << seats) - 1 | 1 << ONLOOKER | 1 << ALL_HANDS
        self._facts: dict[str, Json] = {}
        self._secrets: list[dict[str, Json]] = []
        self._phase = ""
        self._tricks = 0

    def tell(self, event: Event) -> None:
        """Tell all observers of an event."""
        self.log.append((self._all, event))

    def new_deal(self, number: int, dealer: int, deal: Deal) -> None:
        """Tell of a deal at its first decision: to each seat its own hand, then all facts."""
        hands = [deal.hand(s) for s in range(deal.seats)]
        sizes = {"sizes": [deal.hand_size(s) for s in range(deal.seats)]}
        for s in range(self._seats):
            self.log.append((1 << s, Event("deal", dealer, "", tuple(hands[s]), (number,), sizes)))
        self.log.append((1 << ONLOOKER, Event("deal", dealer, "", (), (number,), sizes)))
        open_hands = {**sizes, "hands": hands}
        self.log.append((1 << ALL_HANDS, Event("deal", dealer, "", (), (number,), open_hands)))
        self._tricks = 0
        self._phase = deal.phase()
        self._facts = deal.facts()
        self._secrets = [deal.secrets(s) for s in range(self._seats)]
        self.tell(Event("phase", text=self._phase))
        told = 0
        for s in range(self._seats):
            if self._secrets[s]:
                told |= 1 << s
                self.log.append((1 << s, Event("facts", facts={**self._facts, **self._secrets[s]})))
        self.log.append((self._all & ~told, Event("facts", facts=self._facts)))

    def views(self, deal: Deal, seat: int, action: int, word: str) -> list[View]:
        """The words that each observer will see of an action about to be applied.

        Words that an onlooker sees in full are seen by all.
        """
        onlooker = deal.seen_as(-1, seat, action)
        if onlooker == word:
            return [(self._all, word)]
        masks: Counter[str] = Counter({onlooker: 1 << ONLOOKER})
        masks[word] += 1 << ALL_HANDS
        for s in range(self._seats):
            masks[deal.seen_as(s, seat, action)] += 1 << s
        return [(mask, text) for text, mask in masks.items()]

    def move(self, seat: int, views: Sequence[View], fault: str | None, to: int = -1) -> None:
        """Tell the observers of the mask `to` of a move, and of the fault that it makes good."""
        if fault is not None:
            self.log.append((self._all & to, Event("fault", seat, fault)))
        for mask, text in views:
            if mask & to:
                self.log.append((mask & to, Event("move", seat, text)))

    def changes(self, deal: Deal) -> None:
        """Tell of the consequences of the last move: a trick ended, a phase began, facts changed."""
        tricks = deal.tricks_done()
        if tricks != self._tricks:
            self._tricks = tricks
            self._tell_trick(deal)
        if not deal.is_over():
            phase = deal.phase()
            if phase != self._phase:
                self._phase = phase
                self.tell(Event("phase", text=phase))
        facts = deal.facts()
        if facts != self._facts:
            self.tell(Event("facts", facts=_difference(self._facts, facts)))
            self._facts = facts
        for s in range(self._seats):
            secrets = deal.secrets(s)
            if secrets != self._secrets[s]:
                self.log.append((1 << s, Event("facts", facts=_difference(self._secrets[s], secrets))))
                self._secrets[s] = secrets

    def _tell_trick(self, deal: Deal) -> None:
        trick = deal.last_trick()
        if trick is None:
            raise StichkampfError("a game counted a trick that it cannot show")
        cards = tuple(card for _, card in trick.cards)
        self.tell(Event("trick", trick.winner, "", cards, tuple(seat for seat, _ in trick.cards)))

    def events(self, observer: int, since: int) -> list[Event]:
        bit = 1 << observer
        return [event for mask, event in self.log[since:] if mask & bit]


def _difference(before: dict[str, Json], after: dict[str, Json]) -> dict[str, Json]:
    news = {name: value for name, value in after.items() if name not in before or before[name] != value}
    for name in before:
        if name not in after:
            news[name] = None
    return news
