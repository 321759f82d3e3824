"""`Game`: the rules for one choice of seats and options, and everything between deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from stichkampf.engine.deal import Carry, Deal, Json
from stichkampf.engine.declaration import PLAYING, DailyMatch, Fact, MainLadder, Verb
from stichkampf.engine.felt import Felt
from stichkampf.engine.options import Option, complete, length_of
from stichkampf.engine.seeds import SEED_BYTES, Chance
from stichkampf.engine.view import View
from stichkampf.errors import DealError, SeatsError


class Game:
    """The rules of a game for one table, immutable. Made by `stichkampf.games.new_game`.

    >>> from stichkampf.games import new_game
    >>> game = new_game("sixes-and-sevens", 4)
    >>> game
    SixesAndSevens(4, {'length': 'deals:4', 'off_suit_seven': 'normal'})
    >>> print(game)
    At Sixes and Sevens for 4 seats: length deals:4, off_suit_seven normal
    >>> deal = game.new_deal(0, 3, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> deal.player(), len(deal.hand(0))
    (0, 13)

    A subclass declares all of `stichkampf.engine.declaration.ATTRIBUTES`; one that leaves something out is
    refused when it is registered. The following have defaults:

    :cvar phases: the phases of a deal in their order, each with the choice that it is for.
    :cvar counted: the fact whose numbers count towards the scores of the deal, by seat or by side.
    :cvar sides: the facts that together name the seats of one side, all others being the other; none where
        each seat plays alone, or `partners` says it.
    :cvar view: the facts by name and type.
    :cvar daily: the match of a day for people; None where there is none.
    :cvar german: the declared texts in German, by the English ones.

    :ivar seats: seats that a bot holds.
    :ivar options: every option spelled out, in the order of the rules.
    :raises SeatsError: when the game is not for this number of seats.
    :raises OptionError: for an option or value that the game does not have.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    tagline: ClassVar[str]
    players: ClassVar[tuple[int, ...]]
    specification: ClassVar[tuple[Option, ...]]
    partners: ClassVar[bool]
    cards: ClassVar[list[str]]
    actions: ClassVar[list[str]]
    sample_cards: ClassVar[tuple[str, ...]]
    facts: ClassVar[Mapping[str, Fact]]
    secrets: ClassVar[Mapping[str, Fact]]
    verbs: ClassVar[Mapping[str, Verb]]
    moments: ClassVar[tuple[tuple[str, str], ...]]
    main_ladder: ClassVar[MainLadder]
    daily: ClassVar[DailyMatch | None] = None
    felt: ClassVar[Felt] = Felt()
    rules_version: ClassVar[int] = 1
    phases: ClassVar[Mapping[str, str]] = {PLAYING: "each seat in turn plays a card"}
    counted: ClassVar[str] = "tricks"
    sides: ClassVar[tuple[str, ...]] = ()
    view: ClassVar[type[View]] = View
    german: ClassVar[Mapping[str, str]] = {}

    def __init__(self, seats: int, options: Mapping[str, Json]) -> None:
        if seats not in self.players:
            raise SeatsError(f"{self.name} is for {self._players_in_words()} seats, not {seats}")
        self.seats = seats
        self.options = complete(self.name, self.specification, seats, options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.seats}, {self.options})"

    def __reduce__(self) -> tuple[type[Game], tuple[int, dict[str, Json]]]:
        return type(self), (self.seats, self.options)

    def __str__(self) -> str:
        options = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return f"{self.title} for {self.seats} seats: {options}"

    @classmethod
    def _players_in_words(cls) -> str:
        least, most = min(cls.players), max(cls.players)
        if len(cls.players) > 2 and len(cls.players) == most - least + 1:
            return f"{least} to {most}"
        return " or ".join(str(n) for n in cls.players)

    @property
    def table_seats(self) -> int:
        """Count the seats at the table; more than `seats` where the rules play one themselves."""
        return self.seats

    def first_dealer(self, chance: Chance) -> int:
        """Draw the dealer of a match's first deal."""
        return chance.below(self.seats)

    def next_dealer(self, dealer: int) -> int:
        """Return the dealer of the deal after the one that `dealer` dealt."""
        return (dealer + 1) % self.table_seats

    def is_finished(self, deals_played: int, totals: list[int], carry: Carry) -> bool:
        """Tell whether the match is over after this number of deals, with these totals by seat."""
        kind, number = length_of(self.options)
        if kind == "deals":
            return deals_played >= number
        return self.reached(totals, number) or deals_played >= int(self.options["max_deals"])

    def reached(self, totals: list[int], points: int) -> bool:
        """Tell whether a seat has the points that end a match."""
        return max(totals) >= points

    def start(self) -> Carry:
        """Return what `carry` would hand to the first deal of a match: nothing, unless overridden."""
        return {}

    def carry(self, deal: Deal, before: Carry) -> Carry:
        """Return the knowledge of earlier deals for the one after this finished deal."""
        return before

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        """Draw the chance fields of the record for the deal of that number (from 0): `hands`, and others that
        the game has.
        """
        raise NotImplementedError

    def chance_fields(self) -> frozenset[str]:
        """Return the names of the fields that `shuffle` draws: all of a recorded deal that no player decided.

        >>> from stichkampf.games import new_game
        >>> sorted(new_game("meinz", 3).chance_fields())
        ['hands', 'monster']
        """
        return frozenset(self.shuffle(Chance(bytes(SEED_BYTES), "deal 0"), 0, self.start()))

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> Deal:
        """Return the deal at its first decision.

        :param dealt: the chance fields as `shuffle` gives them or a record holds them.
        :raises DealError: when the cards do not make a deal of this game.
        """
        raise NotImplementedError

    def blind_deal(self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry) -> Deal:
        """Return the deal at its first decision as `seat` knows it.

        :param seen: `hand` (card words) and the public facts and own secrets of the first moment.
        """
        raise NotImplementedError

    def derived(self, deal: Deal) -> dict[str, Json]:
        """Return the fields of a finished deal's record that follow from the chance fields and the moves (Was
        sticht?: `hints`).
        """
        return {}


