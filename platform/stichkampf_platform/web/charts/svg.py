"""SVG as text, and the scales to draw it by."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe


def document(
    kind: str, width: float, height: float, label: str, body: list[str], *, stretch: bool = False
) -> SafeString:
    """Return the SVG element; `label` is read aloud, and empty where the numbers stand beside the chart."""
    voice = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    aspect = ' preserveAspectRatio="none"' if stretch else ""
    head = f'<svg class="chart {kind}" viewBox="0 0 {px(width)} {px(height)}" {voice}{aspect}>'
    return mark_safe(head + "".join(body) + "</svg>")


def rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"/>'


def grid_line(y: float, left: float, right: float, text: str) -> str:
    """Draw a horizontal grid line with its value to the left."""
    label = f'<text x="{px(left - 5)}" y="{px(y + 3.5)}" text-anchor="end">{text}</text>'
    return f'<path class="grid" d="M{px(left)} {px(y)}H{px(right)}"/>{label}'


def px(value: float) -> str:
    """Write a length or coordinate to a tenth of a unit."""
    return f"{value:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class ChartScale:
    """A linear scale from values to coordinates."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return round values that enclose `low` and `high`, at most `most` of them."""
    span = max(high - low, 1e-9)
    for exponent in range(floor(log10(span / most)), ceil(log10(span)) + 2):
        for factor in (1, 2, 5):
            step = factor * 10.0**exponent
            first, last = floor(low / step), ceil(high / step)
            if last - first + 1 <= most:
                return [step * k for k in range(first, last + 1)]
    return [low, high]
