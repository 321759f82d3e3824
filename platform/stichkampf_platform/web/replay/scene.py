"""A scene: one frame of a replay, laid out for the page. It reads frames and events only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.web import charts
from stichkampf_platform.web.games.cards import face
from stichkampf_platform.web.replay import fact_texts, tricks
from stichkampf_platform.web.replay.action_texts import card_of, sentence, short
from stichkampf_platform.web.replay.replay import Decision, Frame, Replay, ReplayDeal
from stichkampf_platform.web.replay.scene_parts import (
    HandCard,
    OtherMove,
    SeatOccupant,
    SeatView,
    Slot,
    Text,
    TrickRow,
)


class Scene:
    """Decision `step` of a replay, as its observer saw it. Step 0 is the first deal before any decision."""

    def __init__(self, replay: Replay, step: int, players: Sequence[SeatOccupant]) -> None:
        self.replay = replay
        self.game = replay.game
        self.step = step
        self.players = [*players, *[SeatOccupant("Card monster")] * (replay.seats - len(players))]
        self.deal: ReplayDeal = replay.deal_at(step)
        self.frame_number = step - self.deal.first_step
        self.frame: Frame = self.deal.frames[self.frame_number]
        self.is_open = replay.observer == ALL_HANDS

    # --- where we are

    @property
    def decision(self) -> Decision | None:
        return self.frame.decision

    @property
    def view(self) -> int:
        """The number of the observer's seat, from 1; 0 if all hands are open."""
        return 0 if self.is_open else self.replay.observer + 1

    @property
    def deal_over(self) -> bool:
        return self.frame_number == len(self.deal.frames) - 1

    @property
    def previous_step(self) -> int:
        return max(self.step - 1, 0)

    @property
    def next_step(self) -> int:
        return min(self.step + 1, self.replay.steps)

    @property
    def previous_trick_step(self) -> int:
        """The decision that ended the previous trick or phase."""
        stops = [s for s in self._stops if s < self.step]
        return stops[-1] if stops else 0

    @property
    def next_trick_step(self) -> int:
        return next((s for s in self._stops if s > self.step), self.replay.steps)

    @cached_property
    def _stops(self) -> list[int]:
        stops = []
        for deal in self.replay.deals:
            stops += [deal.first_step] if deal.number == 0 else []
            for number, frame in enumerate(deal.frames):
                if any(event.kind in ("trick", "score") for event in frame.events):
                    stops.append(deal.first_step + number)
        return stops

    @property
    def headline(self) -> Text:
        if self.decision is None:
            return f"Deal {self.deal.number + 1} is dealt"
        return sentence(self.game, self.decision.word)

    @property
    def choices(self) -> list[Text]:
        """The actions from which this decision was chosen, written briefly."""
        return [short(self.game, word) for word in self.decision.legal] if self.decision else []

    @property
    def weights(self) -> list[tuple[Text, Any]]:
        """The bot's own weights of actions, unchecked."""
        noted = self.decision.note.get("weights", {}) if self.decision else {}
        return [(short(self.game, word), weight) for word, weight in noted.items()]

    @property
    def trick_winner(self) -> int | None:
        """The seat that took the trick which this decision completed; -1 if no seat took it."""
        return next((e.seat for e in self.frame.events if e.kind == "trick"), None)

    @property
    def phase(self) -> str:
        return self.frame.phase or (
            "end of the deal" if self.replay.steps != self.step else "end of the match"
        )

    # --- seats and table

    @cached_property
    def seats(self) -> list[SeatView]:
        totals = self._totals_before
        own, _ = self._facts
        return [
            SeatView(
                number=seat + 1,
                player=self.players[seat],
                total=totals[seat] if seat < len(totals) else None,
                asked=seat in self.frame.asked,
                dealer=seat == self.deal.dealer,
                said=self._said(seat),
                suits=self._hand_of(seat),
                backs=range(
                    max(0, self.frame.hidden[seat] - fact_texts.open_cards(self.game.facts, own, seat))
                ),
            )
            for seat in range(self.replay.seats)
        ]

    def _said(self, seat: int) -> list[tuple[str, Text]]:
        """Return the facts about this seat: public ones, then those that it alone knows."""
        own, _ = self._facts
        short_first = sorted(own.items(), key=lambda fact: any(isinstance(value, list) for value in fact[1]))
        declared = self.game.facts
        said = [
            (declared[name].meaning, fact_texts.shown(declared[name], values[seat]))
            for name, values in short_first
        ]
        secrets = self.frame.secrets.get(seat, {})
        return said + [
            (f"{self.game.secrets[name].meaning} (hidden)", fact_texts.shown(self.game.secrets[name], value))
            for name, value in secrets.items()
            if value not in (None, [], {})
        ]

    @property
    def _totals_before(self) -> tuple[int, ...]:
        if self.deal_over:
            return self.deal.totals
        if self.deal.number == 0:
            return (0,) * len(self.deal.totals)
        return self.replay.deals[self.deal.number - 1].totals

    @cached_property
    def _facts(self) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        hands = [list(hand) for hand in self.frame.hands]
        told = {name: value for name, value in self.frame.facts.items() if value != hands}
        return fact_texts.by_seat(self.game.facts, told, self.replay.seats)

    @property
    def facts(self) -> list[tuple[str, Text]]:
        """The public facts that are not about single seats."""
        _, other = self._facts
        declared = self.game.facts
        return [
            (declared[name].meaning, fact_texts.shown(declared[name], value)) for name, value in other.items()
        ]

    def _hand_of(self, seat: int) -> list[list[HandCard]]:
        """Return the cards that a seat has held in this deal, by suits; played cards become outlines."""
        held: Counter[str] = Counter()
        for frame in self.deal.frames[: self.frame_number + 1]:
            held |= Counter(frame.hands[seat])
        now = Counter(self.frame.hands[seat])
        moved = card_of(self.decision.word) if self.decision and self.decision.seat == seat else ""
        cards = []
        for word in sorted(held, key=_order):
            for copy in range(held[word]):
                gone = copy >= now[word]
                extra = "gone" if gone else ""
                if gone and word == moved:
                    extra, moved = "gone current", ""
                cards.append(HandCard(word, extra))
        return [list(suit) for _, suit in groupby(cards, key=lambda card: card.word[0])]

    @property
    def slots(self) -> list[Slot]:
        """The trick on the table; a completed one stays until the next card."""
        trick = self._tricks[-1] if self._tricks else tricks.ReplayTrick()
        if trick.winner is not None and self.trick_winner is None:
            trick = tricks.ReplayTrick()
        return tricks.slots(trick, seats=self.replay.seats, step=self.step)

    # --- the deal so far

    @cached_property
    def _tricks(self) -> list[tricks.ReplayTrick]:
        return tricks.tricks_until(self.deal, self.frame_number)

    @property
    def tricks(self) -> list[TrickRow]:
        """The rows of the table of tricks; with all hands open also the tricks still to come."""
        last = len(self.deal.frames) - 1
        known = tricks.tricks_until(self.deal, last) if self.is_open else self._tricks
        return tricks.rows(known, len(self._tricks), seats=self.replay.seats, step=self.step)

    @cached_property
    def other_moves(self) -> list[OtherMove]:
        """Every move so far that played no card into a trick, in the order in which the observer saw it."""
        return list(self._other_moves())

    @property
    def other_phases(self) -> str:
        """List the phases of the choices so far, such as "auction, chief's trump"."""
        return ", ".join(dict.fromkeys(move.phase for move in self.other_moves))

    def _other_moves(self) -> Iterator[OtherMove]:
        phase = self.deal.frames[0].phase
        for at, frame in enumerate(self.deal.frames[: self.frame_number + 1]):
            step = self.deal.first_step + at
            for seat, action in self._moves(frame):
                if not action.startswith("play "):
                    yield OtherMove(step, seat + 1, sentence(self.game, action), step == self.step, phase)
            phase = frame.phase or phase

    def _moves(self, frame: Frame) -> list[tuple[int, str]]:
        """Return the moves of a frame: with all hands open the recorded one, else those shown to the seat."""
        if self.is_open:
            return [(frame.decision.seat, frame.decision.word)] if frame.decision else []
        return [(event.seat, event.text) for event in frame.events if event.kind == "move"]

    @property
    def shown_deals(self) -> list[dict[str, Any]]:
        """The deals that the observer knows of, each with its first decision, and its scores once known."""
        return [
            {
                "number": deal.number,
                "start": deal.first_step + (1 if deal.number else 0),
                "scores": deal.scores
                if self.is_open or deal.last_step <= self.step
                else [None] * len(deal.scores),
            }
            for deal in self.replay.deals
            if self.is_open or deal.first_step <= self.step
        ]

    # --- charts

    @property
    def decision_times(self) -> SafeString:
        """The chart of thinking times of the deal; in a seat's view up to this decision only."""
        frames = self.deal.frames if self.is_open else self.deal.frames[: self.frame_number + 1]
        bars, ended = [], 0
        for number, frame in enumerate(frames):
            decision = frame.decision
            if decision is None:
                continue
            bars.append(
                charts.DecisionBar(
                    number=number,
                    seat=decision.seat,
                    seconds=decision.seconds,
                    past=number <= self.frame_number,
                    fault=bool(decision.fault),
                    shaded=ended % 2 == 1,
                )
            )
            ended += any(event.kind == "trick" for event in frame.events)
        return charts.decision_timeline(
            bars, decisions=len(self.deal.frames) - 1, seats=len(self.deal.scores), now=self.frame_number
        )

    @property
    def totals_chart(self) -> Text:
        """The chart of totals, from the second deal on; in a seat's view finished deals only."""
        over = [d for d in self.replay.deals if self.is_open or d.last_step <= self.step]
        if len(over) < 2:
            return ""
        rows = [(0,) * len(self.deal.scores), *(deal.totals for deal in over)]
        names = [f"{seat + 1} {self.players[seat].name}" for seat in range(len(self.deal.scores))]
        return charts.score_totals(rows, names, now=self.deal.number + (1 if self.deal_over else 0))


def _order(word: str) -> tuple[int, int]:
    shown = face(word)
    return shown.order if shown else (99, 0)
