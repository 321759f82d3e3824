"""Charts as SVG text. They carry classes, never colours: the style sheet draws them in both themes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import log10

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from stichkampf_platform.web.figures import duration, plain, signed
from stichkampf_platform.web.svg import Scale, document, grid_line, px, rect, ticks

POINTS_SHOWN = 40
"""More points than that hide their line."""


class EloAxis:
    """The common scale of a ladder's whiskers."""

    WIDTH = 260

    def __init__(self, intervals: Sequence[tuple[float, float | None]]) -> None:
        ends = [elo + sign * (half or 0) for elo, half in intervals for sign in (-1, 1)] or [1400, 1600]
        self.ticks = ticks(min(ends), max(ends))
        self.scale = Scale(self.ticks[0], self.ticks[-1], 18, self.WIDTH - 18)

    def header(self) -> SafeString:
        body = [
            f'<text x="{px(self.scale.at(t))}" y="11" text-anchor="middle">{plain(t).replace(",", "")}</text>'
            for t in self.ticks
        ]
        return document("axis", self.WIDTH, 14, "", body)

    def whisker(self, elo: float, half: float | None) -> SafeString:
        """A point with its 95% interval; an open one, without an interval."""
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
    """A trend without axes; nothing where there is no trend yet."""
    if len(values) < 2:
        return mark_safe("")
    x, y = Scale(0, len(values) - 1, 2, 68), Scale(min(values), max(values), 19, 3)
    points = " ".join(f"{px(x.at(k))},{px(y.at(v))}" for k, v in enumerate(values))
    return document("spark", 70, 22, "", [f'<polyline points="{points}"/>'])


@dataclass(frozen=True)
class Moment:
    """A rating at one time; `version` is its number."""

    at: datetime
    elo: float
    half: float | None
    version: int


def history(moments: Sequence[Moment], label: str) -> SafeString:
    """Elo over time with its interval band, and a mark where a new version takes over."""
    width, height, left = 640, 220, 56
    ends = [m.elo + sign * (m.half or 0) for m in moments for sign in (-1, 1)]
    marks = ticks(min(ends), max(ends), 6)
    x = Scale(moments[0].at.timestamp(), moments[-1].at.timestamp(), left + 8, width - 12)
    y = Scale(marks[0], marks[-1], height - 28, 14)
    body = []
    for mark in marks:
        body.append(grid_line(y.at(mark), left, width, plain(mark).replace(",", "")))
    body += _band(moments, x, y)
    places = [(x.at(m.at.timestamp()), y.at(m.elo)) for m in moments]
    line = " ".join(f"{px(across)},{px(down)}" for across, down in places)
    body.append(f'<polyline class="line" points="{line}"/>')
    free = 0.0
    for before, now, (place, _) in zip([None, *moments], moments, places, strict=False):
        if before is None or before.version != now.version:
            body.append(f'<path class="mark" d="M{px(place)} 14V{height - 28}"/>')
            if place >= free:
                beside = f'x="{px(place + 4)}"' if place < width - 50 else f'x="{width}" text-anchor="end"'
                body.append(f'<text class="label" {beside} y="11">v{now.version}</text>')
                free = place + 40
    if len(moments) <= POINTS_SHOWN:
        body += [f'<circle class="point" cx="{px(a)}" cy="{px(d)}" r="3"/>' for a, d in places]
    first, last = (f"{m.at:%-d %b %Y, %H:%M}" for m in (moments[0], moments[-1]))
    body.append(f'<text x="{left + 8}" y="{height - 6}">{first}</text>')
    body.append(f'<text x="{width - 12}" y="{height - 6}" text-anchor="end">{last}</text>')
    return document("history", width, height, label, body)


def _band(moments: Sequence[Moment], x: Scale, y: Scale) -> list[str]:
    known = [(x.at(m.at.timestamp()), m.elo, m.half) for m in moments if m.half is not None]
    if len(known) < 2:
        return []
    upper = [f"{px(place)},{px(y.at(elo + half))}" for place, elo, half in known]
    lower = [f"{px(place)},{px(y.at(elo - half))}" for place, elo, half in reversed(known)]
    return [f'<polygon class="band" points="{" ".join(upper + lower)}"/>']


