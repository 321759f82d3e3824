"""The seats of a scene: plates with roles, points and goals, and the hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from django.utils.translation import gettext as _
from stichkampf.engine.declaration import Fact

from stichkampf_platform.web.games.cards import in_order
from stichkampf_platform.web.games.words import in_words
from stichkampf_platform.web.replay import fact_texts, tricks
from stichkampf_platform.web.replay.action_texts import card_of
from stichkampf_platform.web.replay.deal_so_far import DealSoFar
from stichkampf_platform.web.replay.scene_parts import (
    GoalMark,
    HandCard,
    SeatOccupant,
    SeatView,
    TallyMarks,
    Text,
)

EMPTY: Final[tuple[Any, ...]] = (None, [], {})


def seat_views(deal: DealSoFar, players: Sequence[SeatOccupant]) -> list[SeatView]:
    """Return every seat at the table, as the observer knows it."""
    own = deal.by_seat[0]
    first = 0 if deal.all_hands else deal.replay.observer
    totals = _totals(deal)
    points = list(deal.deal.scores) if deal.is_over else deal.running_points(deal.frame.facts)
    counts = _("this deal") if deal.is_over else in_words(deal.game, deal.felt.counts or deal.felt.running)
    return [
        SeatView(
            number=seat + 1,
            player=players[seat],
            total=totals[seat] if seat < len(totals) else None,
            points=points[seat] if seat < len(points) else None,
            counts=counts,
            asked=seat in deal.frame.asked,
            badges=_badges(deal, seat),
            side=_side(deal, seat),
            tally=_tally(deal, seat),
            goals=_goals(deal, seat),
            said=_said(deal, seat),
            suits=hand(deal, seat),
            backs=range(max(0, deal.frame.hidden[seat] - fact_texts.open_cards(deal.game.facts, own, seat))),
            at=(seat - first) % deal.seats,
        )
        for seat in range(deal.seats)
    ]


def _totals(deal: DealSoFar) -> tuple[int, ...]:
    if deal.is_over:
        return deal.deal.totals
    if deal.deal.number == 0:
        return (0,) * len(deal.deal.totals)
    return deal.replay.deals[deal.deal.number - 1].totals


def _named(deal: DealSoFar, name: str) -> list[int]:
    """List the seats that a fact names."""
    value = deal.frame.facts.get(name)
    return value if isinstance(value, list) else [] if value is None else [value]


def _badges(deal: DealSoFar, seat: int) -> list[str]:
    badges = [badge for name, badge in deal.felt.roles.items() if seat in _named(deal, name)]
    badges += [deal.felt.dealer] if seat == deal.deal.dealer else []
    return [*_team(deal, seat), *(in_words(deal.game, badge) for badge in badges)]


def _team(deal: DealSoFar, seat: int) -> list[str]:
    """Return the badge of a seat's side, in games whose roles do not tell the sides."""
    side = _side(deal, seat)
    told = not deal.game.partners and set(deal.felt.sides) <= set(deal.felt.roles)
    return [] if told or not side else [_("Team {letter}").format(letter=side.upper())]


def _side(deal: DealSoFar, seat: int) -> str:
    if deal.game.partners:
        return "ab"[seat % 2]
    ours = [named for name in deal.felt.sides for named in _named(deal, name)]
    return "" if not ours else "a" if seat in ours else "b"


def _tally(deal: DealSoFar, seat: int) -> TallyMarks | None:
    piece = deal.felt.tally
    if piece is None:
        return None
    return TallyMarks(deal.of_seat(piece.goal, seat), deal.of_seat(piece.have, seat) or 0)


def _goals(deal: DealSoFar, seat: int) -> list[GoalMark]:
    piece = deal.felt.goals
    if piece is None:
        return []
    fact = deal.game.facts[piece.fact]
    shown = deal.of_seat(piece.shown, seat)
    complete = [trick for trick in deal.known_tricks if trick.winner is not None]
    over = [trick for trick in complete if trick.ended <= deal.at]
    won = [sum(trick.winner == s for trick in over) for s in range(deal.seats)]
    left = max((len(hand) for hand in deal.frame.hands), default=0)
    marks = []
    for word in deal.of_seat(piece.fact, seat) or []:
        counts = word == shown
        state = ""
        if counts:
            last = bool(over) and over[-1].winner == seat
            state = piece.outlook(word, seat, won, tricks.captured(over, seat), left, last)
            shown = None  # of two equal words one is shown
        marks.append(GoalMark(str(fact_texts.shown(deal.game, fact, word)), counts, state))
    return marks


def _said(deal: DealSoFar, seat: int) -> list[tuple[str, Text]]:
    """Return the facts about this seat: public ones, then those that it alone knows."""
    own = deal.by_seat[0]
    declared, felt = deal.game.facts, deal.felt
    drawn = felt.drawn()
    said: list[tuple[str, Text]] = [
        (in_words(deal.game, caption), fact_texts.shown(deal.game, declared[name], own[name][seat]))
        for name, caption in felt.plates.items()
        if name in own
    ]
    secrets: dict[str, Fact] = dict(deal.game.secrets)
    known = {name: value for name, value in deal.frame.secrets.get(seat, {}).items() if value not in EMPTY}
    said += [
        (in_words(deal.game, caption), fact_texts.shown(deal.game, secrets[name], known[name]))
        for name, caption in felt.plates.items()
        if name in known
    ]
    if felt.running != "tricks" and "tricks" in own and felt.tally is None:
        said.append(
            (
                in_words(deal.game, "tricks"),
                fact_texts.shown(deal.game, declared["tricks"], own["tricks"][seat]),
            )
        )
    said += [
        (
            in_words(deal.game, declared[name].meaning),
            fact_texts.shown(deal.game, declared[name], values[seat]),
        )
        for name, values in own.items()
        if name not in drawn
    ]
    return said + [
        (in_words(deal.game, secrets[name].meaning), fact_texts.shown(deal.game, secrets[name], value))
        for name, value in known.items()
        if name not in drawn
    ]


def hand(deal: DealSoFar, seat: int) -> list[list[HandCard]]:
    """Return the cards that a seat has held in this deal, by suits; played cards become outlines."""
    held: Counter[str] = Counter()
    laid: Counter[str] = Counter()
    before: tuple[Sequence[str], Sequence[str]] = ((), ())
    for frame in deal.frames:
        lies = frame.facts[deal.felt.laid][seat] if deal.felt.laid else ()
        if (frame.hands[seat], lies) != before:
            before = frame.hands[seat], lies
            laid = Counter(lies)
            held |= Counter(frame.hands[seat]) + laid
    now = Counter(deal.frame.hands[seat])
    decision = deal.frame.decision
    moved = card_of(decision.word) if decision and decision.seat == seat else ""
    cards = []
    for word in sorted(held, key=in_order):
        for copy in range(held[word]):
            extra = ""
            if copy >= now[word]:
                extra = "laid" if copy < now[word] + laid[word] else "gone"
                if extra == "gone" and word == moved:
                    extra, moved = "gone current", ""
            cards.append(HandCard(word, extra))
    return [list(suit) for _, suit in groupby(cards, key=lambda card: card.word[0])]
