"""The scores of a match after each of its deals, or of a deal after each of its tricks."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.web.charts.svg import ChartScale, document, grid_line, px, ticks

NAME_CHARACTERS = 14
"""As many of a name as the margin beside the lines has room for."""
DEAL, TRICK = gettext_noop("deal"), gettext_noop("trick")


def score_totals(
    rows: Sequence[Sequence[int]], names: Sequence[str], *, now: int, unit: str = DEAL
) -> SafeString:
    """Draw the totals, one line style a seat; `rows[k]` are the totals after k deals, or tricks."""
    width, height, left, right = 360, 180, 36, 250
    values = [v for row in rows for v in row]
    marks = ticks(min(values), max(values), 6)
    x, y = (
        ChartScale(0, max(len(rows) - 1, 1), left + 4, right),
        ChartScale(marks[0], marks[-1], height - 20, 10),
    )
    body = []
    for mark in (mark for mark in marks if mark == int(mark)):
        body.append(grid_line(y.at(mark), left, right, plain(mark)))
    body.append(f'<path class="cursor" d="M{px(x.at(now))} 10V{height - 20}"/>')
    ends = sorted((y.at(rows[-1][s]), s) for s in range(len(names)))
    label_at = 0.0
    for end, seat in ends:
        points = " ".join(f"{px(x.at(k))},{px(y.at(row[seat]))}" for k, row in enumerate(rows))
        body.append(f'<polyline class="line seat-{seat}" points="{points}"/>')
        label_at = max(end, label_at + 12)
        name = escape(Truncator(names[seat]).chars(NAME_CHARACTERS))
        body.append(f'<text class="label" x="{right + 6}" y="{px(label_at + 3.5)}">{name}</text>')
    last = f"{_(unit)} {len(rows) - 1}"
    body.append(f'<text x="{right}" y="{height - 4}" text-anchor="end">{last}</text>')
    totals = ", ".join(f"{n} {plain(v)}" for n, v in zip(names, rows[-1], strict=True))
    label = _("Totals after {unit}: {totals}").format(unit=last, totals=totals)
    return document("totals", width, height, label, body)
