"""The pieces on the felt: what the declaration of a game names, drawn from a deal so far without any rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from stichkampf.engine.declaration import Kind
from stichkampf.engine.felt import Term
from stichkampf.engine.game import Game

from stichkampf_platform.web.games.cards import face, pip
from stichkampf_platform.web.games.words import in_words
from stichkampf_platform.web.replay import fact_texts
from stichkampf_platform.web.replay.action_texts import card_of
from stichkampf_platform.web.replay.deal_so_far import DealSoFar
from stichkampf_platform.web.replay.scene_parts import DraftCard, GridField, Text

TABLE = "table"


def terms(deal: DealSoFar) -> Iterator[tuple[str, Text]]:
    """Yield what always stands above the table: (caption, value)."""
    for term in deal.felt.terms:
        if term.fact == deal.felt.trail:
            yield in_words(deal.game, term.caption), _trail(deal, term)
            continue
        text = _term(deal, term)
        if text:
            yield in_words(deal.game, term.caption), text


def _term(deal: DealSoFar, term: Term) -> Text:
    is_secret = term.fact in deal.game.secrets
    fact = deal.game.secrets[term.fact] if is_secret else deal.game.facts[term.fact]
    value = deal.secret(term.fact) if is_secret else deal.frame.facts.get(term.fact)
    if term.entry:
        left = (value or {}).get(term.entry, [])
        if len(left) != 1:
            return ""
        return fact_texts.shown(deal.game, fact_texts.entry_of(fact, term.entry), left[0])
    if value is None:
        return in_words(deal.game, term.none)
    if term.counts:
        named: set[Any] = {deal.frame.facts.get(name) for name in term.of} - {None}
        got = sum(deal.of_seat(term.counts, seat) or 0 for seat in named)
        return format_html(_("{} of {}"), got, fact_texts.shown(deal.game, fact, value))
    return fact_texts.shown(deal.game, fact, value)


def _trail(deal: DealSoFar, term: Term) -> Text:
    fact = deal.game.facts[term.fact]
    values: list[Any] = []
    for frame in deal.frames:
        value = frame.facts.get(term.fact)
        if not values or values[-1] != value:
            values.append(value)
    texts = [
        fact_texts.shown(deal.game, fact, value) if value is not None else in_words(deal.game, term.none)
        for value in values
    ]
    old = format_html_join("", '<span class="old">{} →</span> ', ((text,) for text in texts[:-1][-4:]))
    return format_html("{}{}", old, texts[-1])


def stacks(deal: DealSoFar) -> dict[int, tuple[str, ...]]:
    """Return the cards that lie before each seat as long as there is no trick."""
    if deal.tricks:
        return {}
    found: dict[int, tuple[str, ...]] = {}
    for name in reversed(deal.felt.stacks):
        for seat in range(deal.seats):
            value = deal.of_seat(name, seat)
            if value:
                found[seat] = tuple(value) if isinstance(value, list) else (value,)
    return found


def grid(deal: DealSoFar) -> list[tuple[str, list[GridField]]]:
    """Return the board row by row, until the first trick; empty in a game without one."""
    piece = deal.felt.grid
    if piece is None or deal.tricks:
        return []
    free = deal.frame.facts.get(piece.fact) or {}
    stones = {
        tuple(action.split()[1:]): (seat, step)
        for step, seat, action in deal.moves()
        if action.split()[0] == piece.verb
    }
    fact = deal.game.facts[piece.fact]
    rows = []
    for row, fields in piece.rows.items():
        left = free.get(row, [])
        cells = []
        for each in fields:
            seat, step = stones.get((row, each), (-1, -1))
            text = _field(deal.game, fact.kinds.get(row, fact.kind), each, piece.labels)
            is_free = each in left
            cells.append(GridField(text, is_free, seat + 1, step == deal.step, is_free and len(left) == 1))
        rows.append((in_words(deal.game, piece.labels.get(row, row)), cells))
    return rows


def _field(game: type[Game], kind: Kind, word: str, labels: Any) -> Text:
    if kind is Kind.SEAT and word.isdigit():
        return str(int(word) + 1)
    if kind is Kind.SUIT and word in "RYGBOVK":
        return format_html('<span class="suit s{}">{}</span>', word, pip(word))
    return in_words(game, labels.get(word, word))


def draft(deal: DealSoFar) -> list[tuple[list[DraftCard], str, bool]]:
    """Return the rows of a draft: (cards, winner of the row, whether it is the row in play)."""
    piece = deal.felt.rows
    if piece is None or deal.tricks:
        return []
    taken = {
        card_of(action): (str(seat + 1), step)
        for step, seat, action in deal.moves()
        if action.split()[0] == piece.verb
    }
    order = {card: number for number, card in enumerate(taken)}
    winners = deal.frame.facts.get(piece.winners) or []
    rows = []
    for number, cards in enumerate(deal.frame.facts.get(piece.fact) or []):
        winner = _seat_word(winners[number]) if number < len(winners) else ""
        drawn = []
        first = min((order[card] for card in cards if card in order), default=0)
        for card in sorted(cards, key=lambda word: face(word).order if face(word) else (99, 0)):  # type: ignore[union-attr]
            taker, step = taken.get(card, (TABLE if winner else "", -1))
            place = order[card] - first + 1 if card in order else 0
            drawn.append(DraftCard(card, taker, place, bool(winner) and taker == winner, step == deal.step))
        rows.append((drawn, winner, number == len(winners)))
    return rows


def _seat_word(value: Any) -> str:
    return value if value == TABLE else str(int(value) + 1)


def display(deal: DealSoFar) -> list[Text]:
    """List the words that lie open in the middle."""
    name = deal.felt.display
    words = deal.frame.facts.get(name) or [] if name else []
    return [fact_texts.shown(deal.game, deal.game.facts[name], word) for word in words]


def swap(deal: DealSoFar) -> tuple[str, str] | None:
    """Return the card given and the card taken, if this step exchanged two."""
    if not deal.felt.swaps:
        return None
    for __, action in deal.moves_of(deal.frame):
        verb, *cards = action.split()
        if verb == deal.felt.swaps and len(cards) == 2:
            return cards[0], cards[1]
    return None


def answers(deal: DealSoFar) -> dict[int, str]:
    """Return by seat what was answered to a question about the trick on the table; "asked" where it is."""
    calls = deal.felt.calls
    if calls is None or not deal.tricks:
        return {}
    trick = deal.tricks[-1]
    began = trick.cards[0][2] if trick.cards else deal.step
    said: dict[int, str] = {}
    for step, seat, action in deal.moves():
        if step >= began and action in (calls.yes, calls.no):
            said[seat] = calls.says if action == calls.yes else action
    if trick.winner is None and not any(word == calls.says for word in said.values()):
        said |= {seat: "asked" for seat in deal.frame.asked if seat in [s for s, _, _ in trick.cards]}
    return {seat: _("asked") if text == "asked" else in_words(deal.game, text) for seat, text in said.items()}


def call_order(deal: DealSoFar) -> list[tuple[int, bool]]:
    """List the seats in the order in which they are asked about the trick: (number, whether it may be)."""
    calls = deal.felt.calls
    trick = deal.tricks[-1] if deal.tricks else None
    if calls is None or trick is None or trick.winner is not None:
        return []
    fact, limit = calls.full
    seats = [seat for seat, _, _ in trick.cards]
    newest = [seats[-1], *seats[:-1]]
    bots = len(deal.deal.scores)
    return [(seat + 1, seat < bots and (deal.of_seat(fact, seat) or 0) < limit) for seat in newest]


def tally_note(deal: DealSoFar) -> Text:
    """Say how the goals of all seats stand to the number that there is."""
    piece = deal.felt.tally
    if piece is None:
        return ""
    goals = [deal.of_seat(piece.goal, seat) for seat in range(deal.seats)]
    of = deal.frame.facts.get(piece.of) or 0
    bid = sum(goal for goal in goals if goal is not None)
    text = format_html(_("{} of {} bid"), bid, of)
    barred = of - bid
    if (
        goals.count(None) == 1
        and piece.unequal
        and deal.replay.options.get(piece.unequal)
        and 0 <= barred <= of
    ):
        last = goals.index(None)
        if last == deal.replay.observer:
            return format_html(_("{}; you may not bid {}"), text, barred)
        return format_html(_("{}; seat {} may not bid {}"), text, last + 1, barred)
    return text


def turned(deal: DealSoFar) -> bool:
    """Tell whether a card on the table turns the trick upside down."""
    trick = deal.tricks[-1] if deal.tricks else None
    if not deal.felt.low or trick is None:
        return False
    on_table = trick.winner is None or any(event.kind == "trick" for event in deal.frame.events)
    return on_table and any(card[1:] == deal.felt.low for _, card, _ in trick.cards)
