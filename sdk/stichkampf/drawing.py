"""Deals and records as HTML for notebooks: what a viewer may know of a deal, and the replay of a match."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
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
REPLAY_NEEDS: Final = ("stichkampf_platform", "django")
"""Packages with the site's templates and what draws them."""
_FRAME: Final = 'style="width:100%;height:46em;border:0"'
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


def record_html(record: Mapping[str, Any]) -> str:
    """Draw the replay of a record in a frame, by the site's templates; without these its scores."""
    try:
        text = json.dumps(record)
    except (TypeError, ValueError, RecursionError) as wrong:
        return _no_record(wrong)
    if all(map(find_spec, REPLAY_NEEDS)):
        with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
            source, drawn = Path(folder, "record.json"), Path(folder, "replay.html")
            source.write_text(text, "utf-8")
            done = subprocess.run(replay_program(source, drawn), capture_output=True, check=False)
            if done.returncode == 0:
                page = escape(drawn.read_text("utf-8"))
                return f'<iframe title="Replay" sandbox="allow-scripts" {_FRAME} srcdoc="{page}"></iframe>'
    try:
        return scores_html(record)
    except (LookupError, TypeError) as missing:
        return _no_record(missing)


def _no_record(wrong: Exception) -> str:
    return f"<p>This is no match record: {escape(repr(wrong))}</p>"


def replay_program(source: Path, drawn: Path, *options: str) -> list[str]:
    """Return the command that draws the replay of a record: a process, because it sets Django up."""
    return [sys.executable, "-m", "stichkampf_platform.web.replay_file", str(source), str(drawn), *options]


def scores_html(record: Mapping[str, Any]) -> str:
    """Draw who sat where, the scores of each deal, totals and ranks.

    >>> seats, deals = [{"bot": "karl"}], [{"scores": [3]}, {"scores": [4]}]
    >>> drawn = scores_html({"game": "mue", "seats": seats, "deals": deals, "scores": [7], "ranks": [1]})
    >>> drawn.count("<tr>"), ">0 karl<" in drawn, ">4<" in drawn
    (2, True, True)
    """
    deals = record["deals"]
    rows = [["seat", *(f"deal {number}" for number in range(len(deals))), "total", "rank"]]
    for seat, entry in enumerate(record["seats"]):
        by_deal = [deal["scores"][seat] for deal in deals]
        rows.append([f"{seat} {entry['bot']}", *by_deal, record["scores"][seat], record["ranks"][seat]])
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(str(told))}</td>' for told in row) + "</tr>"
        for row in rows
    )
    game = escape(str(record["game"]))
    return f'<table style="border-collapse:collapse"><caption>{game}</caption>{body}</table>'
