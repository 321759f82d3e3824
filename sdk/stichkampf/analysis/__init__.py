"""Analysis of records: what a decision cost, by an estimate of our search, and what would have come of it.

A mark is made of what its seat knew and of nothing else: hidden cards and the seed of the match enter neither
the worlds nor the chance of the search. Figures with all cards open stand apart, under their own names.
"""

from __future__ import annotations

from stichkampf.analysis.continuations import Continuations, RecordedDecision, continuations, decision_of
from stichkampf.analysis.costs import ANALYSIS_VERSION, DecisionCost, decision_cost
from stichkampf.analysis.estimate import PointsEstimate
from stichkampf.analysis.marks import Mark, MatchAnalysis, analyse_match, judged_decisions
from stichkampf.analysis.open_cards import open_cost

__all__ = [
    "ANALYSIS_VERSION",
    "Continuations",
    "DecisionCost",
    "Mark",
    "MatchAnalysis",
    "PointsEstimate",
    "RecordedDecision",
    "analyse_match",
    "continuations",
    "decision_cost",
    "decision_of",
    "judged_decisions",
    "open_cost",
]
