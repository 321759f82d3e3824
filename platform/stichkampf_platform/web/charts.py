"""Charts as SVG text. They carry classes, never colours: the style sheet draws them in both themes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from stichkampf_platform.web.figures import plain


def _svg(
    kind: str, width: float, height: float, label: str, body: list[str], *, stretch: bool = False
) -> SafeString:
    """The document; `label` is what a reader hears, empty where the numbers stand beside the chart."""
    voice = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    aspect = ' preserveAspectRatio="none"' if stretch else ""
    head = f'<svg class="chart {kind}" viewBox="0 0 {_n(width)} {_n(height)}" {voice}{aspect}>'
    return mark_safe(head + "".join(body) + "</svg>")


def _rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"/>'


def _level(y: float, left: float, right: float, text: str) -> str:
    """A grid line with its value before it."""
    label = f'<text x="{_n(left - 5)}" y="{_n(y + 3.5)}" text-anchor="end">{text}</text>'
    return f'<path class="grid" d="M{_n(left)} {_n(y)}H{_n(right)}"/>{label}'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Scale:
    """A linear scale from values to places."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Round values that enclose low and high, at most so many of them."""
    span = max(high - low, 1e-9)
    for exponent in range(floor(log10(span / most)), ceil(log10(span)) + 2):
        for factor in (1, 2, 5):
            step = factor * 10.0**exponent
            first, last = floor(low / step), ceil(high / step)
            if last - first + 1 <= most:
                return [step * k for k in range(first, last + 1)]
    return [low, high]


class EloAxis:
    """The common scale of a ladder's whiskers."""

    WIDTH = 260

    def __init__(self, intervals: Sequence[tuple[float, float | None]]) -> None:
        ends = [elo + sign * (half or 0) for elo, half in intervals for sign in (-1, 1)] or [1400, 1600]
        self.ticks = ticks(min(ends), max(ends))
        self.scale = Scale(self.ticks[0], self.ticks[-1], 18, self.WIDTH - 18)

    def header(self) -> SafeString:
        body = [
            f'<text x="{_n(self.scale.at(t))}" y="11" text-anchor="middle">{plain(t).replace(",", "")}</text>'
            for t in self.ticks
        ]
        return _svg("axis", self.WIDTH, 14, "", body)

    def whisker(self, elo: float, half: float | None) -> SafeString:
        """A point with its 95% interval; an open one, without an interval."""
        at = self.scale.at
        body = [f'<path class="grid" d="M{_n(at(t))} 2V28"/>' for t in self.ticks]
        if half is not None:
            left, right = at(elo - half), at(elo + half)
            body.append(
                f'<path class="interval" d="M{_n(left)} 15H{_n(right)}M{_n(left)} 10V20M{_n(right)} 10V20"/>'
            )
        kind = "point" if half is not None else "open point"
        body.append(f'<circle class="{kind}" cx="{_n(at(elo))}" cy="15" r="4.5"/>')
        return _svg("whisker", self.WIDTH, 30, "", body)


def sparkline(values: Sequence[float]) -> SafeString:
    """A trend without axes; nothing where there is no trend yet."""
    if len(values) < 2:
        return mark_safe("")
    x, y = Scale(0, len(values) - 1, 2, 68), Scale(min(values), max(values), 19, 3)
    points = " ".join(f"{_n(x.at(k))},{_n(y.at(v))}" for k, v in enumerate(values))
    return _svg("spark", 70, 22, "", [f'<polyline points="{points}"/>'])


@dataclass(frozen=True)
class Moment:
    """A rating at one time: hours since some start, Elo, half-width, number of the version."""

    hours: float
    elo: float
    half: float | None
    version: int


