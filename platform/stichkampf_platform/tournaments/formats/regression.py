from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.limits import COMPARED_AT_ONCE
from stichkampf.rating import RegressionVerdict, confidence_sequence, elo_between, regression_test
from stichkampf.schedule import regression_blocks

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import Sentence, joined
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import DECIDED, Competition, Past, Seating
from stichkampf_platform.tournaments.formats.mirrored_pairs import TABLES_A_PAIR

LEAST_PAIRS = 32
PAIRS_A_LOOK = 16


class Regression(RoundFormat):
    """A test which entrants are better than the last: mirrored pairs of tables with copies of one and of it.

    A block is one mirrored pair. Each but the last plays until it has a verdict, or all are undecided after
    the number of blocks, so that what the clear ones do not need is left for the others. Never rated: copies
    at a table could help each other, and all may be versions of one author.
    """

    name = "regression"
    title = gettext_lazy("Regression test")
    names_first = True
    why_closed = "the organiser names its two versions"
    shows_rounds = True
    stopping = (DECIDED,)

    def check(self, competition: Competition) -> None:
        new = len(competition.authors) - 1
        if not 1 <= new <= COMPARED_AT_ONCE:
            raise RequestRefused(
                _(
                    "a regression test needs a new entrant or several, {most} at most, and last of all the"
                    " old one, not {authors} in all"
                ).format(most=COMPARED_AT_ONCE, authors=new + 1)
            )
        if competition.rated:
            raise RequestRefused(_("a regression test seats copies of one bot together and cannot be rated"))
        if competition.blocks < LEAST_PAIRS * new:
            raise RequestRefused(
                _("a regression test decides nothing in fewer than {least_pairs} blocks").format(
                    least_pairs=LEAST_PAIRS * new
                )
            )

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        left = competition.blocks - past.blocks
        *entrants, old = sorted(competition.authors)
        if left <= 0 or old in competition.out:
            return []
        undecided = [
            new
            for new in entrants
            if new not in competition.out and not _test(competition, _scores(past, new, old)).verdict
        ]
        plan = []
        for turn, new in enumerate(undecided):
            fair = (left + turn) // len(undecided)
            portion = min(fair, PAIRS_A_LOOK if past.rounds else LEAST_PAIRS)
            before = sum(new in block for drawn in past.rounds for block in drawn)
            if portion:
                plan += regression_blocks(
                    new, old, competition.seats, portion, first=before, partners=competition.partners
                )
        return [[list(table) for table in block.tables] for block in plan]

    def tables_at_most(self, competition: Competition) -> int:
        return TABLES_A_PAIR * competition.blocks

    def outcome(self, competition: Competition, past: Past) -> str:
        *entrants, old = sorted(competition.authors)
        return joined(*(part for new in entrants for part in _told(competition, past, new, old)))


def _told(competition: Competition, past: Past, new: int, old: int) -> list[Sentence]:
    scores = _scores(past, new, old)
    test = _test(competition, scores)
    names = {"new": competition.names[new], "old": competition.names[old]}
    if not test.pairs:
        return [Sentence("{new} and {old} have played no pair of tables to its end.", **names)]
    told = {**names, "percent": 100 * test.mean_score, "pairs": test.pairs, "llr": test.llr}
    verdict = _verdict(test, told)
    elo, low, high = elo_between(confidence_sequence(scores))
    if not isfinite(elo):
        return [verdict]
    return [
        verdict,
        Sentence("That is {elo:+.0f} ({low:+.0f} to {high:+.0f}) Elo.", elo=elo, low=low, high=high),
    ]


def _test(competition: Competition, scores: np.ndarray) -> RegressionVerdict:
    return regression_test(scores, tests=len(competition.authors) - 1)


def _verdict(test: RegressionVerdict, told: dict[str, Any]) -> Sentence:
    if test.verdict == "better":
        return Sentence("{new} is better than {old}: {percent:.1f}% of {pairs} pairs, LLR {llr:.2f}.", **told)
    if test.verdict == "not better":
        return Sentence(
            "{new} is not better than {old}: {percent:.1f}% of {pairs} pairs, LLR {llr:.2f}.", **told
        )
    return Sentence(
        "{new} is not yet proved better or worse than {old}: {percent:.1f}% of {pairs} pairs, LLR {llr:.2f}.",
        **told,
    )


def _scores(past: Past, new: int, old: int) -> np.ndarray:
    """Return the share of the points that a new one took from the old one, for each pair that is over."""
    entrants = [] if past.comparisons is None else list(past.comparisons.entrants)
    if past.comparisons is None or new not in entrants or old not in entrants:
        return np.array([])
    met = past.comparisons.sides.of(entrants.index(new), entrants.index(old))
    shares: np.ndarray = met.half_points / (2 * met.count)
    return shares
