"""Cards and suits as HTML. Colour and shape name the suit; texts for screen readers name suit and rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from stichkampf.match.phrases import SUITS

SUIT_LETTERS = "RYGBOVKCDHS"
FRENCH = "CDHS"
COURT = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
COURT_IN_GERMAN = {"T": "10", "J": "Bube", "Q": "Dame", "K": "König", "A": "Ass"}
FRENCH_RANKS = "23456789TJQKA"
COLOUR_RANKS = {str(value) for value in range(15)}


@dataclass(frozen=True)
class CardFace:
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


def face(word: str) -> CardFace | None:
    """Return the face of a card word of the match record; None for any other text."""
    return _face(word, get_language() == "de")


@cache
def _face(word: str, german: bool) -> CardFace | None:
    suit, rank = word[:1], word[1:]
    if suit in FRENCH and len(rank) == 1 and rank in FRENCH_RANKS:
        name = (
            f"{SUITS['de'][suit]} {COURT_IN_GERMAN.get(rank, rank)}"
            if german
            else f"{COURT.get(rank, rank)} of {SUITS['en'][suit]}"
        )
        order = (FRENCH.index(suit), FRENCH_RANKS.index(rank))
        return CardFace(word, suit, "10" if rank == "T" else rank, name, order)
    if suit and suit in SUIT_LETTERS and suit not in FRENCH and rank in COLOUR_RANKS:
        name = f"{SUITS['de' if german else 'en'][suit]} {rank}"
        return CardFace(word, suit, rank, name, (SUIT_LETTERS.index(suit), int(rank)))
    return None


def in_order(word: str) -> tuple[int, int]:
    """Return the key that sorts card words as a hand is sorted, other words at its end."""
    return shown.order if (shown := _face(word, False)) else (99, 0)


def is_card(word: str) -> bool:
    """Tell whether a text is a card word of the match record."""
    return _face(word, False) is not None


def is_suit(word: str) -> bool:
    return len(word) == 1 and word in SUIT_LETTERS


def suit_name(letter: str) -> str:
    return SUITS["de" if get_language() == "de" else "en"].get(letter, letter)


def pip(suit: str) -> SafeString:
    """Draw the shape of a suit, by reference to the sprite in the page."""
    return format_html('<svg class="pip" aria-hidden="true"><use href="#s{}"/></svg>', suit)


# Pages have hundreds of these, so they are as short as can be: a picture's own parts need no class, and are
# hidden from screen readers already.
def _corner(suit: str) -> SafeString:
    return format_html('<svg><use href="#s{}"/></svg>', suit)


def card(word: str, extra: str = "") -> SafeString:
    """Draw a card on the table or in a hand; `extra` are further CSS classes."""
    shown = face(word)
    if shown is None:
        return format_html('<span class="card word {}">{}</span>', extra, word)
    return format_html(
        '<span class="card s{}{}" role="img" aria-label="{}">{}{}</span>',
        shown.suit,
        f" {extra}" if extra else "",
        _("{card} (played)").format(card=shown.name) if "gone" in extra.split() else shown.name,
        shown.corner,
        _corner(shown.suit),
    )


def chip(word: str, *, named: bool = True) -> SafeString:
    """Draw a small card for running text.

    :param named: whether it says its name, as nothing around it does.
    """
    shown = face(word)
    if shown is None:
        return format_html('<span class="chip word">{}</span>', word)
    return format_html(
        '<span class="chip s{}"{}>{}{}</span>',
        shown.suit,
        format_html(' role="img" aria-label="{}"', shown.name) if named else "",
        _corner(shown.suit),
        shown.corner,
    )


def chip_link(word: str, address: str, *, current: bool) -> SafeString:
    """Draw a card that leads to an address; the link says its name."""
    shown = face(word)
    return format_html(
        '<a href="{}"{}{}>{}</a>',
        address,
        format_html(' aria-label="{}"', shown.name) if shown else "",
        mark_safe(' aria-current="true"') if current else "",
        chip(word, named=False),
    )


def suit_chip(letter: str) -> SafeString:
    """Draw a suit: its shape and its name."""
    if not is_suit(letter):
        return format_html("{}", letter)
    return format_html('<span class="suit s{}">{} {}</span>', letter, pip(letter), suit_name(letter))
