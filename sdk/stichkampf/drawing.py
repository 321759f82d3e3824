"""A deal as HTML for notebooks: the hands that its viewer knows, the cards on the table, the public facts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

Deal = Any
"""`engine.deal.Deal`."""
_COLOURS: Final = {
    **dict.fromkeys("RHD", "#b3261e"),
    "Y": "#7a5f00",
    "G": "#1b7837",
    "B": "#1f5fbf",
    "O": "#a84f00",
    "V": "#6a3d9a",
}
_SUITS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_CARD: Final = (
    "display:inline-block;margin:1px 2px;padding:0 5px;"
    "border:1px solid #888;border-radius:4px;background:#fff;color:"
)
_CELL: Final = "padding:2px 8px;text-align:left;vertical-align:top"


def card_html(word: str) -> str:
    """Draw a card.

    >>> card_html("HT").split(">")[1]
    '♥10</span'
    """
    suit, rank = word[:1], word[1:]
    shown = _SUITS[suit] + rank.replace("T", "10") if suit in _SUITS else word
    return f'<span style="{_CARD}{_COLOURS.get(suit, "#222")}">{escape(shown)}</span>'


def deal_html(deal: Deal, title: str = "", seats: Sequence[str] = ()) -> str:
    """Draw a deal: all hands, or on a blind deal what its viewer knows. It needs nothing from elsewhere.

    :param title: a line above it.
    :param seats: further words about each seat, such as its score.
    """
    rows = [(_of_seat(seat, seats), _hand(deal, seat)) for seat in range(deal.seats)]
    laid = "".join(f"{card_html(card)} seat {seat} " for seat, card in deal.table())
    rows.append(("on the table", laid or "nothing"))
    if (last := deal.last_trick()) is not None:
        rows.append(("last trick", escape(repr(last))))
    rows += [(escape(name), escape(str(fact))) for name, fact in deal.facts().items()]
    if deal.viewer >= 0:
        known = deal.secrets(deal.viewer).items()
        rows += [(f"seat {deal.viewer}: {escape(name)}", escape(str(fact))) for name, fact in known]
    body = "".join(
        f'<tr><th style="{_CELL}">{name}</th><td style="{_CELL}">{told}</td></tr>' for name, told in rows
    )
    head = escape(title or repr(deal)[1:-1])
    return f'<table style="border-collapse:collapse"><caption>{head}</caption>{body}</table>'


def _of_seat(seat: int, more: Sequence[str]) -> str:
    return f"seat {seat}" + (f" {escape(more[seat])}" if seat < len(more) else "")


def _hand(deal: Deal, seat: int) -> str:
    cards = deal.hand(seat)
    hidden = deal.hand_size(seat) - len(cards)
    return "".join(map(card_html, cards)) + (f" {hidden} hidden" if hidden > 0 else "")
