"""Records as text: reading what is sound, naming what is not, and never writing half a line."""

from __future__ import annotations

import errno
import io
import json

import pytest
from stichkampf import Match, new_game
from stichkampf.bots.practice import Entrant, play_match
from stichkampf.bots.registry import house_bot
from stichkampf.errors import RecordError
from stichkampf.match.records import (
    RecordFile,
    dump,
    moves,
    parse,
    read,
    replayed,
    steps,
    thinking_times_by_seat,
)

RANDOM = Entrant("house/random", house_bot("random"), 1)


@pytest.fixture(scope="module")
def record():
    game = new_game("stiche-raten", 3, {"length": "deals:2"})
    return json.loads(dump(play_match(game, [RANDOM] * 3, bytes(32)).record))


def documents(text: str | bytes):
    return list(read(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def flaws(text):
    return [(line, str(document)) for line, document in documents(text) if isinstance(document, RecordError)]


def test_json_lines_are_read_with_their_line_numbers(record):
    text = dump(record) + "\n\n" + dump(record) + "\n"
    assert documents(text) == [(1, record), (3, record)]


def test_one_document_over_many_lines_is_read_as_one_record(record):
    assert documents(json.dumps(record, indent=2)) == [(1, record)]


def test_an_array_of_records_is_read_record_by_record(record):
    assert documents(json.dumps([record, record])) == [(1, record), (1, record)]


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(record):
    assert documents("\ufeff" + dump(record) + "\r\n" + dump(record) + "\r\n") == [(1, record), (2, record)]


def test_lines_after_a_spoilt_first_line_are_still_read(record):
    text = dump(record)[:300] + "\n" + dump(record)
    assert flaws(text) == [(1, "not JSON: the text is cut short")]
    assert documents(text)[1] == (2, record)


def test_lines_after_a_spoilt_later_line_are_still_read(record):
    text = "\n".join([dump(record), "{", dump(record)])
    assert flaws(text) == [(2, "not JSON: the text is cut short")]
    assert [line for line, _ in documents(text)] == [1, 2, 3]


def test_a_document_over_many_lines_that_is_cut_short_is_one_spoilt_record(record):
    lines = json.dumps(record, indent=2).splitlines()
    assert flaws("\n".join(lines[:-9])) == [(1, "not JSON: the text is cut short")]


def test_every_way_to_cut_a_record_short_is_noticed(record):
    text = dump(record)
    for end in range(1, len(text), 7):
        assert len(flaws(text[:end])) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nonsense", "not JSON: Expecting value at column 1"),
        ('{"a": NaN}', "not JSON: NaN is no number"),
        ('{"a": 1, "a": 2}', "the field 'a' appears twice"),
        ("[" * 100_000, "a number or the nesting is too large"),
        ("9" * 10_000, "a number or the nesting is too large"),
    ],
)
def test_a_text_that_is_not_json_is_refused_with_the_reason(text, complaint):
    with pytest.raises(RecordError, match=complaint):
        parse(text)


def test_bytes_that_are_not_utf8_are_named():
    assert flaws(b'{"bot": "\xff"}') == [(1, "not JSON: byte 9 is not UTF-8")]


def test_a_whole_number_may_be_written_with_a_point():
    assert parse("[3.0, 2.5]") == [3, 2.5]
    assert type(parse("3.0")) is int


def test_a_record_played_again_is_the_same_record():
    game = new_game("meinz", 3, {"length": "deals:2"})
    record = play_match(game, [RANDOM] * 3, bytes(32)).record
    again = replayed(record).record(record["seats"], seed=record["seed"])
    assert again == record


def test_a_record_played_again_has_the_same_fault_events():
    match = Match(new_game("sticheln", 3, {"length": "deals:1"}), seed=bytes(32))
    match.fault(match.to_act()[1], "illegal")
    while not match.over:
        for seat in match.to_act():
            match.play(seat, match.legal(seat)[0])
    record = match.record([{"bot": "x"}] * 3)
    assert [event for event in replayed(record).events(7) if event.kind == "fault"] == [
        event for event in match.events(7) if event.kind == "fault"
    ]


def test_every_step_shows_the_words_that_the_move_was_chosen_from(record):
    walk = list(moves(record))
    seen = [(step.move, step.move.word in step.legal) for step in steps(record)]
    assert seen == [(move, True) for move in walk]


def test_moves_of_the_rules_own_seats_are_no_steps():
    game = new_game("meinz", 3, {"length": "deals:1"})
    record = play_match(game, [RANDOM] * 3, bytes(32)).record
    assert {move.seat for move in moves(record)} == {0, 1, 2, 3}
    assert {step.move.seat for step in steps(record)} == {0, 1, 2}


def test_a_step_that_was_played_early_is_not_played_twice(record):
    for step in steps(record):
        step.play()
        step.play()
        assert step.legal == []


def test_a_move_carries_its_fault_note_and_times():
    match = Match(new_game("sticheln", 3, {"length": "deals:1"}), seed=bytes(32))
    first, second = match.to_act()[:2]
    match.fault(first, "timeout")
    while not match.over:
        for seat in match.to_act():
            note = {"text": "hm"} if seat == second else None
            match.play(seat, match.legal(seat)[0], note=note, cost_seconds=0.5, wall_seconds=0.75)
    record = match.record([{"bot": "x"}] * 3)
    found = {move.seat: move for move in moves(record) if move.number < 3}
    assert (found[first].fault, found[first].note) == ("timeout", None)
    assert (found[second].fault, found[second].note) == ("", {"text": "hm"})
    assert (found[first].cost, found[first].wall) == (0.5, 0.75)
    assert thinking_times_by_seat(record) == [[0.5] * 15] * 3


def test_records_are_added_to_a_file_one_a_line(tmp_path, record):
    path = tmp_path / "records.jsonl"
    for _ in range(2):
        with RecordFile(path) as file:
            file.add(record)
    assert path.read_text() == 2 * (dump(record) + "\n")


def test_a_line_that_was_left_open_is_closed_first(tmp_path, record):
    path = tmp_path / "records.jsonl"
    path.write_text(dump(record))
    with RecordFile(path) as file:
        file.add(record)
    assert path.read_text() == dump(record) + "\n" + dump(record) + "\n"


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(
        RecordError, match=r"cannot write records to .*no-such-folder.*: No such file or directory"
    ):
        RecordFile(tmp_path / "no-such-folder" / "records.jsonl")


def test_a_full_disk_leaves_no_half_line(tmp_path, record):
    path = tmp_path / "records.jsonl"
    path.write_text("before\n")

    class FullDisk(io.FileIO):
        def write(self, data):
            if len(data) > 100:
                return super().write(data[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    with RecordFile(path) as file:
        file._file.close()
        file._file = FullDisk(path, "ab+")
        with pytest.raises(RecordError, match="the disk is full"):
            file.add(record)
    assert path.read_text() == "before\n"
