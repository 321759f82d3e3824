from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
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
    """A test if the first entrant is better than the second: mirrored pairs of tables with copies of both.

    A block is one mirrored pair. It ends with a verdict, or undecided after its number of blocks. Never
    rated: copies at a table could help each other, and the two may be versions of one author.
    """

    name = "regression"
    title = gettext_lazy("Regression test")
    names_first = True
    why_closed = "the organiser names its two versions"
    shows_rounds = True
    stopping = (DECIDED,)

    def check(self, competition: Competition) -> None:
        if len(competition.authors) != 2:
            raise RequestRefused(
                _("a regression test needs 2 entrants, a new one and an old one, not {authors}").format(
                    authors=len(competition.authors)
                )
            )
        if competition.rated:
            raise RequestRefused(_("a regression test seats copies of one bot together and cannot be rated"))
        if competition.blocks < LEAST_PAIRS:
            raise RequestRefused(
                _("a regression test decides nothing in fewer than {least_pairs} blocks").format(
                    least_pairs=LEAST_PAIRS
                )
            )

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        left = competition.blocks - past.blocks
        if left <= 0 or competition.out or regression_test(_scores(past)).verdict:
            return []
        new, old = sorted(competition.authors)
        portion = min(left, PAIRS_A_LOOK if past.rounds else LEAST_PAIRS)
        plan = regression_blocks(
            new, old, competition.seats, portion, first=past.blocks, partners=competition.partners
        )
        return [[list(table) for table in block.tables] for block in plan]

    def tables_at_most(self, competition: Competition) -> int:
        return TABLES_A_PAIR * competition.blocks

    def outcome(self, competition: Competition, past: Past) -> str:
        new, old = (competition.names[entrant] for entrant in sorted(competition.authors))
        scores = _scores(past)
        test = regression_test(scores)
        if not test.pairs:
            return Sentence("{new} and {old} have played no pair of tables to its end.", new=new, old=old)
        told = {"new": new, "old": old, "percent": 100 * test.mean_score, "pairs": test.pairs}
        verdict = _verdict(test, {**told, "llr": test.llr})
        elo, low, high = elo_between(confidence_sequence(scores))
        if not isfinite(elo):
            return verdict
        return joined(
            verdict,
            Sentence("That is {elo:+.0f} ({low:+.0f} to {high:+.0f}) Elo.", elo=elo, low=low, high=high),
        )


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


def _scores(past: Past) -> np.ndarray:
    """Return the share of the points that the new one took, for each pair that is over."""
    if past.comparisons is None:
        return np.array([])
    new = past.comparisons.sides.of(0)
    shares: np.ndarray = new.half_points / (2 * new.count)
    return shares