@dataclass(frozen=True)
class Bar:
    """One decision in the lanes: its place, seat, seconds (None: nobody measured), and what became of it."""

    place: int
    seat: int
    seconds: float | None
    past: bool
    fault: bool
    shaded: bool


def lanes(bars: Sequence[Bar], *, places: int, seats: int, now: int) -> SafeString:
    """Thinking times, one lane a seat, heights on a log scale from 1 ms to the longest; `now` is marked."""
    lane, width = 20, 1000
    step = width / max(places, 1)
    longest = max([bar.seconds or 0 for bar in bars] + [0.01])
    height = Scale(-3, max(log10(longest), -2), 1.5, lane - 3)
    tall = lane * seats
    body = [rect("stripe", (bar.place - 1) * step, 0, step, tall) for bar in bars if bar.shaded]
    body += [f'<path class="floor" d="M0 {lane * (s + 1) - 0.5}H{width}"/>' for s in range(seats)]
    if now:
        body.append(rect("now", (now - 1) * step, 0, step, tall))
    for bar in bars:
        high = 3.0 if bar.seconds is None else height.at(log10(max(bar.seconds, 0.001)))
        kind = "fault" if bar.fault else "past" if bar.past else "next"
        left = (bar.place - 1) * step + step * 0.1
        body.append(rect(kind, left, lane * (bar.seat + 1) - 1 - high, step * 0.8, high))
    return document("lanes", width, lane * seats, "", body, stretch=True)


def totals(rows: Sequence[Sequence[int]], names: Sequence[str], *, now: int) -> SafeString:
    """Totals deal by deal, one line style a seat; `rows[k]` are the totals after k deals."""
    width, height, left, right = 360, 180, 36, 250
    values = [v for row in rows for v in row]
    marks = ticks(min(values), max(values), 6)
    x, y = Scale(0, max(len(rows) - 1, 1), left + 4, right), Scale(marks[0], marks[-1], height - 20, 10)
    body = []
    for mark in marks:
        body.append(grid_line(y.at(mark), left, right, plain(mark)))
    body.append(f'<path class="cursor" d="M{px(x.at(now))} 10V{height - 20}"/>')
    ends = sorted((y.at(rows[-1][s]), s) for s in range(len(names)))
    label_at = 0.0
    for end, seat in ends:
        points = " ".join(f"{px(x.at(k))},{px(y.at(row[seat]))}" for k, row in enumerate(rows))
        body.append(f'<polyline class="line seat-{seat}" points="{points}"/>')
        label_at = max(end, label_at + 12)
        body.append(
            f'<text class="label" x="{right + 6}" y="{px(label_at + 3.5)}">{escape(names[seat])}</text>'
        )
    body.append(f'<text x="{right}" y="{height - 4}" text-anchor="end">deal {len(rows) - 1}</text>')
    label = "Totals after the last deal: " + ", ".join(
        f"{n} {plain(v)}" for n, v in zip(names, rows[-1], strict=True)
    )
    return document("totals", width, height, label, body)


