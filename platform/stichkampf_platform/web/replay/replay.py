"""A match record as a replay: the view of one observer, decision by decision. Nothing here knows a rule.

An observer is a seat, or `ALL_HANDS` before whom all hands lie open. What a frame holds of hands, facts and
secrets comes from the referee's own `Deal.information_set(seat)` and from the events told to that observer,
so a seat's replay cannot hold more than the seat knew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby

from stichkampf.engine.deal import Deal, Json
from stichkampf.engine.game import Game
from stichkampf.match.events import Event
from stichkampf.match.match import Match
from stichkampf.match.narrator import ALL_HANDS
from stichkampf.match.records import Step, steps


@dataclass(frozen=True)
class ReplayDecision:
    """One move of the record.

    :ivar step: its number in the match, from 1.
    :ivar word: the action as the observer saw it at that moment; empty if it was still hidden.
    :ivar legal: the legal actions; empty if the observer could not know them.
    :ivar seconds: the thinking time that was charged; None if unknown.
    :ivar wall: the time on the wall clock, in seconds; None if unknown.
    """

    step: int
    seat: int
    word: str
    legal: tuple[str, ...] = ()
    seconds: float | None = None
    fault: str = ""
    note: Mapping[str, Json] = field(default_factory=dict)
    wall: float | None = None

    @property
    def milliseconds(self) -> float | None:
        return None if self.seconds is None else 1000 * self.seconds

    @property
    def wall_milliseconds(self) -> float | None:
        return None if self.wall is None else 1000 * self.wall

    @property
    def allowed_milliseconds(self) -> float:
        """The time that was not charged, such as for the network or a busy machine."""
        return 1000 * max(0.0, (self.wall or 0.0) - (self.seconds or 0.0))


@dataclass(frozen=True)
class ReplayFrame:
    """The table after a decision (or, without one, after the deal) as the observer sees it.

    :ivar hands: the cards known to be in each hand.
    :ivar hidden: the number of unknown cards in each hand.
    :ivar asked: the seats that choose next.
    """

    decision: ReplayDecision | None
    events: tuple[Event, ...]
    hands: tuple[tuple[str, ...], ...]
    hidden: tuple[int, ...]
    table: tuple[tuple[int, str], ...]
    facts: Mapping[str, Json]
    secrets: Mapping[int, Mapping[str, Json]]
    phase: str
    asked: tuple[int, ...]


@dataclass(frozen=True)
class ReplayDeal:
    """One deal.

    :ivar first_step: the number of the last decision before this deal, which shows the deal as dealt.
    :ivar totals: the scores of the match after it.
    :ivar is_over: false for the deal that is being played at an open table.
    """

    number: int
    dealer: int
    first_step: int
    frames: tuple[ReplayFrame, ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    is_over: bool = True

    @property
    def last_step(self) -> int:
        return self.first_step + len(self.frames) - 1


@dataclass(frozen=True)
class Replay:
    """A whole match as one observer saw it.

    :ivar game: the rules of the match, for the words of its actions and facts.
    :ivar observer: a seat, or `ALL_HANDS`.
    :ivar seats: seats at the table, those that the rules play included.
    :ivar options: every option of the rules.
    """

    game: type[Game]
    observer: int
    seats: int
    deals: tuple[ReplayDeal, ...]
    ranks: tuple[int, ...]
    options: Mapping[str, Json]

    @property
    def steps(self) -> int:
        return self.deals[-1].last_step

    def deal_at(self, step: int) -> ReplayDeal:
        """Return the deal of a decision; the last decision of a deal shows its scores."""
        return next(deal for deal in self.deals if step <= deal.last_step)


def build_replay(record: Mapping[str, Json], observer: int = ALL_HANDS) -> Replay:
    """Return the replay of a verified record for one observer."""
    deals: list[ReplayDeal] = []
    last_step = told = 0
    for number, decisions in groupby(steps(record), lambda step: step.move.deal):
        first = next(decisions)
        match, deal, first_step = first.match, first.match.deal, last_step
        frames = [
            _frame(deal, observer, None, _until_next_deal(match, observer, told, deals), match.to_act())
        ]
        told = len(match.log)
        for step in chain([first], decisions):
            last_step += 1
            decision = _decision(last_step, step)
            step.play()
            events = _until_next_deal(match, observer, told, None)
            told = len(match.log) if match.deal is deal else _start_of_deal(match)
            asked = match.to_act() if match.deal is deal else []
            frames.append(_frame(deal, observer, _seen(observer, decision, events), events, asked))
        played = record["deals"][number]
        scores, totals = tuple(played["scores"]), tuple(_totals(frames[-1]))
        deals.append(ReplayDeal(number, played["dealer"], first_step, tuple(frames), scores, totals))
    game = match.game
    return Replay(type(game), observer, game.table_seats, tuple(deals), tuple(match.ranks), game.options)


def _decision(number: int, step: Step) -> ReplayDecision:
    move = step.move
    note = {} if move.note is None else move.note
    return ReplayDecision(
        step=number,
        seat=move.seat,
        word=move.word,
        legal=tuple(step.legal),
        seconds=move.cost,
        fault=move.fault,
        note=note if isinstance(note, dict) else {"text": str(note)},
        wall=move.wall,
    )


def _totals(last: ReplayFrame) -> list[int]:
    """Return the scores of the match after a deal, as the events of its last frame state them."""
    return next(event.facts["totals"] for event in last.events if event.kind == "score" and event.facts)


def _seen(observer: int, decision: ReplayDecision, events: tuple[Event, ...]) -> ReplayDecision:
    """Return the decision with only those parts that the observer could see."""
    if observer in (ALL_HANDS, decision.seat):
        return decision
    told = [e.text for e in events if e.kind == "move" and e.seat == decision.seat]
    if not told:
        return ReplayDecision(decision.step, decision.seat, "")
    return ReplayDecision(
        decision.step, decision.seat, told[-1], (), decision.seconds, decision.fault, wall=decision.wall
    )


def _start_of_deal(match: Match) -> int:
    """Return the index in the log at which the newest deal begins."""
    index = len(match.log)
    seen_deal = False
    while index:
        kind = match.log[index - 1][1].kind
        if kind == "deal":
            seen_deal = True
        elif seen_deal:
            return index
        index -= 1
    return 0


def _until_next_deal(
    match: Match, observer: int, told: int, deals: list[ReplayDeal] | None
) -> tuple[Event, ...]:
    """Return the events since `told`; after a move (`deals` is None) only those before a new deal."""

    def of_this_deal() -> Iterator[Event]:
        for event in match.events(observer, told):
            if deals is None and event.kind == "deal":
                return
            yield event

    return tuple(of_this_deal())


def _frame(
    deal: Deal, observer: int, decision: ReplayDecision | None, events: tuple[Event, ...], asked: list[int]
) -> ReplayFrame:
    seats = range(deal.seats)
    viewers = [s for s in seats if observer in (ALL_HANDS, s)]
    known = deal if observer == ALL_HANDS else deal.information_set(observer)
    hands = tuple(tuple(known.hand(s)) for s in seats)
    return ReplayFrame(
        decision=decision,
        events=events,
        hands=hands,
        hidden=tuple(0 if s in viewers else max(0, known.hand_size(s) - len(hands[s])) for s in seats),
        table=tuple(known.table()),
        facts=known.facts(),
        secrets={s: deal.secrets(s) for s in viewers if deal.secrets(s)},
        phase="" if deal.is_over() else deal.phase(),
        asked=tuple(asked if observer == ALL_HANDS or deal.is_over() else known.to_act()),
    )
