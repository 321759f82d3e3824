"""Thinking times: of one deal decision by decision, and of many decisions by spans of time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import log10

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stichkampf_platform.core.number_formats import duration, plain
from stichkampf_platform.web.charts.svg import ChartScale, document, px, rect

TIME_ENDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Seconds at which a column of the histogram ends and the next begins."""
STEP = 10
"""Units of the timeline's width for each decision, so that its hundreds of coordinates are short. The style
sheet makes the lines of decisions 8 wide."""


@dataclass(frozen=True)
class DecisionBar:
    """One decision on the timeline.

    :ivar number: counts from 1 in its deal.
    :ivar seconds: None where unknown.
    :ivar address: of its place in the replay.
    """

    number: int
    seat: int
    seconds: float | None
    fault: bool
    shaded: bool
    address: str


def decision_timeline(bars: Sequence[DecisionBar], *, decisions: int, seats: int) -> SafeString:
    """Draw thinking times, one row a seat, on a log scale from 1 ms; each decision is a link.

    The links are for the pointer alone: they are no stops of the Tab key.
    """
    row, width = 20, STEP * max(decisions, 1)
    longest = max([bar.seconds or 0 for bar in bars] + [0.01])
    height = ChartScale(-3, max(log10(longest), -2), 1.5, row - 3)
    tall = row * seats
    floors = "".join(f"M0 {row * (seat + 1) - 0.5}H{width}" for seat in range(seats))
    shaded = [bar.number for bar in bars if bar.shaded]
    stripes = "".join(_block(STEP * (first - 1), STEP * length, tall) for first, length in _runs(shaded))
    drawn: dict[str, str] = {"stripe": stripes, "floor": floors, "bar": "", "fault": ""}
    links = []
    for bar in bars:
        left = STEP * (bar.number - 1)
        high = 3.0 if bar.seconds is None else height.at(log10(max(bar.seconds, 0.001)))
        drawn["fault" if bar.fault else "bar"] += (
            f"M{left + STEP // 2} {row * (bar.seat + 1) - 1}v-{px(high)}"
        )
        links.append(
            f'<a href="{escape(bar.address)}" tabindex="-1"><path d="{_block(left, STEP, tall)}"/></a>'
        )
    body = [f'<path class="{kind}" d="{path}"/>' for kind, path in drawn.items() if path]
    return document("lanes", width, tall, "", body + links, stretch=True)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the length of each run of successive numbers."""
    for _key, run in groupby(enumerate(numbers), key=lambda at: at[1] - at[0]):
        found = [number for _at, number in run]
        yield found[0], len(found)


def _block(left: int, width: int, tall: int) -> str:
    return f"M{left} 0h{width}v{tall}h-{width}"


def decision_cursor(*, decisions: int, seats: int, now: int) -> SafeString:
    """Draw what lies over the timeline: a mark at decision `now`, and a veil over those after it."""
    width, tall = STEP * max(decisions, 1), 20 * seats
    body = [rect("veil", STEP * now, 0, width - STEP * now, tall)]
    if now:
        body.append(rect("now", STEP * (now - 1), 0, STEP, tall))
    return document("cursor", width, tall, "", body, stretch=True)


def time_histogram(seconds: Sequence[float]) -> SafeString:
    """Draw the percentage of decisions by spans of thinking time; return an empty text without decisions."""
    if not seconds:
        return mark_safe("")
    counts = [0] * (len(TIME_ENDS) + 1)
    for each in seconds:
        counts[bisect_right(TIME_ENDS, each)] += 1
    shares = [100 * count / len(seconds) for count in counts]
    ends = [duration(1000 * end) for end in TIME_ENDS]
    width, floor_at, step = 420, 140, 420 / len(counts)
    tall = ChartScale(0, max(shares), 0, floor_at - 18)
    body = [f'<path class="grid" d="M0 {floor_at + 0.5}H{width}"/>']
    for column, share in enumerate(shares):
        if share:
            high = tall.at(share)
            body.append(rect("column", step * column + 2, floor_at - high, step - 4, high))
            middle = f'x="{px(step * (column + 0.5))}" y="{px(floor_at - high - 5)}" text-anchor="middle"'
            body.append(f'<text class="label" {middle}>{plain(share) if share >= 1 else "&lt;1"}%</text>')
    for column, end in enumerate(ends, start=1):
        body.append(f'<text x="{px(step * column)}" y="{floor_at + 16}" text-anchor="middle">{end}</text>')
    spans = [
        _("under {time}").format(time=ends[0]),
        *(_("{low} to {high}").format(low=low, high=high) for low, high in pairwise(ends)),
        _("over {time}").format(time=ends[-1]),
    ]
    said = ", ".join(f"{plain(share, 1)}% {span}" for share, span in zip(shares, spans, strict=True) if share)
    told = ngettext("Of {decisions} decision {shares}", "Of {decisions} decisions {shares}", len(seconds))
    label = told.format(decisions=plain(len(seconds)), shares=said)
    return document("times", width, floor_at + 22, label, body)
