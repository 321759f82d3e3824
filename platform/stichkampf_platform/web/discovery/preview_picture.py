"""The picture that other sites show beside a link: of a match who played and a trick, of a list its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import cos, pi, sin
from pathlib import Path

import reportlab  # type: ignore[import-untyped]
from PIL import Image, ImageDraw, ImageFont

from stichkampf_platform.web.games.cards import face

FONT = Path(reportlab.__file__).parent / "fonts" / "VeraBd.ttf"
"""Pillow's own font has no umlauts, and a server may have no fonts at all."""
WIDTH, HEIGHT = 1200, 630
FINER = 2
"""The factor by which the picture is drawn larger and made smaller at the end, which makes edges smooth."""
FELT, PLATE, CHALK, SOFT, AMBER, INK = "#20424b", "#2c545e", "#ffffff", "#b9ced2", "#f5b81c", "#12161c"
FACES = {
    "R": ("#d3160f", CHALK), "Y": ("#fbd02c", INK), "G": ("#128563", CHALK), "B": ("#1552f0", CHALK),
    "O": ("#dd8736", INK), "V": ("#4a2370", CHALK), "K": ("#17191d", CHALK), "S": (CHALK, INK),
    "H": (CHALK, "#c8120c"), "D": (CHALK, "#1552f0"), "C": (CHALK, "#0d6b4f"),
}  # fmt: skip
"""The colours of face and print, by suit, as in the style sheet."""
CARD_WIDTH, CARD_HEIGHT = 104, 148
ONE_ROW = 4
"""The most cards that lie in one row."""

Point = tuple[float, float]


@dataclass(frozen=True)
class PreviewLine:
    """A line of the picture; the first of a list, or the best of a match, is written in amber."""

    name: str
    score: str
    rank: int | None


def draw(title: str, where: str, lines: Sequence[PreviewLine], cards: Sequence[str]) -> bytes:
    """Draw a picture as PNG.

    :param title: the game, tournament, ladder or bot.
    :param where: what it belongs to, such as the tournament and block.
    :param lines: six at most.
    :param cards: of a trick, in words of the record.
    """
    picture = Image.new("RGB", (WIDTH * FINER, HEIGHT * FINER), FELT)
    pen = _Pen(ImageDraw.Draw(picture))
    pen.text((60, 44), title, 66, CHALK, most=800)
    pen.text((62, 142), where, 26, SOFT, most=1080)
    pen.text((WIDTH - 60, 60), "Stichkampf", 34, AMBER, anchor="ra")
    height = min(82, 380 // max(len(lines), 1))
    for number, line in enumerate(lines):
        top = 214 + number * height
        pen.box((60, top, 660, top + height - 10), PLATE)
        middle = top + (height - 10) / 2
        best = AMBER if line.rank == 1 else CHALK
        pen.text((84, middle), line.name, 28, best, anchor="lm", most=430)
        pen.text((636, middle), line.score, 30, best, anchor="rm")
    across = len(cards) if len(cards) <= ONE_ROW else (len(cards) + 1) // 2
    top = 304 if across == len(cards) else 226
    for number, word in enumerate(cards):
        row, column = divmod(number, across)
        _card(pen, word, 716 + 108 * column, top + 182 * row + 24 * (column % 2))
    stored = BytesIO()
    picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(stored, "PNG", optimize=True)
    return stored.getvalue()


class _Pen:
    """Draws in the measures of the finished picture."""

    def __init__(self, on: ImageDraw.ImageDraw) -> None:
        self._on = on

    def text(
        self, at: Point, text: str, size: int, colour: str, *, anchor: str = "la", most: float = WIDTH
    ) -> None:
        """Write a text, of which the end is left out where it would be wider than `most`."""
        x, y = at
        font = ImageFont.truetype(FONT, size * FINER)
        whole = text
        while text and font.getlength(text) > most * FINER:
            whole = whole[:-1]
            text = f"{whole}…"
        self._on.text((x * FINER, y * FINER), text, fill=colour, font=font, anchor=anchor)

    def box(self, corners: tuple[float, float, float, float], colour: str, edge: str | None = None) -> None:
        scaled = [each * FINER for each in corners]
        self._on.rounded_rectangle(scaled, 10 * FINER, fill=colour, outline=edge, width=3 * FINER)

    def shape(self, points: Sequence[Point], colour: str) -> None:
        self._on.polygon([(x * FINER, y * FINER) for x, y in points], fill=colour)

    def disc(self, centre: Point, radius: float, colour: str) -> None:
        (x, y), r = centre, radius
        self._on.ellipse([(x - r) * FINER, (y - r) * FINER, (x + r) * FINER, (y + r) * FINER], fill=colour)


def _card(pen: _Pen, word: str, left: float, top: float) -> None:
    shown = face(word)
    colour, ink = FACES[shown.suit] if shown else (CHALK, INK)
    pen.box((left, top, left + CARD_WIDTH, top + CARD_HEIGHT), colour, edge=CHALK)
    pen.text((left + CARD_WIDTH / 2, top + 52), shown.corner if shown else word[:6], 50, ink, anchor="mm")
    if shown:
        _suit(pen, shown.suit, (left + CARD_WIDTH / 2, top + 112), 20, ink, colour)


def _suit(pen: _Pen, suit: str, centre: Point, r: float, ink: str, paper: str) -> None:
    """Draw the shape of a suit into a circle of radius `r`."""
    x, y = centre
    around = [(x + r * sin(turn), y - r * cos(turn)) for turn in (pi * k / 5 for k in range(10))]
    inner = [(x + r * 0.45 * sin(turn), y - r * 0.45 * cos(turn)) for turn in (pi * k / 5 for k in range(10))]
    third = r / 3
    polygons: dict[str, list[Point]] = {
        "Y": [around[k] if k % 2 == 0 else inner[k] for k in range(10)],
        "G": [(x, y - r), (x + r, y + r * 0.8), (x - r, y + r * 0.8)],
        "O": [(x - r, y - r), (x + r, y - r), (x, y), (x + r, y + r), (x - r, y + r), (x, y)],
        "K": [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
        "D": [(x, y - r), (x + r * 0.75, y), (x, y + r), (x - r * 0.75, y)],
        "H": [(x, y - third), (x + r * 0.94, y), (x, y + r), (x - r * 0.94, y)],
        "S": [(x, y + third), (x + r * 0.94, y + 2), (x, y - r), (x - r * 0.94, y + 2)],
    }
    if suit in polygons:
        pen.shape(polygons[suit], ink)
    if suit == "R":
        pen.disc(centre, r, ink)
    elif suit == "B":
        pen.disc(centre, r, ink)
        pen.disc((x + r * 0.5, y - r * 0.35), r * 0.8, paper)
    elif suit == "V":
        pen.shape([(x - third, y - r), (x + third, y - r), (x + third, y + r), (x - third, y + r)], ink)
        pen.shape([(x - r, y - third), (x + r, y - third), (x + r, y + third), (x - r, y + third)], ink)
    elif suit in "HS":
        for side in (-1, 1):
            pen.disc((x + side * r / 2, y + (-third if suit == "H" else third)), r * 0.52, ink)
    elif suit == "C":
        for at in ((x, y - r / 2), (x - r / 2, y + third / 2), (x + r / 2, y + third / 2)):
            pen.disc(at, r * 0.48, ink)
    if suit in "SC":
        pen.shape([(x, y), (x + r / 2, y + r), (x - r / 2, y + r)], ink)
