"""Values side by side, one row a name."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString

from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.web.charts.svg import ChartScale, document, px, rect, ticks


def dot_plot(
    rows: Sequence[tuple[str, Sequence[float]]],
    names: Sequence[str],
    label: str,
    *,
    start: float = 0,
    band: tuple[float, float] | None = None,
    digits: int = 0,
) -> SafeString:
    """Draw a line for each row with a mark for each of its values, and a key on top.

    :param start: where the axis begins.
    :param band: a span of values to shade.
    """
    width, left, row_height = 360, 138, 22
    top = 18 * len(names) + 8
    foot = top + row_height * len(rows)
    values = [value for _, row in rows for value in row]
    marks = ticks(min(start, *values), max(*values, *(band or ())), 5)
    x = ChartScale(marks[0], marks[-1], left + 8, width - 14)
    body = []
    for number, name in enumerate(names):
        body += [
            _mark(number, 8, 18 * number + 9),
            f'<text x="20" y="{18 * number + 13}">{escape(name)}</text>',
        ]
    if band:
        low, high = (x.at(value) for value in band)
        body.append(rect("band", low, top, high - low, foot - top))
    for tick in marks:
        across = px(x.at(tick))
        body.append(f'<path class="grid" d="M{across} {top}V{foot}"/>')
        body.append(f'<text x="{across}" y="{foot + 14}" text-anchor="middle">{plain(tick, digits)}</text>')
    for line, (name, row) in enumerate(rows):
        down = top + row_height * (line + 0.5)
        body.append(
            f'<text class="label" x="{left - 6}" y="{px(down + 4)}" text-anchor="end">{escape(name)}</text>'
        )
        body.append(f'<path class="grid" d="M{left} {px(down)}H{width}"/>')
        # the first on top: where all are equal it is the one to see
        body += [_mark(number, x.at(value), down) for number, value in reversed(list(enumerate(row)))]
    said = "; ".join(f"{name} {', '.join(plain(v, max(digits, 1)) for v in row)}" for name, row in rows)
    return document("dots", width, foot + 20, f"{label} ({', '.join(map(str, names))}): {said}", body)


def _mark(number: int, x: float, y: float) -> str:
    """Draw a disc, a ring, a cross or a diamond. They differ in shape, because colours mean suits."""
    if number < 2:
        return (
            f'<circle class="{"point" if number == 0 else "open point"}" cx="{px(x)}" cy="{px(y)}" r="4.5"/>'
        )
    if number == 2:
        return f'<path class="interval" d="M{px(x - 4)} {px(y - 4)}l8 8m0 -8l-8 8"/>'
    return f'<path class="open" d="M{px(x)} {px(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>'
