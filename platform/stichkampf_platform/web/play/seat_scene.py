"""A step of a table as its person sees it: the replay's scene, the own seat below, what can be pressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.html import strip_tags
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from stichkampf.match.wording import Wording

from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.web.games.cards import CardFace, face, in_order
from stichkampf_platform.web.games.words import in_words
from stichkampf_platform.web.play.controls import Controls, controls
from stichkampf_platform.web.replay.replay import Replay, ReplayDeal
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import (
    DraftCard,
    GoalMark,
    GridField,
    OtherMove,
    SeatOccupant,
    SeatSlot,
    SeatView,
    Text,
)
from stichkampf_platform.web.replay.tricks import ReplayTrick, tricks_until

SHOWN_CHOICES = 24


@dataclass(frozen=True)
class TableCard:
    """A card that lies open: its face, and the action of pressing it, if there is one."""

    word: str
    face: CardFace | None
    extra: str = ""
    action: str = ""
    barred: bool = False


@dataclass(frozen=True)
class OtherSeat:
    """Another seat: its plate, its place in the trick, its open cards, and the action of choosing it."""

    seat: SeatView
    slot: SeatSlot
    cards: list[str]
    action: str

    @property
    def unasked(self) -> SeatView:
        """The seat, whether it is asked or not."""
        return replace(self.seat, asked=False)


@dataclass(frozen=True)
class NumberChoice:
    """A number to name; without an action the rules bar it now."""

    number: int
    action: str


@dataclass(frozen=True)
class GridPlace:
    """A field of a board with its action, and the words for it."""

    field: GridField
    action: str
    said: str


@dataclass(frozen=True)
class LaidRow:
    """The cards that a seat has laid open in an auction."""

    seat: SeatView
    mine: bool
    cards: list[str]
    most: bool


class SeatScene:
    """Step `step` of a table, with controls if it is the present one.

    :param legal: the actions of the open question; empty if there is none, or in a step that is over.
    """

    def __init__(
        self, replay: Replay, step: int, players: Sequence[SeatOccupant], legal: Sequence[str] = ()
    ) -> None:
        self.scene = Scene(replay, step, players)
        self.game, self.replay, self.legal = replay.game, replay, legal
        self.me = replay.observer
        self.step = step
        self.controls: Controls = controls(self.game, legal)
        self.own = self.scene.seats[self.me]
        self.own_slot = self.scene.slots[self.me]

    @property
    def game_name(self) -> str:
        return self.game.name

    @property
    def forced(self) -> str:
        """The action that is the only one; empty where there are several."""
        return self.legal[0] if len(self.legal) == 1 else ""

    @cached_property
    def others(self) -> list[OtherSeat]:
        """The other seats in the order in which they play after the own one."""
        seats, slots, number = self.scene.seats, self.scene.slots, self.replay.seats
        following = [(self.me + k) % number for k in range(1, number)]
        return [
            OtherSeat(seats[k], slots[k], _open_cards(seats[k]), self.controls.seats.get(k, ""))
            for k in following
        ]

    @property
    def own_action(self) -> str:
        """The action of choosing the own seat."""
        return self.controls.seats.get(self.me, "")

    @cached_property
    def hand(self) -> list[list[TableCard]]:
        """The own cards by suit."""
        actions = self.controls.cards
        suits = [
            [
                TableCard(
                    place.word,
                    face(place.word),
                    place.extra,
                    actions.get(place.word, ""),
                    bool(actions) and place.word not in actions,
                )
                for place in suit
                if "gone" not in place.extra
            ]
            for suit in self.own.suits
        ]
        return [suit for suit in suits if suit]

    @property
    def row(self) -> int:
        """The cards of a row of the hand on a phone, which has two rows where one would be too narrow."""
        cards = sum(map(len, self.hand))
        return min(8, max(6, cards if cards <= 7 else (cards + 1) // 2))

    @cached_property
    def numbers(self) -> list[NumberChoice]:
        named = self.controls.numbers
        return [NumberChoice(n, named.get(n, "")) for n in range(max(named) + 1)] if named else []

    @cached_property
    def grid(self) -> list[tuple[Text, list[GridPlace]]]:
        piece = self.game.felt.grid
        rows = self.scene.piece["grid"]
        if piece is None or not rows:
            return []
        return [
            (name, [self._grid_place(row, word, cell) for word, cell in zip(words, cells, strict=True)])
            for (row, words), (name, cells) in zip(piece.rows.items(), rows, strict=True)
        ]

    def _grid_place(self, row: str, word: str, field: GridField) -> GridPlace:
        action = self.controls.grid.get((row, word), "")
        return GridPlace(field, action, self.told(self.me, action).partition(" ")[2] if action else "")

    @cached_property
    def draft(self) -> list[tuple[list[tuple[DraftCard, TableCard]], str, bool]]:
        take = self.controls.draft
        return [
            ([(c, TableCard(c.word, face(c.word), action=take.get(c.word, ""))) for c in cards], winner, now)
            for cards, winner, now in self.scene.piece["draft"]
        ]

    @cached_property
    def display(self) -> list[tuple[Text, str]]:
        """The words that lie open in the middle, each with its action."""
        name = self.game.felt.display
        words = (self.scene.frame.facts.get(name) or []) if name else []
        actions = [self.controls.goals.get(str(word), "") for word in words]
        return list(zip(self.scene.piece["display"], actions, strict=True))

    @cached_property
    def own_goals(self) -> list[tuple[GoalMark, str]]:
        """The own goals, each with its action where one of them is chosen."""
        piece = self.game.felt.goals
        if piece is None or not self.own.goals:
            return []
        words = self.scene.so_far.of_seat(piece.fact, self.me) or []
        taken = set(self.scene.frame.facts.get(self.game.felt.display) or [])
        actions = [("" if taken else self.controls.goals.get(word, "")) for word in words]
        return list(zip(self.own.goals, actions, strict=True))

    @cached_property
    def laid_rows(self) -> list[LaidRow]:
        """A row for each seat until the first trick; empty in games in which no cards are laid open."""
        name = self.game.felt.laid
        if not name or self.scene.so_far.tricks:
            return []
        laid = self.scene.frame.facts.get(name) or []
        lengths = [len(cards) for cards in laid]
        most = max(lengths, default=0)
        order = [(self.me + k) % len(laid) for k in range(1, len(laid) + 1)]
        return [
            LaidRow(
                self.scene.seats[k],
                k == self.me,
                sorted(laid[k], key=in_order),
                most > 0 and lengths[k] == most and lengths.count(most) == 1,
            )
            for k in order
        ]

    @property
    def is_laid(self) -> bool:
        """Tell whether open cards are shown in rows in the middle, and not beside their seats."""
        return bool(self.laid_rows)

    @property
    def is_filled(self) -> bool:
        """Tell whether a piece, and no trick, is in the middle of the table."""
        return bool(self.grid or self.draft or self.display or self.laid_rows)

    @property
    def has_spoken(self) -> bool:
        """Tell whether each seat's place shows the number that it named, as before the first trick."""
        return bool(self.game.felt.tally) and not self.scene.so_far.tricks

    @property
    def turned_up(self) -> str:
        """The card that was turned up, until the first trick."""
        values = [self.scene.frame.facts.get(term.fact) for term in self.game.felt.terms]
        cards = [value for value in values if isinstance(value, str) and face(value)]
        return cards[0] if cards and not self.scene.so_far.tricks else ""

    @cached_property
    def last_trick(self) -> ReplayTrick | None:
        over = [trick for trick in self.scene.so_far.tricks if trick.winner is not None]
        return over[-1] if over else None

    @cached_property
    def deal_before(self) -> ReplayDeal | None:
        """The deal before this one, while this one has no trick that is over."""
        number = self.scene.deal.number
        return self.replay.deals[number - 1] if number and self.last_trick is None else None

    @cached_property
    def shown_trick(self) -> ReplayTrick | None:
        """The last trick that is over, of the deal before until this one has any."""
        before = self.deal_before
        if before is None:
            return self.last_trick
        return next(iter(tricks_until(before, len(before.frames) - 1)[::-1]), None)

    @property
    def shown_trick_cards(self) -> list[tuple[int, str, bool]]:
        """The shown trick: (number of the seat, card, whether it took the trick) in the order played."""
        trick = self.shown_trick
        return [(seat + 1, word, seat == trick.winner) for seat, word, _ in trick.cards] if trick else []

    @property
    def shown_trick_taker(self) -> str:
        return self._taker(self.shown_trick.winner) if self.shown_trick else ""

    @property
    def deal_told(self) -> str:
        """Tell what this deal brought the seat, at its end; at its beginning what the deal before did."""
        deal = self.scene.deal if self.scene.so_far.is_over else self.deal_before
        if deal is None:
            return ""
        return _("Deal {number} brought you {points}.").format(
            number=deal.number + 1, points=signed(deal.scores[self.me])
        )

    @property
    def led(self) -> str:
        """The suit that was led to the trick on the table; empty where nothing is."""
        tricks = self.scene.so_far.tricks
        first = tricks[-1].cards[0][1] if tricks and tricks[-1].winner is None and tricks[-1].cards else ""
        return shown.suit if (shown := face(first)) else ""

    @property
    def taken(self) -> str:
        """The taker of a trick that still lies there; empty at other steps."""
        return "" if self.scene.trick_winner is None else self._taker(self.scene.trick_winner)

    def _taker(self, winner: int | None) -> str:
        if winner is None or winner < 0:
            return _("Nobody takes it")
        if winner == self.me:
            return _("Your trick")
        return _("{name} takes it").format(name=self.scene.players[winner].name)

    @cached_property
    def choices(self) -> list[OtherMove]:
        """The last choices of the deal that played no card into a trick."""
        return self.scene.last_other_moves(SHOWN_CHOICES)

    @property
    def phase_rule(self) -> str:
        """The rule of the phase in one sentence of the game."""
        return in_words(self.game, self.game.phases.get(self.scene.frame.phase, ""))

    @property
    def waits_for(self) -> str:
        return ", ".join(other.seat.player.name for other in self.others if other.seat.asked)

    def told(self, seat: int, action: str) -> str:
        """Tell an action in a sentence, with the names of cards: "Bruno plays red 4"."""
        language = "de" if get_language() == "de" else "en"
        words = Wording(self.game, language, self._name).action(seat, action) if action else ""
        return " ".join(shown.name if (shown := face(word)) else word for word in words.split())

    def _name(self, seat: int) -> str:
        return self.scene.players[seat].name

    @property
    def said(self) -> str:
        """The words that a screen reader says of this step."""
        return ". ".join(filter(None, self._said()))

    def _said(self) -> Iterator[str]:
        if self.scene.decision is None:
            yield _("Deal {number} is dealt").format(number=self.scene.deal.number + 1)
        for seat, action in self.scene.so_far.moves_of(self.scene.frame):
            if seat != self.me:
                yield self.told(seat, action)
        yield self.taken
        if self.scene.so_far.is_over:
            yield self.deal_told.rstrip(".")
        if self.legal:
            yield self.controls.asks
            yield strip_tags(str(self.scene.piece["tally"])) if self.numbers else ""
            if self.controls.cards:
                yield _("{number} possible").format(number=len(self.legal))

    @property
    def scores(self) -> list[tuple[SeatView, bool]]:
        """The seats that have scores, each with whether it is the own one."""
        return [(seat, k == self.me) for k, seat in enumerate(self.scene.seats[: len(self.scene.bots)])]


def _open_cards(seat: SeatView) -> list[str]:
    return [place.word for suit in seat.suits for place in suit if "gone" not in place.extra]
