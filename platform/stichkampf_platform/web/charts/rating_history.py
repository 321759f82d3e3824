"""Elo over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import date_format
from django.utils.safestring import SafeString

from stichkampf_platform.core.number_formats import ungrouped
from stichkampf_platform.web.charts.svg import ChartScale, document, grid_line, px, ticks

POINTS_SHOWN = 40
"""A longer history is drawn without its points, which would hide the line."""
INTERVALS_SHOWN = 4
"""An interval more than so many times as wide as the narrowest one is cut at the edge of the chart."""


@dataclass(frozen=True)
class RatingMoment:
    """The rating of a bot at one time; `half` is half the width of its 95% interval, `version` a number."""

    at: datetime
    elo: float
    half: float | None
    version: int


def rating_history(moments: Sequence[RatingMoment], label: str) -> SafeString:
    """Draw Elo over time with its 95% interval as a band, and a mark where a new version takes over."""
    width, height, left = 640, 220, 56
    marks = _marks(moments)
    x = ChartScale(moments[0].at.timestamp(), moments[-1].at.timestamp(), left + 8, width - 12)
    y = ChartScale(marks[0], marks[-1], height - 28, 14)
    body = []
    for mark in marks:
        body.append(grid_line(y.at(mark), left, width, ungrouped(mark)))
    body += _band(moments, x, y)
    points = [(x.at(m.at.timestamp()), y.at(m.elo)) for m in moments]
    line = " ".join(f"{px(across)},{px(down)}" for across, down in points)
    body.append(f'<polyline class="line" points="{line}"/>')
    free = 0.0
    for before, now, (across, _) in zip([None, *moments], moments, points, strict=False):
        if before is None or before.version != now.version:
            body.append(f'<path class="mark" d="M{px(across)} 14V{height - 28}"/>')
            if across >= free:
                beside = f'x="{px(across + 4)}"' if across < width - 50 else f'x="{width}" text-anchor="end"'
                body.append(f'<text class="label" {beside} y="11">v{now.version}</text>')
                free = across + 40
    if len(moments) <= POINTS_SHOWN:
        body += [f'<circle class="point" cx="{px(a)}" cy="{px(d)}" r="3"/>' for a, d in points]
    first, last = (date_format(m.at, "DATETIME_FORMAT") for m in (moments[0], moments[-1]))
    body.append(f'<text x="{left + 8}" y="{height - 6}">{first}</text>')
    body.append(f'<text x="{width - 12}" y="{height - 6}" text-anchor="end">{last}</text>')
    return document("history", width, height, label, body)


def _marks(moments: Sequence[RatingMoment]) -> list[float]:
    """Return the marks of an axis that holds every Elo, and intervals as far as they do not flatten the line.

    The first intervals of a new bot are many times as wide as those that follow.
    """
    widest = INTERVALS_SHOWN * min((m.half for m in moments if m.half is not None), default=0)
    ends = [m.elo + sign * min(m.half or 0, widest) for m in moments for sign in (-1, 1)]
    return ticks(min(ends), max(ends), 6)


def _band(moments: Sequence[RatingMoment], x: ChartScale, y: ChartScale) -> list[str]:
    known = [(x.at(m.at.timestamp()), m.elo, m.half) for m in moments if m.half is not None]
    if len(known) < 2:
        return []
    upper = [f"{px(across)},{px(y.at(min(elo + half, y.high)))}" for across, elo, half in known]
    lower = [f"{px(across)},{px(y.at(max(elo - half, y.low)))}" for across, elo, half in reversed(known)]
    return [f'<polygon class="band" points="{" ".join(upper + lower)}"/>']
