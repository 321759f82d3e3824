"""The view of one seat of a table: what its person may know, and what is asked now."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import prefetch_related_objects
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.match import records
from stichkampf.match.events import Event
from stichkampf.match.table import Table

from stichkampf_platform.play import bus
from stichkampf_platform.play.models import GOING_ON, DailyEntry, PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import SeatKey


@dataclass(frozen=True)
class AskedDecision:
    """A question for a decision.

    :ivar decision: its number, to be repeated in the answer.
    :ivar legal: the words to choose from.
    """

    decision: int
    legal: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SeatFeed:
    """Everything that one seat may know of its table, in the order in which it happened.

    :ivar row: the table as it is stored, with its seats.
    :ivar table: its public id.
    :ivar names: by seat.
    :ivar events: as this seat sees them; the vocabulary is that of ARCHITECTURE.md.
    :ivar asked: the open question; None while others are awaited, and once it is answered.
    :ivar over: the match was played to its end.
    :ivar left: a bot plays for this person, who left or gave up the match.
    :ivar void: why the match will not be played to its end, as a `Sentence`; None if it may.
    :ivar practice: something was taken back or hinted, or it did not begin with its first card.
    :ivar open_cards: its person sees all hands.
    :ivar gathering: the match has not begun, as people may still sit down.
    :ivar persons: the seats of persons.
    :ivar away: those of them for which a bot plays.
    :ivar said: what was said last at a table of several persons, by seat and number of the phrase.
    :ivar cut_off: the arbiter that played it may be lost; it goes on once somebody has looked after it.
    :ivar version: grows with every event and question, to wait for the next one.
    """

    row: PlayedTable
    table: str
    game: Game
    options: dict[str, Json]
    names: tuple[str, ...]
    seat: int
    events: list[Event]
    asked: AskedDecision | None
    over: bool
    left: bool
    void: str | None
    practice: bool
    open_cards: bool
    gathering: bool
    persons: frozenset[int]
    away: frozenset[int]
    said: tuple[tuple[int, int], ...]
    cut_off: bool
    version: int

    @property
    def entry(self) -> DailyEntry | None:
        """The person's entry, where it is of a day's deal."""
        return self.row.entry

    @property
    def is_shared(self) -> bool:
        """Tell whether several persons sit at the table."""
        return len(self.persons) > 1

    @property
    def question(self) -> AskedDecision | None:
        """The open question to the person; None where a bot answers it."""
        return None if self.left else self.asked

    def seat_table(self) -> Table:
        """Return the table as a bot in this seat would have it."""
        table = Table(self.game, self.seat, bytes(32))
        table.follow(self.events)
        table.legal = list(self.asked.legal) if self.asked else []
        return table


def read_feed(table: PlayedTable, key: SeatKey) -> SeatFeed:
    """Return the feed of a seat, whose key was checked.

    :param table: with its seats.
    :raises RedisError: Redis does not answer.
    """
    seats = sorted(table.seats.all(), key=lambda seat: seat.number)
    named = [seat for seat in seats if seat.account_id or seat.version_id]
    prefetch_related_objects(named, "account", "version__bot__owner")
    game = table.game
    events: list[Event] = []
    question: AskedDecision | None = None
    over, cut_off, version = False, False, 0
    persons = frozenset(seat.number for seat in seats if seat.person)
    said: list[tuple[int, int]] = []
    if table.state == PlayedState.OVER:
        events, over = records.replayed(table.record).events(key.seat), True
        version = len(events)
    elif table.state in GOING_ON:
        said = bus.said(key.table) if len(persons) > 1 else []
        told, answered, cut_off = bus.read(key.table, key.seat)
        events, over, version = list(told.events), told.over, told.version
        if told.question is not None and told.question[0] not in answered:
            question = AskedDecision(*told.question)
    return SeatFeed(
        row=table,
        table=table.public_id,
        game=game,
        options=game.options,
        names=tuple(seat.name for seat in seats),
        seat=key.seat,
        events=events,
        asked=question,
        over=over,
        left=seats[key.seat].bot_plays,
        void=table.void or None,
        practice=table.practice,
        open_cards=table.open_cards,
        gathering=table.state == PlayedState.GATHERING,
        persons=persons,
        away=frozenset(seat.number for seat in seats if seat.bot_plays),
        said=tuple(said),
        cut_off=cut_off,
        version=version,
    )
