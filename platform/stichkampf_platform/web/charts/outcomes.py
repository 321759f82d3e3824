"""The scores that a deal came to over many continuations, and how often."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.web.charts.svg import ChartScale, document, px, rect, ticks

MOST_COLUMNS = 24
SMALL_STEPS = (1, 2, 5)


def outcome_histogram(outcomes: Mapping[int, int], mean: float) -> SafeString:
    """Draw how often each score came of it, and the mean; many scores share columns of equal width.

    :param outcomes: by score, how often; at least one.
    """
    low, high = min(outcomes), max(outcomes)
    step = _step(high - low + 1)
    first = low // step * step
    counts = [0] * ((high - first) // step + 1)
    for score, times in outcomes.items():
        counts[(score - first) // step] += times
    width, floor_at = 420, 140
    across, tall = ChartScale(0, len(counts), 0, width), ChartScale(0, max(counts), 0, floor_at - 18)
    body = [f'<path class="grid" d="M0 {floor_at + 0.5}H{width}"/>']
    for column, times in enumerate(counts):
        left, right = across.at(column), across.at(column + 1)
        if times:
            top = floor_at - tall.at(times)
            body.append(rect("column", left + 1, top, right - left - 2, floor_at - top))
            middle = f'x="{px((left + right) / 2)}" y="{px(top - 5)}" text-anchor="middle"'
            body.append(f'<text class="label" {middle}>{plain(times)}</text>')
    scores = ChartScale(first, first + len(counts) * step, 0, width)
    for tick in ticks(low, high, 6):
        if tick == int(tick) and low <= tick <= high:
            at = px(scores.at(tick + step / 2 if step == 1 else tick))
            body.append(f'<text x="{at}" y="{floor_at + 16}" text-anchor="middle">{plain(tick)}</text>')
    cursor = px(scores.at(mean + step / 2 if step == 1 else mean))
    body.append(f'<path class="cursor" d="M{cursor} 0V{floor_at}"/>')
    said = ", ".join(
        ngettext("once {score}", "{times} times {score}", times).format(times=times, score=plain(score))
        for score, times in outcomes.items()
    )
    label = _("Points of the deal, by how often: {outcomes}").format(outcomes=said)
    return document("outcomes", width, floor_at + 22, label, body)


def _step(scores: int) -> int:
    """Return the width of a column, in scores: a round number that leaves at most `MOST_COLUMNS`."""
    power = 1
    while True:
        for small in SMALL_STEPS:
            if scores / (small * power) <= MOST_COLUMNS:
                return small * power
        power *= 10
