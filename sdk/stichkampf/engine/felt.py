"""`Felt`: what viewers draw of a game on the table, beside hands and tricks.

A game names facts, secrets and verbs that it has declared; the viewer has one piece for each kind of them and
knows no rule. A game that declares nothing is drawn with lists of its facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from stichkampf.values import Value

Outlook: TypeAlias = Callable[[str, int, Sequence[int], Sequence[str], int, bool], str]


class Term(Value):
    """A fact, or a secret, that always stands above the table: trump, target, round.

    >>> Term(fact="target", caption="target", counts="card points", of=("chief", "partner")).caption
    'target'

    :ivar entry: for a fact that is an object: the key; a list under it is shown once one word is left.
    :ivar none: the text while there is no value; empty: the term is left out.
    :ivar counts: the fact with a number for each seat that counts towards this one.
    :ivar of: the facts that name the seats whose numbers count.
    """

    fact: str
    caption: str
    entry: str = ""
    none: str = ""
    counts: str = ""
    of: tuple[str, ...] = ()


class Grid(Value):
    """A board of fields from which players take one after the other, until each row has one left.

    >>> Grid(fact="board", verb="block", rows={"points": ("1", "2")}, labels={}).verb
    'block'

    :ivar fact: the free fields by row.
    :ivar verb: of the action that puts a stone on "row field".
    :ivar rows: all fields by row.
    :ivar labels: short texts of rows and fields.
    """

    fact: str
    verb: str
    rows: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, str]


class Tally(Value):
    """A number that each seat aims at, beside the number that it has.

    >>> Tally(goal="bids", have="tricks", of="round", unequal="hook").unequal
    'hook'

    :ivar of: the fact with which the sum of the goals is compared.
    :ivar unequal: the option under which the last seat may not make that sum equal.
    """

    goal: str
    have: str
    of: str
    unequal: str = ""


class Calls(Value):
    """A question to the players of an incomplete trick after each card: its player first, then from the lead.

    >>> Calls(yes="call", no="quiet", says="Meinz!", full=("tricks", 2)).full
    ('tricks', 2)

    :ivar yes: the verb of one answer, said as `says`; `no` the other's.
    :ivar full: a fact with a number for each seat, and the number from which on a seat is asked no more.
    """

    yes: str
    no: str
    says: str
    full: tuple[str, int]


class DraftRows(Value):
    """Rows of open cards that players take one by one.

    >>> DraftRows(fact="rows", verb="take", winners="hints").winners
    'hints'

    :ivar winners: the fact with a seat, or the text "table", for each row that is gone.
    """

    fact: str
    verb: str
    winners: str


class Goals(Value):
    """Words that a seat collects or has to meet, such as tasks.

    >>> Goals(fact="tasks", shown="shown", outlook=lambda *known: "open").shown
    'shown'

    :ivar shown: the fact with the one word of each seat that counts in this deal.
    :ivar outlook: tells from (word, seat, tricks by seat, cards captured by the seat, tricks to come, whether
        the seat won the last trick) whether the goal is "met", "lost" or still "open".
    """

    fact: str
    shown: str
    outlook: Outlook


class Felt(Value):
    """The pieces on the table of a game.

    >>> from stichkampf.games import game_class
    >>> game_class("mue").felt.roles["vice"]
    'vice'

    :ivar dealer: the word for the dealer.
    :ivar roles: by fact, the badge of each seat that it names.
    :ivar sides: the facts whose seats are one side.
    :ivar terms: what stands above the table.
    :ivar plates: by fact with a value for each seat, the caption beside the seat's name.
    :ivar running: the fact with the points of the deal so far, by seat or side.
    :ivar counts: the word for these points; empty: the name of the fact.
    :ivar stacks: facts or secrets with cards that lie before each seat until the first trick.
    :ivar laid: the fact with open cards that are still played from.
    :ivar in_hands: facts that the hands show already.
    :ivar trail: the fact whose changes in the deal are listed.
    :ivar low: the rank of cards that turn a trick upside down; empty for none.
    :ivar display: the fact with words that lie open in the middle.
    :ivar swaps: the verb of an action that exchanges its first card for its second; empty for none.
    """

    dealer: str = "dealer"
    roles: Mapping[str, str] = {}
    sides: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    plates: Mapping[str, str] = {}
    running: str = "tricks"
    counts: str = ""
    stacks: tuple[str, ...] = ()
    laid: str = ""
    in_hands: tuple[str, ...] = ()
    trail: str = ""
    low: str = ""
    display: str = ""
    swaps: str = ""
    grid: Grid | None = None
    tally: Tally | None = None
    calls: Calls | None = None
    rows: DraftRows | None = None
    goals: Goals | None = None

    def drawn(self) -> set[str]:
        """Return the names of the facts and secrets that have a place on the table.

        >>> sorted(Felt(roles={"chief": "chief"}, laid="laid").drawn())
        ['chief', 'laid', 'tricks']
        """
        names = {*self.roles, *self.sides, *self.plates, *self.stacks, *self.in_hands}
        names |= {"tricks", self.running, self.laid, self.trail, self.display}
        names |= {term.fact for term in self.terms}
        if self.grid:
            names.add(self.grid.fact)
        if self.tally:
            names |= {self.tally.goal, self.tally.have, self.tally.of}
        if self.rows:
            names |= {self.rows.fact, self.rows.winners}
        if self.goals:
            names |= {self.goals.fact, self.goals.shown}
        return names - {""}
