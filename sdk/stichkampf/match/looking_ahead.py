"""Looking ahead in the words of a table: a search, and worlds to play on in.

`Deal` and the search of `stichkampf.engine` count actions by numbers, because that is fast. Here they have
the names and words of `Table`.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Final

from stichkampf.engine import search as engine_search
from stichkampf.engine.deal import Deal, Facts, Trick
from stichkampf.engine.policy import Policy, Valuation
from stichkampf.errors import StichkampfError
from stichkampf.match.table import Table

COMPILED: Final = not engine_search.INTERPRETED
ITERATIONS: Final = 1000 if COMPILED else 50
"""Iterations of a decision without a clock, where no other number is given."""
MOST_ITERATIONS: Final = 500_000
"""Iterations of a decision with a clock, at most, where no other number is given: a tree of 32 MB."""
ITERATIONS_A_SECOND: Final = 2_000_000
"""More than any machine runs, so that room for these is enough."""
SHARE_OF_THE_CLOCK: Final = 0.1
_FIRST_LOOK: Final = 8  # iterations before the clock is read for the first time


class Search:
    """A tree search for the seat that is asked at a table, by what this seat knows.

        search = Search(table)
        search.run_for(share=0.1)
        return search.best, Note(f"{search.iterations} iterations", search.weights)

    >>> from stichkampf.testing import table_at
    >>> table = table_at("stiche-raten", 3, seed="docs", deal=3, legal=2)
    >>> search = Search(table, iterations=300)
    >>> search.run_for()
    >>> search.best in table.legal, search.iterations, list(search.weights) == table.legal
    (True, 300, True)

    :param table: the table of a bot that is asked; its `rng` draws what the search draws from.
    :param iterations: the most, in all; None: with a clock as many as fit, up to 500,000, and without one
        1,000, or 50 where the rules are interpreted.
    :param policy: plays on from a new node of the tree; None: at random.
    :param priors: weighs the actions of every seat in the tree; None: none is favoured.
    :param value: guesses the scores at a new node, so that nothing is played on there; None: no guess.
    :param exploration: weight of actions tried seldom, in standard deviations of the outcomes.
    :raises StichkampfError: the seat is not asked now, or there is less than one iteration.
    :ivar deadline: the value of `time.monotonic()` at which the time of this decision ends, None for none.
    """

    def __init__(
        self,
        table: Table,
        *,
        iterations: int | None = None,
        policy: Policy | None = None,
        priors: Policy | None = None,
        value: Valuation | None = None,
        exploration: float = engine_search.EXPLORATION,
    ) -> None:
        if table.seat not in table.deal.to_act():
            raise StichkampfError(f"seat {table.seat} is not asked now, so there is nothing to search")
        if iterations is not None and iterations < 1:
            raise StichkampfError(f"a search needs 1 iteration or more, not {iterations}")
        self.deadline: float | None = table.deadline
        self._begun = time.monotonic()
        self._seconds = table.seconds
        self._deal = table.deal
        self._most = iterations if iterations or table.seconds is not None else ITERATIONS
        seed = table.rng.getrandbits(62)
        self._tree: engine_search.Search | None = None
        self._new_tree = partial(
            engine_search.Search,
            table.deal,
            table.seat,
            seed=seed,
            exploration=exploration,
            policy=policy,
            priors=priors,
            value=value,
        )

    def _grown(self, seconds: float | None = None) -> engine_search.Search:
        """Return the tree, which has room for what fits into the time for which it runs first."""
        if self._tree is None:
            planned = self._seconds if seconds is None else seconds
            fitting = ITERATIONS + int(ITERATIONS_A_SECOND * (planned or 0.0))
            self._most = self._most or min(MOST_ITERATIONS, fitting)
            self._tree = self._new_tree(most_iterations=self._most)
        return self._tree

    def run(self, iterations: int) -> None:
        """Run this number of iterations, fewer when the most is reached."""
        self._grown().run(iterations)

    def run_for(self, *, share: float = SHARE_OF_THE_CLOCK, seconds: float | None = None) -> None:
        """Run until a share of the clock is used, or the most iterations are; without a clock run these.

        The time counts from the beginning of the search. Each stretch takes half of what is left, at the pace
        so far: a machine that slows down is noticed early.

        :param share: of the longest time that this decision may take, from 0 to 1.
        :param seconds: the time itself, in place of the share.
        :raises StichkampfError: a number out of bounds.
        """
        if not 0 <= share <= 1:
            raise StichkampfError(f"the share of the clock lies from 0 to 1, not {share:g}")
        if seconds is not None and not seconds >= 0:
            raise StichkampfError(f"a search runs for 0 seconds or more, not {seconds:g}")
        if seconds is None:
            if self._seconds is None:
                self.run(self._most or ITERATIONS)
                return
            seconds = share * self._seconds
        tree = self._grown(seconds)
        run_until(tree, self._most or ITERATIONS, self._begun, self._begun + seconds)

    @property
    def best(self) -> str:
        """The action that was tried most often, the first of equals."""
        return self._deal.word(self._grown().result().action)

    @property
    def weights(self) -> dict[str, float]:
        """The iterations that began with each legal action, fit for the weights of a `Note`."""
        found = self._grown().result()
        return self._by_word([float(visits) for visits in found.visits])

    @property
    def values(self) -> dict[str, float]:
        """The mean of the seat's score above the mean of the table by legal action, 0 for one never tried."""
        return self._by_word(self._grown().result().values)

    @property
    def iterations(self) -> int:
        """The iterations that were run."""
        return int(self._grown().iterations)

    def _by_word(self, numbers: list[float]) -> dict[str, float]:
        actions = self._grown().result().actions
        return {self._deal.word(action): number for action, number in zip(actions, numbers, strict=True)}


