"""A tuning from its first pair to the verdict, which goes on where it was ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Final

from stichkampf.engine.game import Game
from stichkampf.engine.seeds import match_seed
from stichkampf.errors import StichkampfError
from stichkampf.lab.tuning.methods import Point, Race, Spsa, TuningStep
from stichkampf.lab.tuning.verdict import Verdict, verdict_of
from stichkampf.local_play.programs import LocalProgram, local_program
from stichkampf.local_play.series import MatchOrder, Series
from stichkampf.packaging.parameters import Parameter

METHODS: Final = ("spsa", "race")
THIRD: Final = "thumb"
"""Sits on the odd seat."""


class TuningRun:
    """The tuning of a bot in one game, without a clock, the same from the same seed.

    A pair is one deal that is played twice: the two points have every other seat, and then the others.

    :param steps: of SPSA, or the candidates of a race.
    :param pairs: of each step, or of each candidate in the first round.
    :param journal: holds what was played, a line a comparison.
    :raises StichkampfError: the journal is of another tuning, or cannot be read.
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
        self._program = program
        self._parameters = parameters
        self._seed = seed
        self._third = local_program(THIRD)
        self._game = game
        self._series = Series(game, None, jobs)
        self._journal = journal
        start = tuple(one.share for one in parameters)
        self._method: Spsa | Race = (Spsa if method == "spsa" else Race)(start, steps, pairs, seed)
        self._start = start
        self._verdict_pairs = verdict_pairs
        self.points: list[Point] = [start]
        fields = [
            program.name,
            game.name,
            game.seats,
            dict(game.options),
            method,
            steps,
            pairs,
            verdict_pairs,
            seed,
        ]
        described = json.dumps([*fields, *(str(one) for one in parameters)], sort_keys=True)
        self._digest = hashlib.sha256(described.encode()).hexdigest()[:16]
        self._told = self._known()

    @property
    def steps(self) -> int:
        """How often `play` tells a step."""
        return self._method.steps

    def play(self, step: Callable[[TuningStep], None]) -> tuple[dict[str, float], Verdict]:
        """Tune, and judge by fresh deals; returns the numbers and how much better they are."""

        def kept(now: TuningStep) -> None:
            self.points.append(now.point)
            step(now)

        told = [leads for name, leads in self._told if name != "verdict"]
        point = self._method.run(self._compare, told, kept)
        fresh = next((leads for name, leads in self._told if name == "verdict"), None)
        if fresh is None:
            fresh = self._compare(point, self._start, self._verdict_pairs, "verdict")
        return self.numbers(point), verdict_of(fresh)

    def numbers(self, point: Point) -> dict[str, float]:
        """Return the numbers at a point."""
        return {one.name: one.at(share) for one, share in zip(self._parameters, point, strict=True)}

    def _compare(self, one: Point, other: Point, pairs: int, name: str) -> list[float]:
        first, second = self._at(one), self._at(other)
        seats = self._game.seats
        even = seats - seats % 2
        seatings = []
        for a, b in ((first, second), (second, first)):
            table = [(a, b)[seat % 2] for seat in range(even)]
            seatings.append((*table, *[self._third] * (seats - even)))
        seeds = [match_seed(f"{self._seed} {name} {number}") for number in range(pairs)]
        played = self._series.play(MatchOrder(seating, seed) for seed in seeds for seating in seatings)
        scores = [[int(score) for score in match.record["scores"]] for match in played]
        leads = [(_lead(scores[2 * n], even) - _lead(scores[2 * n + 1], even)) / 2 for n in range(len(seeds))]
        self._keep(name, leads)
        return leads

    def _at(self, point: Point) -> LocalProgram:
        return replace(self._program, values=tuple(self.numbers(point).items()))

    def _known(self) -> list[tuple[str, list[float]]]:
        try:
            lines = self._journal.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise StichkampfError(f"cannot read {self._journal}: {error}") from None
        return list(self._read(lines))

    def _read(self, lines: list[str]) -> Iterator[tuple[str, list[float]]]:
        for number, line in enumerate(lines, start=1):
            try:
                digest, name, leads = json.loads(line)
                leads = [float(lead) for lead in leads]
            except (ValueError, TypeError):
                if number == len(lines):  # the tuning was ended while it wrote
                    self._journal.write_text("".join(f"{kept}\n" for kept in lines[:-1]), "utf-8")
                    return
                raise StichkampfError(f"{self._journal}, line {number}, is not of a tuning") from None
            if digest != self._digest:
                raise StichkampfError(
                    f"{self._journal} is of another tuning: other parameters, game, seed or numbers of pairs. Remove it, or"
                    " name another with --journal"
                )
            yield name, leads

    def _keep(self, name: str, leads: list[float]) -> None:
        try:
            with self._journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps([self._digest, name, leads]) + "\n")
        except OSError as error:
            raise StichkampfError(f"cannot write {self._journal}: {error.strerror}") from None


def _lead(scores: list[int], even: int) -> float:
    """Return how far those on even seats are ahead of those on odd ones."""
    return fmean(scores[0:even:2]) - fmean(scores[1:even:2])
