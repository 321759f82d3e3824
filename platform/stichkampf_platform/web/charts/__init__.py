"""Charts as SVG text. They carry classes, never colours: the style sheet draws them in both themes.

elo_axis        Elo with its 95% interval beside each row of a table, and trends
rating_history  Elo of a bot over time
decision_times  thinking times decision by decision, and as a histogram
score_totals    the scores of a match deal by deal, or of a deal trick by trick
elo_odds        the share of the points that a difference in Elo predicts
dot_plot        values side by side, as the study of the ratings shows them
outcomes        the scores of a deal over many continuations
svg             the elements and scales that all of them draw with
"""

from __future__ import annotations

from stichkampf_platform.web.charts.decision_times import (
    DecisionBar,
    decision_cursor,
    decision_timeline,
    time_histogram,
)
from stichkampf_platform.web.charts.dot_plot import dot_plot
from stichkampf_platform.web.charts.elo_axis import EloAxis, sparkline
from stichkampf_platform.web.charts.elo_odds import elo_odds
from stichkampf_platform.web.charts.rating_history import RatingMoment, rating_history
from stichkampf_platform.web.charts.score_totals import score_totals

__all__ = [
    "DecisionBar",
    "EloAxis",
    "RatingMoment",
    "decision_cursor",
    "decision_timeline",
    "dot_plot",
    "elo_odds",
    "rating_history",
    "score_totals",
    "sparkline",
    "time_histogram",
]