def run_until(tree: engine_search.Search, iterations: int, started: float, end: float) -> None:
    """Run all iterations, or as many as fit before the end; at least a first look.

    >>> from stichkampf.testing import table_at
    >>> table = table_at("stiche-raten", 3, seed="docs", deal=3)
    >>> tree = engine_search.Search(table.deal, table.seat, most_iterations=20, seed=1)
    >>> run_until(tree, 20, 0.0, 0.0)
    >>> int(tree.iterations)
    8
    """
    tree.run(_FIRST_LOOK)
    while tree.iterations < iterations:
        now = time.monotonic()
        pace = int(tree.iterations) / max(now - started, 1e-6)
        stretch = int(pace * (end - now) / 2)
        if stretch < 1:
            return
        tree.run(stretch)


class World:
    """A full deal that agrees with all that a seat knows, drawn uniformly, to play on in.

    >>> from stichkampf.testing import table_at
    >>> table = table_at("sticheln", 3, seed="docs", phase="tricks")
    >>> world = World(table)
    >>> world.legal == table.legal, world.hand(table.seat) == table.hand
    (True, True)
    >>> after = world.copy()
    >>> after.play(table.legal[0])
    >>> len(after.trick), len(world.trick), len(after.rollout(1))
    (1, 0, 3)

    :param table: the table of a bot.
    :param seed: the same seed gives the same world; without one `table.rng` draws it.
    :ivar deal: the deal itself, which counts actions by numbers.
    """

    def __init__(self, table: Table, seed: int | None = None) -> None:
        self.deal: Deal = table.world(seed)
        self._seat = table.seat

    def copy(self) -> World:
        """Return a world of its own that is as this one is."""
        twin = object.__new__(World)
        twin.deal, twin._seat = self.deal.clone(), self._seat
        return twin

    @property
    def asked(self) -> int | None:
        """The seat that is asked: the table's own as long as that may choose; None at the end of the deal."""
        awaited = self.deal.to_act()
        if self._seat in awaited:
            return self._seat
        return awaited[0] if awaited else None

    @property
    def legal(self) -> list[str]:
        """The actions of the seat that is asked; none at the end of the deal."""
        seat = self.asked
        return [] if seat is None else [self.deal.word(action) for action in self.deal.legal_of(seat)]

    def play(self, action: str) -> None:
        """Play an action of the seat that is asked.

        :raises StichkampfError: it is not legal now.
        """
        seat, legal = self.asked, self.legal
        if seat is None or action not in legal:
            possible = ", ".join(legal) or "none, for the deal is over"
            raise StichkampfError(f"{action!r} cannot be played now; possible: {possible}")
        self.deal.apply_by(seat, self.deal.legal_of(seat)[legal.index(action)])

    def rollout(self, seed: int) -> list[int]:
        """Return the scores by seat if all play on at random from here; this world stays as it is."""
        return self.deal.rollout(seed)

    @property
    def over(self) -> bool:
        return self.deal.is_over()

    @property
    def scores(self) -> list[int]:
        """The scores of the deal by seat, once it is over."""
        return self.deal.scores()

    def hand(self, seat: int) -> list[str]:
        """Return the cards of a seat, sorted."""
        return self.deal.hand(seat)

    @property
    def trick(self) -> list[tuple[int, str]]:
        """The cards on the table as (seat, card), in order played."""
        return self.deal.table()

    @property
    def last_trick(self) -> Trick | None:
        """The last complete trick; None before the first."""
        return self.deal.last_trick()

    @property
    def holder(self) -> int | None:
        """The seat that would take the trick if it ended now; None for none."""
        seat = int(self.deal.holder())
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        return self.deal.phase()

    @property
    def facts(self) -> Facts:
        """The public facts."""
        return self.deal.facts()

    def secrets(self, seat: int) -> Facts:
        """Return the facts that only a seat knows, beside its hand."""
        return self.deal.secrets(seat)
