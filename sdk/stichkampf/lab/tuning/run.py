"""A tuning from its first pair to the verdict, which goes on where it was ended."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from stichkampf import __version__
from stichkampf.bots.bot import with_values
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import match_seed
from stichkampf.errors import BotError, OptionError, RecordError
from stichkampf.lab.tuning.methods import Point, Race, Spsa
from stichkampf.lab.tuning.plot import drawn
from stichkampf.lab.tuning.verdict import TunedGain, verdict_of
from stichkampf.local_play.journal import Journal, digest
from stichkampf.local_play.programs import LocalProgram, local_program
from stichkampf.local_play.series import MatchOrder, Series
from stichkampf.packaging.parameters import Parameter

METHODS: Final = ("spsa", "race")
MOST_STEPS: Final = 10_000
MOST_PAIRS: Final = 100_000
_THIRD: Final = "thumb"
"""Sits on the odd seat."""


class TunedPairs(NamedTuple):
    """Results of pairs between two points.

    :ivar name: of the deals.
    :ivar leads: by pair, how far the first point was ahead.
    """

    name: str
    leads: list[float]


class TuningRun:
    """The tuning of a bot in one game, without a clock, the same from the same seed.

    A pair is one deal that is played twice: the two points have every other seat, and then the others.

    :param steps: of SPSA, or the candidates of a race.
    :param pairs: of each step, or of each candidate in the first round.
    :param journal: holds what was played, a line a comparison.
    :ivar budget: the pairs that it plays, those of the verdict included.
    :ivar drawing: the file beside the journal in which its way belongs.
    :raises BotError: the bot does not load, does not play the game, or has no such numbers.
    :raises OptionError: more steps or pairs than there may be.
    :raises RecordError: the journal is of another tuning, or cannot be read.
    """

    def __init__(
        self,
        program: LocalProgram,
        parameters: tuple[Parameter, ...],
        game: Game,
        *,
        method: str,
        steps: int,
        pairs: int,
        verdict_pairs: int,
        seed: str,
        journal: Path,
        jobs: int = 1,
    ) -> None:
        for noun, number, most in (
            ("steps", steps, MOST_STEPS),
            ("pairs", pairs, MOST_PAIRS),
            ("pairs for the verdict", verdict_pairs, MOST_PAIRS),
        ):
            if not 1 <= number <= most:
                raise OptionError(f"a tuning has 1 to {most} {noun}, not {number}")
        self._program = program
        self._parameters = parameters
        self._numbers = _whole(program, parameters, game)
        self._seed = seed
        self._third = local_program(_THIRD)
        self._series = Series(game, None, jobs)
        self._start = tuple(one.share for one in parameters)
        self._method: Spsa | Race = (Spsa if method == "spsa" else Race)(self._start, steps, pairs, seed)
        self._verdict_pairs = verdict_pairs
        self.budget = self._method.budget + verdict_pairs
        self._points = [self._start]
        self.drawing = Path(f"{journal}.svg")
        head = {
            "tuning": method,
            "stichkampf": __version__,
            "bot": program.name,
            "program": digest(program, (journal, self.drawing)),
            "parameters": [[one.name, one.value, one.least, one.most] for one in parameters],
            "game": game.name,
            "seats": game.seats,
            "options": dict(game.options),
            "steps": steps,
            "pairs": pairs,
            "verdict": verdict_pairs,
            "seed": seed,
        }
        self._journal = Journal(journal, head, TunedPairs)

    def play(self, progressed: Callable[[], None]) -> tuple[dict[str, float], TunedGain]:
        """Tune, and judge by fresh deals; returns the numbers and how much better they are.

        :param progressed: called for each pair of the budget.
        :raises BotError: the bot fails.
        """
        known = iter(list(self._journal.rows))
        with self._journal as journal, self._series.pool() as pool:

            def compare(one: Point, other: Point, pairs: int, name: str) -> list[float]:
                before = next(known, None)
                if before is None:
                    now = TunedPairs(name, self._leads(pool, one, other, pairs, name, progressed))
                    journal.add(now)
                    return now.leads
                if before.name != name or len(before.leads) != pairs:
                    raise RecordError(f"{journal.path} is not as it was written; remove it")
                for _ in before.leads:
                    progressed()
                return before.leads

            point = self._method.run(compare, self._points.append)
            verdict = verdict_of(compare(point, self._start, self._verdict_pairs, "verdict"))
        return self.numbers(point), verdict

    def drawn(self) -> str:
        """Draw the way so far."""
        names = [one.name for one in self._parameters]
        return drawn(names, self._points, f"{self._program.name}, {self._series.game.name}")

    def numbers(self, point: Point) -> dict[str, float]:
        """Return the numbers at a point."""
        exact = {one.name: one.at(share) for one, share in zip(self._parameters, point, strict=True)}
        return {name: round(value) if name in self._numbers else value for name, value in exact.items()}

    def _leads(
        self,
        pool: ProcessPoolExecutor | None,
        one: Point,
        other: Point,
        pairs: int,
        name: str,
        progressed: Callable[[], None],
    ) -> list[float]:
        first, second = self._at(one), self._at(other)
        seats = self._series.game.seats
        even = seats - seats % 2
        seatings = []
        for a, b in ((first, second), (second, first)):
            table = [(a, b)[seat % 2] for seat in range(even)]
            seatings.append((*table, *[self._third] * (seats - even)))
        seeds = [match_seed(f"{self._seed} {name} {number}") for number in range(pairs)]
        orders = (MatchOrder(seating, seed) for seed in seeds for seating in seatings)
        leads, before = [], None
        for played in self._series.play_in(pool, orders):
            for failure in played.failures:
                raise BotError(
                    f"{self._program.name} fails, so that its numbers cannot be tuned: {failure.kind},"
                    f" {failure.message}"
                )
            scores = [int(score) for score in played.record["scores"]]
            lead = fmean(scores[0:even:2]) - fmean(scores[1:even:2])
            if before is None:
                before = lead
            else:
                leads.append((before - lead) / 2)
                before = None
                progressed()
        return leads

    def _at(self, point: Point) -> LocalProgram:
        values = dict(self._program.values) | self.numbers(point)
        return replace(self._program, values=tuple(values.items()))


def _whole(program: LocalProgram, parameters: tuple[Parameter, ...], game: Game) -> frozenset[str]:
    """Return the names of those numbers that are whole in the class of the bot.

    :raises BotError: the bot does not load, does not play the game, or has no such numbers.
    """
    bot = program.load()
    with_values(bot, [(one.name, one.value) for one in parameters])
    plays = program.games or tuple(bot.games)
    if plays and game.name not in plays:
        raise BotError(f"{program.name} plays {', '.join(plays)}, not {game.name}")
    return frozenset(one.name for one in parameters if isinstance(getattr(bot, one.name), int))
