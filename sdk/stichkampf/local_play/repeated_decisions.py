"""A decision of a recorded match, put to a bot again: the same question, the same own random numbers.

The seat's view is rebuilt from its events alone, as in the match. Its earlier decisions are put to the bot
first, so that its attributes and `table.rng` are as they were then. State from other matches, in files or
in its process, is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from stichkampf.bots.bot import Bot, BotFailure, decide, start
from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.local_play.clocked_match import told_clock
from stichkampf.match.events import Event
from stichkampf.match.match import Match
from stichkampf.match.records import RecordedMove, deciding_seats, steps
from stichkampf.match.table import Table, TableClock, table_seed
from stichkampf.match.verify import seed_of
from stichkampf.time_control import TimeControl
from stichkampf.timing.clock import Clock


class AskedAgain(NamedTuple):
    """A question of a recorded match, as the seat was asked it.

    :ivar number: the decision, among all of the match from 1.
    :ivar events: everything that the seat has seen since its question before.
    :ivar legal: the actions to choose from.
    :ivar seconds: the time limit; None where the record does not tell.
    :ivar clock: what was left of the time; None where the record does not tell.
    :ivar move: the move that was made then.
    """

    number: int
    seat: int
    events: list[Event]
    legal: list[str]
    seconds: float | None
    clock: TableClock | None
    move: RecordedMove


class Comparison(NamedTuple):
    """The earlier decisions of a seat, answered again.

    :ivar answered: the number of those that were put to the bot.
    :ivar otherwise: the numbers of the decisions that it answered otherwise than its move in the record.
    """

    answered: int
    otherwise: list[int]


def questions(record: Mapping[str, Json], decision: int) -> list[AskedAgain]:
    """Return the questions of a verified record to the seat that took a decision, up to that decision.

    :param decision: its number among all decisions of the match, from 1, as the replay counts.
    :raises RecordError: the match has no such decision.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> [(question.number, question.legal) for question in questions(record, 4)]
    [(1, ['bid 0', 'bid 1']), (4, ['play C7'])]
    """
    seats = deciding_seats(record)
    if not 1 <= decision <= len(seats):
        raise RecordError(f"the match has decisions 1 to {len(seats)}, not {decision}")
    seat = seats[decision - 1]
    control = record.get("time_control")
    clock = Clock(_control(control)) if isinstance(control, dict) else None
    asked: list[AskedAgain] = []
    told = 0
    for number, step in enumerate(steps(record), start=1):
        if step.move.seat != seat:
            continue
        limit = clock.limit_seconds() if clock else None
        left = told_clock(clock) if clock else None
        events = step.match.events(seat, told)
        asked.append(AskedAgain(number, seat, events, step.legal, limit, left, step.move))
        told = len(step.match.log)
        if clock and step.move.cost is not None:
            clock.charge(step.move.cost)
        if number == decision:
            break
    return asked


def table_at(record: Mapping[str, Json], question: AskedAgain) -> Table:
    """Return the table of a seat before the first event of its match, with its own random numbers.

    A record without a seed does not tell them; then they begin anywhere.
    """
    game = Match.from_record(record).game
    seed = seed_of(record)
    known = table_seed(seed, question.seat) if seed else b""
    return Table(game, question.seat, known)


def stand_at(
    record: Mapping[str, Json], decision: int, make: Callable[[], Bot], *, fresh: bool = False
) -> tuple[Bot, Table, Comparison]:
    """Bring a new bot to a decision of a verified record; returns it and the table that it is asked at.

    :param fresh: leave out its earlier decisions.
    :raises RecordError: the match has no such decision.
    :raises BotFailure: the bot does not start.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.registry import house_bot
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> bot, table, comparison = stand_at(record, 4, house_bot("thumb"))
    >>> table.legal, comparison
    (['play C7'], Comparison(answered=1, otherwise=[]))
    """
    *before, last = questions(record, decision)
    table = table_at(record, last)
    bot = start(make)
    otherwise = []
    for question in before:
        _show(table, question)
        if not fresh and _word(bot, table) != _own_word(question.move):
            otherwise.append(question.number)
    _show(table, last)
    return bot, table, Comparison(0 if fresh else len(before), otherwise)


def _show(table: Table, question: AskedAgain) -> None:
    table.follow(question.events)
    table.legal, table.seconds, table.clock = question.legal, question.seconds, question.clock


def _word(bot: Bot, table: Table) -> str | None:
    """Return the bot's answer; None where it had a fault, as it may have had in the match."""
    try:
        word, _ = decide(bot, table)
    except BotFailure:
        return None
    return word if word in table.legal else None


def _own_word(move: RecordedMove) -> str | None:
    return None if move.fault else move.word


def _control(numbers: Mapping[str, Json]) -> TimeControl:
    names = ("move_seconds", "bank_seconds", "cap_seconds")
    return TimeControl(**{name: float(numbers[name]) for name in names if name in numbers})
