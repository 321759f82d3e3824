"""The fault policy, the same in local matches and on the platform: no network, no clock.

`Adjudicator` stands between the bots' answers and `stichkampf.match.match.Match`, the referee of the rules.
It numbers the questions, calls a fault for every answer that is no legal action, lets a substitute move in
place of a failing bot, and ends a bot's part of the match with its first fault beyond the allowance.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from stichkampf.engine.deal import Json
from stichkampf.errors import ActionError, IllegalAction
from stichkampf.faults import FaultKind
from stichkampf.match.answers import Rejection, Substitute, TimeTaken
from stichkampf.match.match import Match

_NOT_MEASURED = (None, None)


class Question:
    """A decision that a bot is asked for.

    :ivar number: counts the questions of this seat in this match, from 1, whatever other seats do.
    :ivar legal: the words to choose from.
    """

    __slots__ = ("legal", "number", "seat")

    def __init__(self, seat: int, number: int, legal: list[str]) -> None:
        self.seat = seat
        self.number = number
        self.legal = legal


@mypyc_attr(allow_interpreted_subclasses=True)
class Adjudicator:
    """One match and its failing bots.

    :param substitute: makes the substitute of a seat when it is first needed.
    :param fault_allowance: with the first fault beyond this number a bot's part is over; resigning ends it at
        once.
    :ivar open: the open question of each seat that is being asked.
    :ivar replaced: by seat, the last fault's kind where the bot's part of the match is over, else None.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.substitute import new_adjudicator
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> adjudicator = new_adjudicator(Match(game, seed=bytes(32)), [bytes(32)] * 3, fault_allowance=0)
    >>> question = adjudicator.ask()[0]
    >>> question.seat, question.legal
    (0, ['bid 0', 'bid 1'])
    >>> print(adjudicator.answer(question, "bid 9").reason)
    'bid 9' is not legal now; possible: bid 0, bid 1
    >>> adjudicator.replaced
    [<FaultKind.ILLEGAL: 'illegal'>, None, None]
    """

    def __init__(
        self, match: Match, substitute: Callable[[int], Substitute], *, fault_allowance: int
    ) -> None:
        seats = match.game.seats
        self.match = match
        self.open: dict[int, Question] = {}
        self.replaced: list[FaultKind | None] = [None] * seats
        self.fault_counts = [0] * seats
        self._fault_allowance = fault_allowance
        self._substitute = substitute
        self._substitutes: dict[int, Substitute] = {}
        self._told = [0] * seats
        self._asked = [0] * seats

    def ask(self) -> list[Question]:
        """Return the questions that are new since the last call.

        Seats whose bot is replaced have moved before this returns.
        """
        new: list[Question] = []
        settled = False
        while not settled:
            settled = True
            for seat in self.match.to_act():
                kind = self.replaced[seat]
                if kind is not None:
                    self._move_for(seat, kind, None)
                    settled = False
                    break
                if seat not in self.open:
                    new.append(self._ask(seat))
        return new

    def answer(
        self, question: Question, word: Json, *, note: Json = None, took: TimeTaken | None = None
    ) -> Rejection | None:
        """Take the answer to an open question. Then `ask` again.

        :returns: why the answer is a fault; None for a legal action.
        """
        del self.open[question.seat]
        try:
            self._play(question.seat, word, took, note)
        except ActionError as error:
            rejection = Rejection(FaultKind.MALFORMED, str(error))
        except IllegalAction as error:
            rejection = Rejection(FaultKind.ILLEGAL, str(error))
        else:
            return None
        self._fault(question.seat, rejection.kind, took)
        return rejection

    def fail(self, question: Question, kind: FaultKind, *, took: TimeTaken | None = None) -> None:
        """Call a fault for an open question that the bot does not answer. Then `ask` again."""
        del self.open[question.seat]
        self._fault(question.seat, kind, took)

    def ask_again(self, question: Question) -> Question:
        """Put a new question in place of an open one, which can no longer be answered."""
        return self._ask(question.seat)

    def replace(self, seat: int, kind: FaultKind) -> None:
        """End the bot's part of the match, whether it is being asked or not. Then `ask` again."""
        self.open.pop(seat, None)
        self.replaced[seat] = kind

    def _ask(self, seat: int) -> Question:
        self._asked[seat] += 1
        question = self.open[seat] = Question(seat, self._asked[seat], self.match.legal(seat))
        return question

    def _fault(self, seat: int, kind: FaultKind, took: TimeTaken | None) -> None:
        self.fault_counts[seat] += 1
        if kind is FaultKind.RESIGNED or self.fault_counts[seat] > self._fault_allowance:
            self.replaced[seat] = kind
        self._move_for(seat, kind, took)

    def _move_for(self, seat: int, kind: FaultKind, took: TimeTaken | None) -> None:
        substitute = self._substitutes.get(seat)
        if substitute is None:
            substitute = self._substitutes[seat] = self._substitute(seat)
        events = self.match.events(seat, self._told[seat])
        self._told[seat] = len(self.match.log)
        word = substitute.choose(events, self.match.legal(seat))
        self.match.fault(seat, kind.value)
        self._play(seat, word, took)

    def _play(self, seat: int, word: Json, took: TimeTaken | None, note: Json = None) -> None:
        cost, wall = took or _NOT_MEASURED
        self.match.play(seat, word, note=note, cost_seconds=cost, wall_seconds=wall)
