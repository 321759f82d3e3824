"""Declarations: a game's account of itself beside its rules, for viewers, adapters, ladders and ratings.

A `Game` declares its cards, actions, facts and words as class attributes, in the file that holds its rules,
so that no other file has to know its name. `check` refuses a class that leaves one out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from stichkampf.engine.felt import Felt
from stichkampf.values import Value


class Kind(StrEnum):
    """The meaning of a value or of an argument of an action.

    >>> Kind("seat")
    <Kind.SEAT: 'seat'>

    A seat is a number from 0, a suit a letter, a card a card word, a count a number, a word any other text.
    """

    SEAT = "seat"
    SUIT = "suit"
    CARD = "card"
    COUNT = "count"
    WORD = "word"


class Fact(Value):
    """A public fact or a secret of a deal.

    >>> Fact(kind=Kind.SUIT, meaning="trump suit", texts=("C", "D", "H", "S")).meaning
    'trump suit'

    :ivar meaning: a few words.
    :ivar each: true for a list with an entry for each seat.
    :ivar kinds: for a value that is an object: the kind by key.
    :ivar labels: for pages: the text of a key or word of the value, where it differs.
    :ivar counts: for learners: the number of numbers that the value lists, 0 for one a seat; None: not part
        of their observation as numbers.
    :ivar texts: for learners: every text that the value may hold; "3 R5" is R5 in entry 3 of a list.
    :ivar value: the type of the value in Python's words, where it does not follow from kind and `each`:
        "list[list[str]]". A fact that has no value is None, a secret is left out.
    :ivar gaps: true for a list of which an entry may be None.
    :ivar present: the phases in which there surely is a value; None for all.
    :ivar perhaps: the phases in which there may be one.
    :ivar when: in words, when there is a value, or one that is not empty.
    :ivar held: true for cards before a seat that it still holds beside its hand.
    """

    kind: Kind
    meaning: str
    each: bool = False
    kinds: Mapping[str, Kind] = {}
    labels: Mapping[str, str] = {}
    counts: int | None = None
    texts: tuple[str, ...] = ()
    value: str = ""
    gaps: bool = False
    present: tuple[str, ...] | None = None
    perhaps: tuple[str, ...] = ()
    when: str = ""
    held: bool = False

    @property
    def type(self) -> str:
        """The type of the value in Python's words, None included where there may be none.

        >>> Fact(kind=Kind.COUNT, meaning="tricks won", each=True).type
        'list[int]'
        >>> Fact(kind=Kind.SEAT, meaning="chief", present=("tricks",)).type
        'int | None'
        """
        one = "int" if self.kind in (Kind.SEAT, Kind.COUNT) else "str"
        one += " | None" if self.gaps else ""
        value = self.value or (f"list[{one}]" if self.each else one)
        return value if self.present is None else f"{value} | None"


class Verb(Value):
    """The first word of an action.

    >>> Verb(says="names as trump", kind=Kind.SUIT).says
    'names as trump'

    :ivar says: the verb in a sentence whose subject is a player: "plays".
    :ivar kind: the kind of its arguments; cards are known by their words whatever the kind.
    :ivar kinds: by first argument, the kind of the second, where these differ.
    :ivar labels: for pages: the text of a word among the arguments, where it differs.
    :ivar joint: a word before every argument but the first, such as "for".
    :ivar asks: for people at the table: what is asked of them where this verb can be chosen; empty: the page
        says only that it is their turn.
    :ivar more: a sentence that helps with it.
    :ivar button: the action as a button says it, where it has no arguments. Its first letter is its key.
    """

    says: str
    kind: Kind = Kind.CARD
    kinds: Mapping[str, Kind] = {}
    labels: Mapping[str, str] = {}
    joint: str = ""
    asks: str = ""
    more: str = ""
    button: str = ""


class MainLadder(Value):
    """The table at which a game's main ladder is played.

    >>> MainLadder(seats=4, options={"length": "deals:4"}).seats
    4
    """

    seats: int
    options: Mapping[str, Any] = {}


class DailyMatch(MainLadder):
    """The match that everybody can play on one day: short, and of more than a score of 0 or 1.

    >>> DailyMatch(seats=4, options={"length": "deals:1"}).seat
    0

    :ivar seat: the seat of the person.
    """

    seat: int = 0


TRICKS: Final = Fact(kind=Kind.COUNT, meaning="tricks won", each=True, counts=0)
"""The fact `tricks`, which every trick-taking game has."""

PLAYING: Final = "tricks"
"""The phase in which tricks are played, in every game."""

ATTRIBUTES: Final = {
    "name": "the name in the match record",
    "title": "the name on pages",
    "tagline": "one sentence about the game",
    "players": "the numbers of seats",
    "specification": "the options",
    "partners": "true where seats opposite each other are one side",
    "cards": "the different cards, in the order of the record's suits and ranks",
    "actions": "every action in words, with any seats and options; their order never changes",
    "sample_cards": "three cards that stand for the game",
    "facts": "by name, the public facts of a deal",
    "secrets": "by name, the facts that a seat alone may know",
    "verbs": "by first word, the actions in sentences",
    "moments": "the moments at which a seat chooses, with examples of its actions",
    "main_ladder": "the table of the main ladder",
}
"""The attributes that a game declares, each with its meaning."""


def check(game: type) -> None:
    """Check that a game declares everything about itself.

    >>> from stichkampf.games import game_class
    >>> check(game_class("mue"))

    :raises TypeError: naming the declarations that are missing or contradict each other.
    """
    missing = [name for name in ATTRIBUTES if not hasattr(game, name)]
    if missing:
        said = "; ".join(f"{name} ({ATTRIBUTES[name]})" for name in missing)
        raise TypeError(f"the game {game.__name__} does not declare {said}")
    declared: Any = game
    verbs = {action.split()[0] for action in declared.actions}
    if verbs != set(declared.verbs):
        odd = ", ".join(sorted(verbs ^ set(declared.verbs)))
        raise TypeError(f"the verbs and the actions of {game.__name__} do not agree about {odd}")
    strange = [card for card in declared.sample_cards if card not in declared.cards]
    if strange:
        raise TypeError(f"{game.__name__} has no card {', '.join(strange)} to show as a sample")
    drawn: Felt = getattr(declared, "felt", Felt())
    nameless = drawn.drawn() - {*declared.facts, *declared.secrets, "tricks"}
    if nameless:
        raise TypeError(
            f"the felt of {game.__name__} draws facts that it does not have: {', '.join(nameless)}"
        )
    if declared.main_ladder.seats not in declared.players:
        raise TypeError(f"the main ladder of {game.__name__} is for {declared.main_ladder.seats} seats")
    daily = getattr(declared, "daily", None)
    if daily and (daily.seats not in declared.players or not 0 <= daily.seat < daily.seats):
        raise TypeError(f"the day's match of {game.__name__} is for seat {daily.seat} of {daily.seats}")


def with_each(verb: str, arguments: Sequence[str]) -> list[str]:
    """List the actions of one verb.

    >>> with_each("play", ["R1", "R2"])
    ['play R1', 'play R2']
    """
    return [f"{verb} {argument}" for argument in arguments]
