"""By how much a bot that fails moves the others, season by season and on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from competitions import FORMATS, LADDER_BOTS, Outcome, cast_of, ladder_season, tournament
from failing import FAILURES, HONEST, Cast, Floats
from rules import RULES, SITE

MOST_ELO, MOST_PLACES = 3.0, 0.1

Question = tuple[str, str, str, float, int]
"""Format or ladder, rule, way of failing, Elo above the substitute, number of seasons."""


@dataclass(frozen=True)
class Difference:
    """By how much others moved in one season; by number, nan for who failed.

    :ivar elo: from the field with the substitute, as `place`.
    :ivar honest_elo: how the same bot moves them where it does not fail, from the field with the substitute;
        so is `honest_place`.
    """

    elo: Floats
    place: Floats
    honest_elo: Floats
    honest_place: Floats


@dataclass(frozen=True)
class Moved:
    """By how much others moved, on average over the seasons; by number, nan for who failed.

    :ivar elo: from the field with the substitute, with `elo_error`, half the width of its 95% interval.
    :ivar by_failing: from the field with the same bot that does not fail, in Elo.
    """

    cast: Cast
    seasons: int
    elo: Floats
    elo_error: Floats
    place: Floats
    place_error: Floats
    by_failing: Floats
    by_failing_error: Floats
    place_by_failing: Floats
    place_by_failing_error: Floats

    def worst(self) -> tuple[str, str, str, str]:
        return (
            _furthest(self.elo, self.elo_error, 1, MOST_ELO),
            _furthest(self.place, self.place_error, 3, MOST_PLACES),
            _furthest(self.by_failing, self.by_failing_error, 1, MOST_ELO),
            _furthest(self.place_by_failing, self.place_by_failing_error, 3, MOST_PLACES),
        )

    def of_friends(self) -> str:
        friends = list(self.cast.friends)
        return f"{np.nanmean(self.elo[friends]):+.1f} ± {np.nanmean(self.elo_error[friends]):.1f}"

    @property
    def is_within(self) -> bool:
        """Tell whether failing moves nobody beyond the goal, from the same bot that does not fail."""
        elo = np.abs(self.by_failing) + self.by_failing_error
        place = np.abs(self.place_by_failing) + self.place_by_failing_error
        return bool(np.nanmax(elo) <= MOST_ELO and np.nanmax(place) <= MOST_PLACES)


def _furthest(moved: Floats, error: Floats, digits: int, goal: float) -> str:
    one = int(np.nanargmax(np.abs(moved) + error))
    figure = f"{moved[one]:+.{digits}f} ± {error[one]:.{digits}f}"
    return figure if abs(moved[one]) + error[one] <= goal else f"**{figure}**"


def differences(asked: list[Question], numbers: range, seed: int) -> list[list[Difference]]:
    """Compare seasons with the failing bot, with it as it plays on, and without it, all with the same luck.

    :param asked: of one competition and strength.
    :param numbers: of the seasons.
    :returns: for each question, by how much others moved in each season.
    """
    found: list[list[Difference]] = [[] for _ in asked]
    for number in numbers:
        what, *_, by, _ = asked[0]
        without = _season(what, SITE, None, by, seed, number)
        honest = _season(what, SITE, HONEST, by, seed, number) if by else without
        honestly = (honest.elo - without.elo, honest.place - without.place)
        for (_, rule, failure, _, seasons), moved in zip(asked, found, strict=True):
            if number < seasons:
                with_it = honest if failure == HONEST else _season(what, rule, failure, by, seed, number)
                moved.append(Difference(with_it.elo - without.elo, with_it.place - without.place, *honestly))
    return found


def moved(asked: list[Question], seasons: list[list[Difference]]) -> dict[Question, Moved]:
    """Return by how much others moved on average.

    :param asked: of one competition and strength, with its seasons.
    """
    most = max(seasons, key=len)
    honest_elo, honest_place = _column(most, "honest_elo"), _column(most, "honest_place")
    found = {}
    for question, own in zip(asked, seasons, strict=True):
        elo, place = _column(own, "elo"), _column(own, "place")
        found[question] = Moved(
            _cast(question[0], question[3]),
            len(own),
            *mean_and_error(elo, honest_elo),
            *mean_and_error(place, honest_place),
            *mean_and_error(elo - honest_elo[: len(own)], honest_elo),
            *mean_and_error(place - honest_place[: len(own)], honest_place),
        )
    return found


def _column(seasons: list[Difference], name: str) -> Floats:
    return np.array([getattr(season, name) for season in seasons])


def mean_and_error(own: Floats, control: Floats) -> tuple[Floats, Floats]:
    """Return the means over seasons, the first axis, and half of their 95% intervals.

    :param control: the control variate, the first of its seasons the same; where it has more, they
        tell by how much its mean in those first ones was off.
    """
    seasons, beside = len(own), control[: len(own)]
    covariance = ((own - own.mean(axis=0)) * (beside - beside.mean(axis=0))).mean(axis=0)
    variance = beside.var(axis=0)
    slope = covariance / np.where(variance == 0, 1, variance)
    mean = own.mean(axis=0) + slope * (control.mean(axis=0) - beside.mean(axis=0))
    remaining = np.maximum(own.var(axis=0) - slope * covariance, 0)
    explained = slope**2 * control.var(axis=0)
    return mean, 1.96 * np.sqrt(remaining / seasons + explained / len(control))


def _cast(what: str, stronger_by: float) -> Cast:
    return cast_of(LADDER_BOTS if what == "ladder" else FORMATS[what]["entrants"], stronger_by)


def _season(what: str, rule: str, failure: str | None, stronger_by: float, seed: int, number: int) -> Outcome:
    cast, fails = _cast(what, stronger_by), FAILURES[failure] if failure else None
    if what == "ladder":
        return ladder_season(cast, RULES[rule], fails, [seed, number])
    return tournament(what, cast, fails, [seed, number])
