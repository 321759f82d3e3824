"""A scene: one frame of a replay, laid out for the page. It reads frames and events only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from stichkampf_platform.people import fault_texts
from stichkampf_platform.web.games.words import in_words
from stichkampf_platform.web.replay import (
    fact_texts,
    pieces,
    scene_charts,
    seat_views,
    stops,
    tricks,
)
from stichkampf_platform.web.replay.action_texts import sentence, short
from stichkampf_platform.web.replay.deal_so_far import DealSoFar
from stichkampf_platform.web.replay.replay import Replay, ReplayDeal, ReplayDecision, ReplayFrame
from stichkampf_platform.web.replay.scene_marks import SceneMarks
from stichkampf_platform.web.replay.scene_parts import (
    MOST_ACTIONS,
    SHOWN_ACTIONS,
    OtherMove,
    SeatOccupant,
    SeatSlot,
    SeatView,
    Text,
    TrickRow,
    WeighedAction,
)

if TYPE_CHECKING:  # a replay can be drawn without a database
    from stichkampf_platform.marks.models import StoredMark


class Scene:
    """Decision `step` of a replay, as its observer saw it. Step 0 is the first deal before any decision.

    :param every: whether stepping stops at forced choices, too.
    :param marks: those that the observer may see: with all hands open all of the match, else its own.
    """

    def __init__(
        self,
        replay: Replay,
        step: int,
        players: Sequence[SeatOccupant],
        *,
        every: bool = False,
        marks: Sequence[StoredMark] = (),
    ) -> None:
        self.replay = replay
        self.game = replay.game
        self.step = step
        self.every = every
        self.players = [*players, *[SeatOccupant(_("Card monster"))] * (replay.seats - len(players))]
        self.so_far = DealSoFar(replay, step)
        self.deal: ReplayDeal = self.so_far.deal
        self.frame_number = self.so_far.at
        self.frame: ReplayFrame = self.so_far.frame
        self.all_hands = self.so_far.all_hands
        self.marks = SceneMarks(replay, step, marks)

    # --- where we are

    @property
    def decision(self) -> ReplayDecision | None:
        return self.frame.decision

    @property
    def view(self) -> int:
        """The number of the observer's seat, from 1; 0 if all hands are open."""
        return 0 if self.all_hands else self.replay.observer + 1

    @property
    def query(self) -> str:
        """The query of addresses that keep the point of view and the way of stepping."""
        return _query(self.view, self.every)

    @property
    def views(self) -> list[tuple[int, str]]:
        """The points of view: (number of the seat, 0 for all hands; query of its addresses)."""
        return [(view, _query(view, self.every)) for view in range(len(self.deal.scores) + 1)]

    @property
    def other_query(self) -> str:
        """The query with which stepping treats forced choices the other way."""
        return _query(self.view, not self.every)

    @property
    def previous_step(self) -> int:
        return stops.before(self._stops, self.step) or 0

    @property
    def next_step(self) -> int:
        return stops.after(self._stops, self.step) or self.replay.steps

    @cached_property
    def _stops(self) -> list[int]:
        return list(range(self.replay.steps + 1)) if self.every else stops.unforced(self.replay)

    @property
    def previous_trick_step(self) -> int:
        """The decision that ended the previous trick or phase."""
        return stops.before(stops.trick_ends(self.replay), self.step) or 0

    @property
    def next_trick_step(self) -> int:
        return stops.after(stops.trick_ends(self.replay), self.step) or self.replay.steps

    @property
    def deal_starts(self) -> list[int]:
        """The first decision of each deal that the observer knows of."""
        return [start["start"] for start in self.shown_deals]

    @property
    def previous_deal_step(self) -> int | None:
        return self.deal_starts[self.deal.number - 1] if self.deal.number else None

    @property
    def next_deal_step(self) -> int | None:
        """The first decision of the next deal; in a seat's view the next step leads there."""
        starts = self.deal_starts
        return starts[self.deal.number + 1] if self.deal.number + 1 < len(starts) else None

    @property
    def next_fault_step(self) -> int | None:
        """The next fault, or after the last one the first; a seat knows only those that were made."""
        found = [step for step in stops.faults(self.replay) if self.all_hands or step <= self.step]
        return stops.after(found, self.step) or (found[0] if found else None)

    @property
    def headline(self) -> Text:
        if self.decision is None:
            return _("Deal {number} is dealt").format(number=self.deal.number + 1)
        return sentence(self.game, self.decision.word)

    @property
    def fault(self) -> str:
        """The fault of this decision in words."""
        return fault_texts.said(self.decision.fault) if self.decision and self.decision.fault else ""

    @property
    def actions(self) -> list[WeighedAction]:
        """The actions from which was chosen, each with the bot's own weight of it, unchecked."""
        decision = self.decision
        if decision is None:
            return []
        noted = decision.note.get("weights", {})
        weights = {word: float(weight) for word, weight in noted.items() if isinstance(weight, int | float)}
        words = [*decision.legal, *(word for word in weights if word not in decision.legal)]
        if weights:
            words.sort(key=lambda word: -weights.get(word, float("-inf")))
        low, high = min(weights.values(), default=0.0), max(weights.values(), default=0.0)
        return [
            WeighedAction(
                short(self.game, word),
                word == decision.word,
                weights.get(word),
                0
                if word not in weights
                else 100
                if high == low
                else 100 * (weights[word] - low) / (high - low),
            )
            for word in words
        ]

    @property
    def weighed(self) -> tuple[list[WeighedAction], list[WeighedAction]]:
        """The actions that are shown at once, the chosen one among them, and those that are folded away."""
        actions = self.actions[:MOST_ACTIONS]
        at = next((place for place, action in enumerate(actions) if action.chosen), 0)
        if at >= SHOWN_ACTIONS:
            actions.insert(SHOWN_ACTIONS - 1, actions.pop(at))
        return actions[:SHOWN_ACTIONS], actions[SHOWN_ACTIONS:]

    @property
    def trick_winner(self) -> int | None:
        """The seat that took the trick which this decision completed; -1 if no seat took it."""
        return next((e.seat for e in self.frame.events if e.kind == "trick"), None)

    @property
    def phase(self) -> str:
        if self.frame.phase:
            return in_words(self.game, self.frame.phase)
        return _("end of the deal") if self.replay.steps != self.step else _("end of the match")

    # --- seats and table

    @property
    def bots(self) -> list[SeatOccupant]:
        """The players that have scores, by seat."""
        return self.players[: len(self.deal.scores)]

    @cached_property
    def seats(self) -> list[SeatView]:
        return seat_views.seat_views(self.so_far, self.players)

    @property
    def facts(self) -> list[tuple[str, Text]]:
        """The public facts that are not about single seats and have no place on the felt."""
        other = self.so_far.by_seat[1]
        declared, drawn = self.game.facts, self.game.felt.drawn()
        return [
            (in_words(self.game, declared[name].meaning), fact_texts.shown(self.game, declared[name], value))
            for name, value in other.items()
            if name not in drawn
        ]

    @cached_property
    def slots(self) -> list[SeatSlot]:
        """The trick on the table; a completed one stays until the next card."""
        known = self.so_far.tricks
        trick = known[-1] if known else tricks.ReplayTrick()
        answers = pieces.answers(self.so_far)
        if trick.winner is not None and self.trick_winner is None:
            trick, answers = tricks.ReplayTrick(), {}
        lying = pieces.stacks(self.so_far)
        first = max(0, self.view - 1)
        return tricks.slots(trick, lying, answers, seats=self.replay.seats, step=self.step, first=first)

    @property
    def is_roomy(self) -> bool:
        """True if this game has a piece that fills the middle of the table."""
        return bool(self.game.felt.grid or self.game.felt.rows)

    @property
    def terms(self) -> list[tuple[str, Text]]:
        return list(pieces.terms(self.so_far))

    @cached_property
    def piece(self) -> dict[str, Any]:
        """The piece in the middle of the table, beside the trick."""
        return {
            "grid": pieces.grid(self.so_far),
            "draft": pieces.draft(self.so_far),
            "display": pieces.display(self.so_far),
            "swap": pieces.swap(self.so_far),
            "calls": pieces.call_order(self.so_far),
            "tally": pieces.tally_note(self.so_far),
            "turned": pieces.turned(self.so_far),
        }

    # --- the deal so far

    @property
    def tricks(self) -> list[TrickRow]:
        """The rows of the table of tricks; with all hands open also the tricks still to come."""
        known = self.so_far.known_tricks
        begun = len(self.so_far.tricks)
        return tricks.rows(known, begun, self._trick_points, seats=self.replay.seats, step=self.step)

    @cached_property
    def _trick_points(self) -> list[int | None]:
        """The points that each complete trick brought its winner; empty where tricks are all that counts."""
        if self.game.felt.running == "tricks":
            return []
        winners = [trick.winner for trick in self.so_far.known_tricks if trick.winner is not None]
        gained = pairwise(self.so_far.points_by_trick)
        return [
            None if winner < 0 else after[winner] - before[winner]
            for winner, (before, after) in zip(winners, gained, strict=True)
        ]

    @property
    def has_trick_points(self) -> bool:
        return bool(self._trick_points)

    @property
    def last_trick_points(self) -> int | None:
        """The points of the last complete trick; None where there is none, or tricks are all that counts."""
        return self._trick_points[-1] if self._trick_points else None

    @property
    def other_moves(self) -> list[OtherMove]:
        """Every move so far that played no card into a trick, in the order in which the observer saw it."""
        return self.last_other_moves(len(self._choices))

    def last_other_moves(self, most: int) -> list[OtherMove]:
        """Return the last of `other_moves`."""
        return [
            OtherMove(step, seat + 1, sentence(self.game, action), step == self.step, phase)
            for step, seat, action, phase in self._choices[-most:]
        ]

    @property
    def other_phases(self) -> str:
        """List the phases of the choices so far, such as "auction, chief's trump"."""
        return ", ".join(dict.fromkeys(phase for *_move, phase in self._choices))

    @cached_property
    def _choices(self) -> list[tuple[int, int, str, str]]:
        """The step, seat, action and phase of every move so far that played no card into a trick."""
        phases = [self.deal.frames[0].phase]
        for frame in self.so_far.frames:
            phases.append(frame.phase or phases[-1])
        return [
            (step, seat, action, in_words(self.game, phases[step - self.deal.first_step]))
            for step, seat, action in self.so_far.moves()
            if not action.startswith("play ")
        ]

    @property
    def shown_deals(self) -> list[dict[str, Any]]:
        """The deals that the observer knows of, each with its first decision, and its scores once known."""
        return [
            {
                "number": deal.number,
                "start": deal.first_step + (1 if deal.number else 0),
                "scores": deal.scores
                if self.all_hands or deal.last_step <= self.step
                else [None] * len(deal.scores),
            }
            for deal in self.replay.deals
            if self.all_hands or deal.first_step <= self.step
        ]

    # --- charts

    @property
    def decision_times(self) -> SafeString:
        return scene_charts.decision_times(self.so_far, self.query)

    @property
    def decision_cursor(self) -> SafeString:
        return scene_charts.decision_cursor(self.so_far)

    @property
    def totals_chart(self) -> Text:
        return scene_charts.totals(self.so_far, self.players)

    @property
    def tricks_chart(self) -> Text:
        return scene_charts.points_by_trick(self.so_far, self.players)


def _query(view: int, every: bool) -> str:
    kept = [f"view={view}"] * bool(view) + ["every=1"] * every
    return "?" + "&".join(kept) if kept else ""