TIME_ENDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Seconds at which a column of `times` ends and the next begins."""


def times(seconds: Sequence[float]) -> SafeString:
    """How long decisions took, in percent of them by spans of time; nothing where there was none."""
    if not seconds:
        return mark_safe("")
    counts = [0] * (len(TIME_ENDS) + 1)
    for each in seconds:
        counts[bisect_right(TIME_ENDS, each)] += 1
    shares = [100 * count / len(seconds) for count in counts]
    ends = [duration(1000 * end) for end in TIME_ENDS]
    width, floor_at, step = 420, 140, 420 / len(counts)
    tall = Scale(0, max(shares), 0, floor_at - 18)
    body = [f'<path class="grid" d="M0 {floor_at + 0.5}H{width}"/>']
    for place, share in enumerate(shares):
        if share:
            high = tall.at(share)
            body.append(rect("column", step * place + 2, floor_at - high, step - 4, high))
            middle = f'x="{px(step * (place + 0.5))}" y="{px(floor_at - high - 5)}" text-anchor="middle"'
            body.append(f'<text class="label" {middle}>{plain(share) if share >= 1 else "&lt;1"}%</text>')
    for place, end in enumerate(ends, start=1):
        body.append(f'<text x="{px(step * place)}" y="{floor_at + 16}" text-anchor="middle">{end}</text>')
    spans = [f"under {ends[0]}", *(f"{low} to {high}" for low, high in pairwise(ends)), f"over {ends[-1]}"]
    said = ", ".join(f"{plain(share, 1)}% {span}" for share, span in zip(shares, spans, strict=True) if share)
    return document("times", width, floor_at + 22, f"Of {plain(len(seconds))} decisions {said}", body)


def odds(label: str) -> SafeString:
    """Percent of the same-hand points by difference in Elo, three places marked."""
    width, height, left = 360, 200, 40
    x, y = Scale(-500, 500, left + 6, width - 52), Scale(0, 100, height - 24, 12)
    body = [grid_line(y.at(percent), left, width, f"{percent}%") for percent in (0, 25, 50, 75, 100)]
    for elo in (-400, -200, 0, 200, 400):
        text = signed(elo) if elo else "0"
        body.append(f'<text x="{px(x.at(elo))}" y="{height - 6}" text-anchor="middle">{text}</text>')
    curve = " ".join(f"{px(x.at(elo))},{px(y.at(_percent(elo)))}" for elo in range(-500, 501, 20))
    body.append(f'<polyline class="line" points="{curve}"/>')
    for elo in (100, 200, 400):
        place, level = x.at(elo), y.at(_percent(elo))
        body.append(f'<circle class="point" cx="{px(place)}" cy="{px(level)}" r="4"/>')
        text = f"+{elo}: {_percent(elo):.0f}%"
        body.append(f'<text class="label" x="{px(place + 6)}" y="{px(level + 15)}">{text}</text>')
    return document("odds", width, height, label, body)


def _percent(elo: float) -> float:
    return 100 / (1 + 10 ** (-elo / 400))


def dots(
    rows: Sequence[tuple[str, Sequence[float]]],
    names: Sequence[str],
    label: str,
    *,
    start: float = 0,
    band: tuple[float, float] | None = None,
    digits: int = 0,
) -> SafeString:
    """A line for each row with a mark for each of its values; the marks differ by shape and are named on top.

    :param start: where the axis begins.
    :param band: a span of values to shade.
    """
    width, left, row_height = 360, 138, 22
    top = 18 * len(names) + 8
    foot = top + row_height * len(rows)
    values = [value for _, row in rows for value in row]
    marks = ticks(min(start, *values), max(*values, *(band or ())), 5)
    x = Scale(marks[0], marks[-1], left + 8, width - 14)
    body = []
    for place, name in enumerate(names):
        body += [_mark(place, 8, 18 * place + 9), f'<text x="20" y="{18 * place + 13}">{escape(name)}</text>']
    if band:
        low, high = (x.at(value) for value in band)
        body.append(rect("band", low, top, high - low, foot - top))
    for tick in marks:
        across = px(x.at(tick))
        body.append(f'<path class="grid" d="M{across} {top}V{foot}"/>')
        body.append(f'<text x="{across}" y="{foot + 14}" text-anchor="middle">{plain(tick, digits)}</text>')
    for number, (name, row) in enumerate(rows):
        down = top + row_height * (number + 0.5)
        body.append(
            f'<text class="label" x="{left - 6}" y="{px(down + 4)}" text-anchor="end">{escape(name)}</text>'
        )
        body.append(f'<path class="grid" d="M{left} {px(down)}H{width}"/>')
        # the first on top: where all are equal it is the one to see
        body += [_mark(place, x.at(value), down) for place, value in reversed(list(enumerate(row)))]
    said = "; ".join(f"{name} {', '.join(plain(v, max(digits, 1)) for v in row)}" for name, row in rows)
    return document("dots", width, foot + 20, f"{label} ({', '.join(names)}): {said}", body)


def _mark(place: int, x: float, y: float) -> str:
    """A disc, a ring, a cross, a diamond: apart in shape, for colour is the cards'."""
    if place < 2:
        return (
            f'<circle class="{"point" if place == 0 else "open point"}" cx="{px(x)}" cy="{px(y)}" r="4.5"/>'
        )
    if place == 2:
        return f'<path class="interval" d="M{px(x - 4)} {px(y - 4)}l8 8m0 -8l-8 8"/>'
    return f'<path class="open" d="M{px(x)} {px(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>'
