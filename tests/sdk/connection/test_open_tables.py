"""The open tables of a bot process, and how they move from one stream to the next."""

import json

import pytest
from stichkampf import Bot
from stichkampf.connection.open_tables import OpenTables
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.wire.v1 import bot_pb2 as pb
from wire_events import to_wire

SEAT = 1


class Counting(Bot):
    """Counts in its note how often it was asked."""

    def __init__(self):
        self.asked = 0

    def choose(self, table):
        self.asked += 1
        return table.legal[0], f"{self.asked}: {len(table.history)} events, {table.seconds:g} s"


class Wire:
    """A match, and the updates for its bot."""

    def __init__(self, seed=bytes(32)):
        self.match = Match(new_game("stiche-raten", 3, {"length": "deals:2"}), seed=seed)
        self.told = 0
        self.decision = 0

    def until_asked(self):
        while SEAT not in self.match.to_act():
            self.play(self.match.to_act()[0])

    def play(self, seat):
        self.match.play(seat, self.match.legal(seat)[0])

    def update(self, table, *, start=False, seconds=2.0, **fields):
        """Make an update of the new events, or of all from the start, with the question if there is one."""
        if start:
            self.told = 0
            fields["start"] = pb.TableStart(
                game="stiche-raten",
                options_json=json.dumps(self.match.game.options),
                seats=3,
                seat=SEAT,
                seed=bytes(32),
            )
        events = [to_wire(event) for event in self.match.events(SEAT, self.told)]
        self.told = len(self.match.log)
        if SEAT in self.match.to_act():
            self.decision += 1
            fields["question"] = pb.Question(
                decision=self.decision, legal=self.match.legal(SEAT), seconds=seconds
            )
        return pb.TableUpdate(table=table, events=events, **fields)


@pytest.fixture
def wire():
    wire = Wire()
    wire.until_asked()
    return wire


@pytest.fixture
def tables():
    return OpenTables(lambda _: Counting())


def note_of(answer):
    return answer.note.text


def test_a_question_answered_before_the_loss_is_not_asked_again(wire, tables):
    first = tables.handle_update(wire.update(5, start=True))
    tables.connection_lost()
    again = tables.handle_update(wire.update(5, start=True, seconds=0.1))
    assert note_of(again) == note_of(first)
    assert (first.table, first.decision, again.table, again.decision) == (5, 2, 5, 2)
    assert again.action == first.action


def test_the_bot_of_a_resumed_table_plays_on(wire, tables):
    tables.handle_update(wire.update(5, start=True))
    tables.connection_lost()
    wire.play(SEAT)
    wire.until_asked()
    later = tables.handle_update(wire.update(5, start=True, seconds=1.5))
    events = len(wire.match.events(SEAT))
    assert note_of(later) == f"2: {events} events, 1.5 s"
    wire.play(SEAT)
    wire.until_asked()
    assert note_of(tables.handle_update(wire.update(5))).startswith("3: ")


def test_a_second_question_on_the_same_stream_is_asked_even_without_new_events(wire, tables):
    tables.handle_update(wire.update(5, start=True))
    assert note_of(tables.handle_update(wire.update(5))).startswith("2: ")


@pytest.mark.parametrize("other", ["cards", "less"])
def test_a_table_with_another_history_gets_a_new_bot(wire, tables, other):
    if other == "less":
        before = wire.update(5, start=True)
        wire.play(SEAT)
        wire.until_asked()
        tables.handle_update(wire.update(5, start=True))
        again = before
    else:
        tables.handle_update(wire.update(5, start=True))
        new = Wire(bytes([1]) * 32)
        new.until_asked()
        again = new.update(5, start=True)
    tables.connection_lost()
    assert note_of(tables.handle_update(again)) == f"1: {len(again.events)} events, 2 s"


def test_tables_that_are_not_resumed_on_the_next_stream_are_forgotten(wire, tables):
    tables.handle_update(wire.update(5, start=True))
    tables.connection_lost()
    assert len(tables) == 0
    tables.connection_lost()
    assert note_of(tables.handle_update(wire.update(5, start=True))).startswith("1: ")


