"""Cards and suits as HTML. Colour and shape name the suit; texts for screen readers name suit and rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from django.utils.html import format_html
from django.utils.safestring import SafeString

SUIT_NAMES = {
    "R": "red",
    "Y": "yellow",
    "G": "green",
    "B": "blue",
    "O": "orange",
    "V": "violet",
    "K": "black",
    "C": "clubs",
    "D": "diamonds",
    "H": "hearts",
    "S": "spades",
}
FRENCH = "CDHS"
COURT = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
FRENCH_RANKS = "23456789TJQKA"
COLOUR_RANKS = {str(value) for value in range(15)}


@dataclass(frozen=True)
class Face:
    """The look of a card.

    :ivar corner: the text on the card: "11", "10", "Q".
    :ivar name: the text for screen readers: "red 11", "queen of spades".
    :ivar order: a key that sorts a hand by suit, then rank.
    """

    word: str
    suit: str
    corner: str
    name: str
    order: tuple[int, int]


@cache
def face(word: str) -> Face | None:
    """Return the face of a card word of the match record; None for any other text."""
    suit, rank = word[:1], word[1:]
    if suit in FRENCH and len(rank) == 1 and rank in FRENCH_RANKS:
        name = f"{COURT.get(rank, rank)} of {SUIT_NAMES[suit]}"
        order = (FRENCH.index(suit), FRENCH_RANKS.index(rank))
        return Face(word, suit, "10" if rank == "T" else rank, name, order)
    if suit in SUIT_NAMES and suit not in FRENCH and rank in COLOUR_RANKS:
        return Face(word, suit, rank, f"{SUIT_NAMES[suit]} {rank}", (list(SUIT_NAMES).index(suit), int(rank)))
    return None


def suit_name(letter: str) -> str:
    return SUIT_NAMES.get(letter, letter)


def pip(suit: str) -> SafeString:
    """Draw the shape of a suit, by reference to the sprite in the page."""
    return format_html('<svg class="pip" aria-hidden="true"><use href="#suit-{}"/></svg>', suit)


def card(word: str, extra: str = "") -> SafeString:
    """Draw a card on the table or in a hand; `extra` are further CSS classes."""
    shown = face(word)
    if shown is None:
        return format_html('<span class="card word {}">{}</span>', extra, word)
    return format_html(
        '<span class="card s{} {}" role="img" aria-label="{}"><b>{}</b>{}</span>',
        shown.suit,
        extra,
        shown.name + (" (played)" if "gone" in extra.split() else ""),
        shown.corner,
        pip(shown.suit),
    )


def chip(word: str) -> SafeString:
    """Draw a card within a text."""
    shown = face(word)
    if shown is None:
        return format_html('<span class="chip word">{}</span>', word)
    return format_html(
        '<span class="chip s{}" role="img" aria-label="{}">{}<b>{}</b></span>',
        shown.suit,
        shown.name,
        pip(shown.suit),
        shown.corner,
    )


def suit_chip(letter: str) -> SafeString:
    """Draw a suit: its shape and its name."""
    if letter not in SUIT_NAMES:
        return format_html("{}", letter)
    return format_html('<span class="suit s{}">{} {}</span>', letter, pip(letter), SUIT_NAMES[letter])