def check_cards(what: str, given: Json, expected: list[str]) -> list[str]:
    """Return the given cards, if they are the expected ones in some order.

    >>> check_cards("hands", ["R2", "R1"], ["R1", "R2"])
    ['R2', 'R1']

    :raises DealError: naming a card that is too many or missing.
    """
    if not isinstance(given, list) or not _are_words(given):
        raise DealError(f"{what} must be a list of cards, not {given!r}")
    if sorted(given) == sorted(expected):
        return list(given)
    extra = Counter(given) - Counter(expected)
    missing = Counter(expected) - Counter(given)
    if extra:
        raise DealError(f"{what}: {min(extra)} does not belong there or is there too often")
    raise DealError(f"{what}: {min(missing)} is missing")


def _are_words(cards: list[Json]) -> bool:
    return all(issubclass(kind, str) for kind in set(map(type, cards)))


def check_hands(given: Json, seats: int, size: int) -> list[list[str]]:
    """Return the given hands, if there is one of the right size for every seat.

    >>> check_hands([["R1"], ["R2"]], seats=2, size=1)
    [['R1'], ['R2']]

    :raises DealError: naming the hand that is wrong.
    """
    if not isinstance(given, list) or len(given) != seats:
        raise DealError(f"hands must list {seats} hands, not {given!r:.60}")
    for seat, hand in enumerate(given):
        if not isinstance(hand, list) or not _are_words(hand):
            raise DealError(f"the hand of seat {seat} must be a list of cards, not {hand!r:.60}")
        if len(hand) != size:
            raise DealError(f"the hand of seat {seat} has {len(hand)} cards; each has {size} in this deal")
    return [list(hand) for hand in given]


def deal_hands(cards: list[str], seats: int, size: int) -> tuple[list[list[str]], list[str]]:
    """Cut hands of the size from the top of the shuffled cards, seat 0 first; returns also the cards left
    over.

    >>> deal_hands(["R1", "R2", "R3", "R4", "R5"], seats=2, size=2)
    ([['R1', 'R2'], ['R3', 'R4']], ['R5'])
    """
    hands = [cards[s * size : (s + 1) * size] for s in range(seats)]
    return hands, cards[seats * size :]