def test_tables_that_end_are_counted(wire, tables):
    tables.handle_update(wire.update(5, start=True))
    assert (len(tables), tables.ended) == (1, 0)
    assert tables.handle_update(pb.TableUpdate(table=5, end=pb.TableEnd())) is None
    assert (len(tables), tables.ended) == (0, 1)


def test_a_bot_that_cannot_be_made_fails_at_every_question(wire, capsys):
    def make(_):
        raise ValueError("no cards today")

    tables = OpenTables(make)
    answer = tables.handle_update(wire.update(5, start=True))
    assert "ValueError: no cards today" in answer.failure.message
    assert "stiche-raten, seat 2: " in capsys.readouterr().err


def test_quick_answers_share_a_message(wire, tables):
    updates = [wire.update(number, start=True) for number in range(1, 9)]
    messages = list(tables.process_updates(updates))
    assert len(messages) < 8
    assert [answer.table for message in messages for answer in message.answers.answers] == list(range(1, 9))


def test_the_first_error_of_a_bot_at_a_table_is_printed_with_its_traceback(wire, capsys):
    class Crashing(Bot):
        def choose(self, table):
            return table.facts["no such fact"]

    tables = OpenTables(lambda _: Crashing())
    wire.until_asked()
    tables.handle_update(wire.update(1, start=True))
    first = capsys.readouterr().err.splitlines()
    assert first[0] == "Traceback (most recent call last):"
    assert 'return table.facts["no such fact"]' in first[2]
    assert first[-2:-1] == ["KeyError: 'no such fact'"]
    assert first[-1].startswith("stiche-raten, seat 2: test_open_tables.py, line ")
    wire.play(SEAT)
    wire.until_asked()
    tables.handle_update(wire.update(1))
    assert capsys.readouterr().err.splitlines() == first[-1:]


def test_tables_that_a_substitute_has_taken_over_count_as_forfeited(wire, tables):
    tables.handle_update(wire.update(5, start=True))
    tables.handle_update(pb.TableUpdate(table=5, end=pb.TableEnd(reason=pb.TABLE_END_REASON_REPLACED)))
    assert (tables.ended, tables.forfeited, len(tables)) == (1, 1, 0)


@pytest.mark.parametrize("lost", [1, 2, 5])
def test_tables_that_no_stream_takes_up_again_count_as_forfeited_once(tables, lost):
    for number in range(lost + 1):
        wire = Wire(bytes([number]) * 32)
        wire.until_asked()
        tables.handle_update(wire.update(number, start=True))
    tables.connection_lost()
    tables.handle_update(wire.update(lost, start=True))
    assert tables.forfeited == 0
    for _ in range(2):
        tables.give_up_lost()
        assert (tables.ended, tables.forfeited, len(tables)) == (lost, lost, 1)


class TellsTime(Bot):
    """Tells in its note what it knows of its clock."""

    def choose(self, table):
        clock = table.clock
        return table.legal[0], f"{clock.move:g} {clock.bank:g} {clock.cap:g} {clock.spent:g}"


@pytest.mark.parametrize(
    ("told", "seconds", "note"),
    [
        ({"bank_seconds": 7.5}, 5.0, "2 7.5 5 2.5"),
        ({"bank_seconds": 0.0}, 2.0, "2 0 5 10"),
        ({}, 5.0, "2 3 5 7"),  # an arbiter of before tells the limit alone
    ],
)
def test_a_bot_knows_what_is_left_of_its_bank(wire, told, seconds, note):
    wire.until_asked()
    update = wire.update(1, start=True, seconds=seconds, **told)
    control = pb.TimeControl(move_seconds=2, bank_seconds=10, cap_seconds=5)
    update.start.time_control.CopyFrom(control)
    assert OpenTables(lambda name: TellsTime()).handle_update(update).note.text == note
