"""Elo intervals beside the lines of a table, on one common axis, and trends without an axis."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString, mark_safe

from stichkampf_platform.core.number_formats import ungrouped
from stichkampf_platform.web.charts.svg import ChartScale, document, px, ticks


class EloAxis:
    """The common scale of the whiskers of a ladder or tournament."""

    WIDTH = 260

    def __init__(self, intervals: Sequence[tuple[float, float | None]]) -> None:
        self.is_empty = not intervals
        ends = [elo + sign * (half or 0) for elo, half in intervals for sign in (-1, 1)] or [1400, 1600]
        self.ticks = ticks(min(ends), max(ends))
        self.scale = ChartScale(self.ticks[0], self.ticks[-1], 18, self.WIDTH - 18)

    def header(self) -> SafeString:
        """Draw the numbers of the scale; return an empty text where it has no interval to show."""
        if self.is_empty:
            return mark_safe("")
        body = [
            f'<text x="{px(self.scale.at(t))}" y="11" text-anchor="middle">{ungrouped(t)}</text>'
            for t in self.ticks
        ]
        return document("axis", self.WIDTH, 14, "", body)

    def whisker(self, elo: float, half: float | None) -> SafeString:
        """Draw a point with its 95% interval; a ring where there is no interval."""
        at = self.scale.at
        body = [f'<path class="grid" d="{"".join(f"M{px(at(t))} 2V28" for t in self.ticks)}"/>']
        if half is not None:
            left, right = at(elo - half), at(elo + half)
            body.append(
                f'<path class="interval" d="M{px(left)} 15H{px(right)}M{px(left)} 10V20M{px(right)} 10V20"/>'
            )
        kind = "point" if half is not None else "open point"
        body.append(f'<circle class="{kind}" cx="{px(at(elo))}" cy="15" r="4.5"/>')
        return document("whisker", self.WIDTH, 30, "", body)


def sparkline(values: Sequence[float]) -> SafeString:
    """Draw a trend without axes; return an empty text below two values."""
    if len(values) < 2:
        return mark_safe("")
    x, y = ChartScale(0, len(values) - 1, 2, 68), ChartScale(min(values), max(values), 19, 3)
    points = " ".join(f"{px(x.at(k))},{px(y.at(v))}" for k, v in enumerate(values))
    return document("spark", 70, 22, "", [f'<polyline points="{points}"/>'])
