"""The way of a tuning as a drawing in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

WIDTH, HEIGHT, EDGE = 720, 360, 40
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")


def drawn(names: Sequence[str], points: Sequence[Sequence[float]], title: str) -> str:
    """Draw a line for each parameter, in shares of its range, step by step.

    >>> drawn(["margin"], [(0.5,), (0.6,)], "karl").count("<polyline")
    1
    """
    width, height = WIDTH - 4 * EDGE, HEIGHT - 2 * EDGE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<rect x="{EDGE}" y="{EDGE}" width="{width}" height="{height}" fill="none" stroke="#777"/>',
        '<g font-family="sans-serif" font-size="13">',
        f'<text x="{EDGE}" y="{EDGE - 12}">{escape(title)}</text>',
        f'<text x="{EDGE}" y="{HEIGHT - 14}">steps: {len(points) - 1};'
        " from the least to the most of each</text>",
    ]
    for k, name in enumerate(names):
        colour = COLOURS[k % len(COLOURS)]
        dashes = ' stroke-dasharray="6 4"' if k >= len(COLOURS) else ""
        places = " ".join(
            f"{EDGE + width * n / max(1, len(points) - 1):.1f},{EDGE + height * (1 - point[k]):.1f}"
            for n, point in enumerate(points)
        )
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points="{places}"/>')
        lines.append(
            f'<text x="{EDGE + width + 8}" y="{EDGE + 14 + 17 * k}" fill="{colour}">{escape(name)}</text>'
        )
    return "\n".join([*lines, "</g></svg>", ""])
