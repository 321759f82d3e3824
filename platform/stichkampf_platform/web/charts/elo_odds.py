"""The share of the points that a difference in Elo predicts."""

from __future__ import annotations

from django.utils.safestring import SafeString

from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.web.charts.svg import ChartScale, document, grid_line, px


def elo_odds(label: str) -> SafeString:
    """Draw percent of the same-hand points by difference in Elo, with three points marked."""
    width, height, left = 360, 200, 40
    x, y = ChartScale(-500, 500, left + 6, width - 52), ChartScale(0, 100, height - 24, 12)
    body = [grid_line(y.at(percent), left, width, f"{percent}%") for percent in (0, 25, 50, 75, 100)]
    for elo in (-400, -200, 0, 200, 400):
        text = signed(elo) if elo else "0"
        body.append(f'<text x="{px(x.at(elo))}" y="{height - 6}" text-anchor="middle">{text}</text>')
    curve = " ".join(f"{px(x.at(elo))},{px(y.at(_percent(elo)))}" for elo in range(-500, 501, 20))
    body.append(f'<polyline class="line" points="{curve}"/>')
    for elo in (100, 200, 400):
        across, down = x.at(elo), y.at(_percent(elo))
        body.append(f'<circle class="point" cx="{px(across)}" cy="{px(down)}" r="4"/>')
        text = f"+{elo}: {_percent(elo):.0f}%"
        body.append(f'<text class="label" x="{px(across + 6)}" y="{px(down + 15)}">{text}</text>')
    return document("odds", width, height, label, body)


def _percent(elo: float) -> float:
    return 100 / (1 + 10 ** (-elo / 400))
