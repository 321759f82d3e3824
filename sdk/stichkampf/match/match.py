"""A match: the deals of one game in order, from the first shuffle to the ranks.

`Match` is the referee. It takes actions in words and refuses illegal ones, holds simultaneous choices back
until the last is in, plays the seats that the rules themselves play (such as the monster of Meinz), tells
every observer as much as that observer may know, and writes the record. It knows no clock, network or bot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_bytes

from mypy_extensions import mypyc_attr

from stichkampf.engine.deal import Deal, Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SHUFFLE
from stichkampf.errors import ActionError, IllegalAction, RecordError
from stichkampf.games import new_game
from stichkampf.match.deal_source import Deals, RecordedDeals, SeededDeals
from stichkampf.match.events import Event
from stichkampf.match.narrator import Narrator, View
from stichkampf.match.recorded import Record

FORMAT = "stichkampf-record/1"
WORD_LENGTH = 60  # no action of any game is longer


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)
class Choice:
    """An answer on its way into the record.

    :ivar fault: the kind of fault that this answer makes good, None for the bot's own answer.
    :ivar note: JSON that the bot left for the replay.
    :ivar cost: seconds that the bot was charged for the decision, None for not measured.
    :ivar wall: seconds on the wall clock that the decision took, None for not measured.

    >>> choice = Choice(2, "bid 0", 80, fault="timeout")
    >>> choice.seat, choice.fault, choice.cost
    (2, 'timeout', None)
    """

    def __init__(
        self,
        seat: int,
        word: str,
        action: int,
        fault: str | None = None,
        note: Json = None,
        cost: float | None = None,
        wall: float | None = None,
    ) -> None:
        self.seat = seat
        self.word = word
        self.action = action
        self.fault = fault
        self.note = note
        self.cost = cost
        self.wall = wall


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)
class PlayedDeal:
    """The record of one deal in the making.

    >>> PlayedDeal(0, {"hands": [["C7"], ["D7"]]}).to_json()
    {'dealer': 0, 'hands': [['C7'], ['D7']], 'moves': [], 'scores': []}
    """

    def __init__(self, dealer: int, dealt: dict[str, Json]) -> None:
        self.dealer = dealer
        self.dealt = dealt
        self.derived: dict[str, Json] = {}
        self.moves: list[list[Json]] = []
        self.costs: list[float | None] = []
        self.walls: list[float | None] = []
        self.scores: list[int] = []

    def to_json(self) -> dict[str, Json]:
        chance = {**self.dealt, **self.derived}
        return {"dealer": self.dealer, **chance, "moves": self.moves, "scores": self.scores}


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)
class Match:
    """The referee of one match.

    :param game: from `stichkampf.games.new_game`.
    :param seed: 32 bytes from which every deal follows; without them and without `deals` they are drawn.
    :param deals: instead of the seed, another source of deals.
    :ivar seed: the 32 bytes, with which the same cards are dealt again; empty with another source of deals.
    :ivar deal: the full deal now on the table, with all hands: not for players.
    :ivar log: (mask of observers, event) in order; bit s = seat s, bit 7 onlookers, bit 8 all hands.
    :ivar scores: totals by seat so far.
    :ivar ranks: by seat once the match is over, 1 the best, equals sharing a rank (1 2 2 4); empty before.
    :raises SeedError: the seed is not 32 bytes long.

    >>> match = Match(new_game("stiche-raten", 3, {"length": "deals:1"}), seed=bytes(32))
    >>> while not match.over:
    ...     seat = match.to_act()[0]
    ...     match.play(seat, match.legal(seat)[0])
    >>> print(match)
    stiche-raten, 3 seats (from 0): over after 1 deals, scores [-1, 2, 2], ranks [3, 1, 1]
    >>> drawn = Match(new_game("mue", 4))
    >>> Match(new_game("mue", 4), seed=drawn.seed).legal(0) == drawn.legal(0)
    True
    """

    game: Game
    seed: bytes
    deal: Deal
    log: list[tuple[int, Event]]
    over: bool
    scores: list[int]
    ranks: list[int]

    def __init__(self, game: Game, *, seed: bytes | None = None, deals: Deals | None = None) -> None:
        self.game = game
        if seed is None:
            seed = b"" if deals else token_bytes(32)
        self.seed = seed
        self.over = False
        self.scores = [0] * game.seats
        self.ranks = []
        self.faults: list[dict[str, Json]] = []
        self.notes: list[dict[str, Json]] = []
        self.played: list[PlayedDeal] = []
        self._deals = deals or SeededDeals(game, self.seed)
        self._narrator = Narrator(game.seats)
        self.log = self._narrator.log
        self._carry = game.start()
        self._legal: dict[int, dict[str, int]] = {}
        self._failing: dict[int, str] = {}
        self._pending: list[tuple[Choice, list[View]]] = []
        self._order: list[int] = []
        self._new_deal(self._deals.first_dealer())

    @classmethod
    def from_record(cls, record: Mapping[str, Json]) -> Match:
        """Start a match on the deals of a well-formed record; `records.replayed` also plays its moves."""
        game = new_game(record["game"], len(record["seats"]), record["options"])
        return cls(game, deals=RecordedDeals(game, record["deals"]))

    def __repr__(self) -> str:
        seed = f", seed {self.seed.hex()}" if self.seed else ""
        return f"<Match: {self._summary()}{seed}>"

    def __str__(self) -> str:
        """Show the scores and the deal on the table, with all hands."""
        return self._summary() if self.over else f"{self._summary()}\n{self.deal}"

    def _repr_html_(self) -> str:
        """Draw for a notebook the deal on the table, and once the match is over its replay."""
        # playing needs no drawings
        from stichkampf.drawing import deal_html

        if self.over:
            seed: dict[str, Json] = {"seed": self.seed.hex()} if self.seed else {}
            seats = [{"bot": f"seat {seat}"} for seat in range(self.game.seats)]
            return self.record(seats, **seed)._repr_html_()
        return deal_html(self.deal, str(self), [f"({total})" for total in self.scores])

    def _summary(self) -> str:
        name = f"{self.game.name}, {self.game.seats} seats (from 0)"
        if self.over:
            return f"{name}: over after {len(self.played)} deals, scores {self.scores}, ranks {self.ranks}"
        return f"{name}: deal {len(self.played) - 1} (from 0), scores so far {self.scores}"

    # Asking and answering ---------------------------------------------------------------------------------

    def to_act(self) -> list[int]:
        """Return the seats that are asked now, in the record's order; none when the match is over."""
        return [] if self.over else self.deal.to_act()

    def legal(self, seat: int) -> list[str]:
        """Return the words from which a seat of `to_act()` may choose; none for any other seat."""
        return list(self._words(seat))

    def play(
        self,
        seat: int,
        word: Json,
        *,
        note: Json = None,
        cost_seconds: float | None = None,
        wall_seconds: float | None = None,
    ) -> None:
        """Take a seat's answer. A simultaneous choice is kept back until the last one is in.

        :param note: JSON for the replay, such as the thoughts of the bot; recorded with the move.
        :param cost_seconds: the time charged for the decision, recorded with the move.
        :param wall_seconds: the time of the decision on the wall clock, recorded with the move.
        :raises ActionError: the word is no action of the game at any moment; nothing has changed.
        :raises IllegalAction: not that seat's turn, or the action is not legal now; nothing has changed.
        """
        words = self._words(seat)
        action = words.get(word) if isinstance(word, str) else None
        if action is None:
            raise self._refusal(seat, word, list(words))
        choice = Choice(seat, word, action, self._failing.pop(seat, None), note, cost_seconds, wall_seconds)
        self._legal.clear()
        if self.deal.awaited != 0:
            self._keep_back(choice)
        else:
            self._carry_out(choice)
        if not self._pending:
            self._go_on()

    def fault(self, seat: int, kind: str) -> None:
        """Record the next move of a seat, made in place of its bot, as a fault of that kind.

        :raises IllegalAction: when that seat is not asked now.
        """
        if seat not in self.to_act():
            raise self._refusal(seat, kind, [])
        self._failing[seat] = kind

    def events(self, observer: int, since: int = 0) -> list[Event]:
        """Return the events that an observer has seen, from entry `since` of the log on.

        :param observer: a seat, `ONLOOKER` or `ALL_HANDS`.
        """
        return self._narrator.events(observer, since)

    def _words(self, seat: int) -> dict[str, int]:
        words = self._legal.get(seat)
        if words is None:
            deal = self.deal
            legal = deal.legal_of(seat) if seat in self.to_act() else []
            words = self._legal[seat] = {deal.word(action): action for action in legal}
        return words

    def _refusal(self, seat: int, word: Json, legal: list[str]) -> ActionError | IllegalAction:
        asked = self.to_act()
        if seat not in asked:
            now = f"asked now: {', '.join(map(str, asked))}" if asked else "the match is over"
            return IllegalAction(f"seat {seat} is not to act ({now})")
        if not isinstance(word, str) or len(word) > WORD_LENGTH:
            return ActionError(f"an action is a text of at most {WORD_LENGTH} characters, not {word!r:.80}")
        try:
            self.deal.action(word)
        except ActionError as error:
            return error
        return IllegalAction(f"{word!r} is not legal now; possible: {', '.join(legal)}")

    # Going on ---------------------------------------------------------------------------------------------

    def _keep_back(self, choice: Choice) -> None:
        """Keep a simultaneous choice back: until the last one is in, only its own seat is told of it.

        Its other consequences are told with the last choice too, or they would show whether it was the last.
        """
        deal, seat = self.deal, choice.seat
        if not self._pending:
            self._order = deal.to_act()
        views = self._narrator.views(deal, seat, choice.action, choice.word)
        phase = deal.phase()
        deal.apply_by(seat, choice.action)
        self._pending.append((choice, views))
        self._narrator.move(seat, views, choice.fault, to=1 << seat)
        if deal.awaited and deal.phase() == phase:
            return
        for kept, views in sorted(self._pending, key=lambda pending: self._order.index(pending[0].seat)):
            self._write(kept)
            self._narrator.move(kept.seat, views, kept.fault, to=~(1 << kept.seat))
        self._pending.clear()

    def _carry_out(self, choice: Choice) -> None:
        views = self._narrator.views(self.deal, choice.seat, choice.action, choice.word)
        self.deal.apply(choice.action)
        self._write(choice)
        self._narrator.move(choice.seat, views, choice.fault)

    def _write(self, choice: Choice) -> None:
        played = self.played[-1]
        if choice.fault is not None:
            self.faults.append({**self._position(choice), "kind": choice.fault})
        if choice.note is not None and choice.note != {}:  # an empty note says nothing
            self.notes.append({**self._position(choice), "note": choice.note})
        played.moves.append([choice.seat, choice.word])
        played.costs.append(choice.cost)
        played.walls.append(choice.wall)

    def _position(self, choice: Choice) -> dict[str, Json]:
        moves = self.played[-1].moves
        return {"deal": len(self.played) - 1, "move": len(moves), "seat": choice.seat}

    def _go_on(self) -> None:
        """Go on to the next question: tell what changed, play the rules' own seats, score, deal."""
        self._narrator.changes(self.deal)
        while self.deal.player() >= self.game.seats:
            action = self.deal.legal_actions()[0]
            self._carry_out(Choice(self.deal.player(), self.deal.word(action), action))
            self._narrator.changes(self.deal)
        if self.deal.is_over():
            self._score()

    def _score(self) -> None:
        played, game = self.played[-1], self.game
        played.scores = self.deal.scores()
        played.derived = game.derived(self.deal)
        self.scores = [total + points for total, points in zip(self.scores, played.scores, strict=True)]
        self._narrator.tell(Event("score", numbers=tuple(played.scores), facts={"totals": self.scores}))
        self._carry = game.carry(self.deal, self._carry)
        if not game.is_finished(len(self.played), self.scores, self._carry):
            self._new_deal(game.next_dealer(played.dealer))
            return
        self.over = True
        self.ranks = ranks_of(self.scores)
        self._narrator.tell(Event("end", numbers=tuple(self.ranks), facts={"scores": self.scores}))

    def _new_deal(self, dealer: int) -> None:
        number = len(self.played)
        dealt = self._deals.dealt(number, self._carry)
        self.deal = self.game.new_deal(number, dealer, dealt, self._carry)
        self.played.append(PlayedDeal(dealer, dealt))
        self._narrator.new_deal(number, dealer, self.deal)
        if self.deal.player() >= self.game.seats:
            self._go_on()

    # The record -------------------------------------------------------------------------------------------

    def record(self, seats: Sequence[Mapping[str, Json]], **more: Json) -> Record:
        """Write the record of a finished match.

        :param seats: the bot on each seat, seat 0 first: `{"bot": "house/thumb", "version": 3}`.
        :param more: further fields, such as `seed` (64 hex digits, which `verify` then checks too) or
            `time_control`.
        :raises RecordError: the match is not over, or not every seat has an entry.
        """
        if not self.over:
            raise RecordError("a match that is not over has no record yet")
        if len(seats) != self.game.seats:
            raise RecordError(f"the record needs {self.game.seats} seats, {len(seats)} were given")
        record = {
            "format": FORMAT,
            "game": self.game.name,
            "options": self.game.options,
            "seats": [dict(seat) for seat in seats],
            "deals": [played.to_json() for played in self.played],
            "faults": self.faults,
            "scores": self.scores,
            "ranks": self.ranks,
            "rules_version": self.game.rules_version,
        }
        if "seed" in more:
            record["shuffle"] = SHUFFLE
        if self.notes:
            record["notes"] = self.notes
        if any(cost is not None for played in self.played for cost in played.costs):
            record["costs"] = [played.costs for played in self.played]
        if any(wall is not None for played in self.played for wall in played.walls):
            record["wall_times"] = [played.walls for played in self.played]
        return Record(record | more)


def ranks_of(totals: Sequence[int]) -> list[int]:
    """Rank totals: 1 for the most; equals share a rank and the next one is skipped.

    >>> ranks_of([3, 12, 3, 0])
    [2, 1, 2, 4]
    """
    return [1 + sum(other > total for other in totals) for total in totals]