def history(moments: Sequence[Moment], label: str) -> SafeString:
    """Elo over time with its interval band, and a mark where a new version takes over."""
    width, height, left = 640, 220, 44
    ends = [m.elo + sign * (m.half or 0) for m in moments for sign in (-1, 1)]
    marks = ticks(min(ends), max(ends), 6)
    x = Scale(moments[0].hours, moments[-1].hours, left + 8, width - 12)
    y = Scale(marks[0], marks[-1], height - 14, 12)
    body = []
    for mark in marks:
        body.append(_level(y.at(mark), left, width, plain(mark).replace(",", "")))
    body += _band(moments, x, y)
    line = " ".join(f"{_n(x.at(m.hours))},{_n(y.at(m.elo))}" for m in moments)
    body.append(f'<polyline class="line" points="{line}"/>')
    for before, now in zip([None, *moments], moments, strict=False):
        if before is None or before.version != now.version:
            place = x.at(now.hours)
            body.append(f'<path class="mark" d="M{_n(place)} 12V{height - 14}"/>')
            body.append(f'<text class="label" x="{_n(place + 4)}" y="10">v{now.version}</text>')
    body += [
        f'<circle class="point" cx="{_n(x.at(m.hours))}" cy="{_n(y.at(m.elo))}" r="3"/>' for m in moments
    ]
    return _svg("history", width, height, label, body)


def _band(moments: Sequence[Moment], x: Scale, y: Scale) -> list[str]:
    known = [(x.at(m.hours), m.elo, m.half) for m in moments if m.half is not None]
    if len(known) < 2:
        return []
    upper = [f"{_n(place)},{_n(y.at(elo + half))}" for place, elo, half in known]
    lower = [f"{_n(place)},{_n(y.at(elo - half))}" for place, elo, half in reversed(known)]
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
    body = [_rect("stripe", (bar.place - 1) * step, 0, step, tall) for bar in bars if bar.shaded]
    body += [f'<path class="floor" d="M0 {lane * (s + 1) - 0.5}H{width}"/>' for s in range(seats)]
    if now:
        body.append(_rect("now", (now - 1) * step, 0, step, tall))
    for bar in bars:
        high = 3.0 if bar.seconds is None else height.at(log10(max(bar.seconds, 0.001)))
        kind = "fault" if bar.fault else "past" if bar.past else "next"
        left = (bar.place - 1) * step + step * 0.1
        body.append(_rect(kind, left, lane * (bar.seat + 1) - 1 - high, step * 0.8, high))
    return _svg("lanes", width, lane * seats, "", body, stretch=True)


def totals(rows: Sequence[Sequence[int]], names: Sequence[str], *, now: int) -> SafeString:
    """Totals deal by deal, one line style a seat; `rows[k]` are the totals after k deals."""
    width, height, left, right = 360, 180, 36, 250
    values = [v for row in rows for v in row]
    marks = ticks(min(values), max(values), 6)
    x, y = Scale(0, max(len(rows) - 1, 1), left + 4, right), Scale(marks[0], marks[-1], height - 20, 10)
    body = []
    for mark in marks:
        body.append(_level(y.at(mark), left, right, plain(mark)))
    body.append(f'<path class="cursor" d="M{_n(x.at(now))} 10V{height - 20}"/>')
    ends = sorted((y.at(rows[-1][s]), s) for s in range(len(names)))
    label_at = 0.0
    for end, seat in ends:
        points = " ".join(f"{_n(x.at(k))},{_n(y.at(row[seat]))}" for k, row in enumerate(rows))
        body.append(f'<polyline class="line seat-{seat}" points="{points}"/>')
        label_at = max(end, label_at + 12)
        body.append(
            f'<text class="label" x="{right + 6}" y="{_n(label_at + 3.5)}">{escape(names[seat])}</text>'
        )
    body.append(f'<text x="{right}" y="{height - 4}" text-anchor="end">deal {len(rows) - 1}</text>')
    label = "Totals after the last deal: " + ", ".join(
        f"{n} {plain(v)}" for n, v in zip(names, rows[-1], strict=True)
    )
    return _svg("totals", width, height, label, body)
