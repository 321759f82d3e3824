from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.rating import RegressionVerdict, regression_test
from stichkampf.schedule import regression_blocks

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import Sentence
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
        if left <= 0 or competition.out or _test(past).verdict:
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
        test = _test(past)
        new, old = (competition.names[entrant] for entrant in sorted(competition.authors))
        told = {
            "new": new,
            "old": old,
            "percent": 100 * test.mean_score,
            "pairs": test.pairs,
            "llr": test.llr,
        }
        if not test.verdict:
            return Sentence(
                "{new} is not yet proved better or worse than {old}: {percent:.1f}% of {pairs} pairs, LLR"
                " {llr:.2f}.",
                **told,
            )
        if test.verdict == "better":
            return Sentence(
                "{new} is better than {old}: {percent:.1f}% of {pairs} pairs, LLR {llr:.2f}.", **told
            )
        return Sentence(
            "{new} is not better than {old}: {percent:.1f}% of {pairs} pairs, LLR {llr:.2f}.", **told
        )


def _test(past: Past) -> RegressionVerdict:
    if past.comparisons is None:
        return regression_test([])
    new = past.comparisons.sides.of(0)
    return regression_test(new.half_points / (2 * new.count))
