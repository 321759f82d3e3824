"""Records as text: reading what is sound, naming what is not, and never writing half a line."""

from __future__ import annotations

import errno
import io
import json

import pytest
from stichkampf import Match, new_game
from stichkampf.bots import house_bot
from stichkampf.bots.practice import Entrant, play_match
from stichkampf.errors import RecordError
from stichkampf.match.records import RecordFile, check_shape, dump, parse, read, replayed

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


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(record):
    assert documents("\ufeff" + dump(record) + "\r\n" + dump(record) + "\r\n") == [(1, record), (2, record)]


def test_a_spoilt_first_line_does_not_take_the_others_with_it(record):
    text = dump(record)[:300] + "\n" + dump(record)
    assert flaws(text) == [(1, "not JSON: the text is cut short")]
    assert documents(text)[1] == (2, record)


def test_a_spoilt_later_line_does_not_take_the_others_with_it(record):
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
        ('{"a": 1, "a": 2}', "the field 'a' stands twice"),
        ("[" * 100_000, "beyond all measure"),
        ("9" * 10_000, "beyond all measure"),
    ],
)
def test_what_is_not_json_is_named(text, complaint):
    with pytest.raises(RecordError, match=complaint):
        parse(text)


def test_bytes_that_are_not_utf8_are_named():
    assert flaws(b'{"bot": "\xff"}') == [(1, "not JSON: byte 9 is not UTF-8")]


def test_a_whole_number_may_be_written_with_a_point():
    assert parse("[3.0, 2.5]") == [3, 2.5]
    assert type(parse("3.0")) is int


@pytest.mark.parametrize("name", ["format", "game", "options", "seats", "deals", "faults", "scores", "ranks"])
def test_a_missing_field_is_named(record, name):
    with pytest.raises(RecordError, match=f'the field "{name}" is missing'):
        check_shape({field: value for field, value in record.items() if field != name})


@pytest.mark.parametrize("name", ["dealer", "moves", "scores"])
def test_a_missing_field_of_a_deal_is_named(record, name):
    deals = [record["deals"][0], {field: v for field, v in record["deals"][1].items() if field != name}]
    with pytest.raises(RecordError, match=f'deal 1: the field "{name}" is missing'):
        check_shape({**record, "deals": deals})


@pytest.mark.parametrize("value", [None, True, 1, 1.5, [[]], [{}], [None], [True, True, True]])
@pytest.mark.parametrize("name", ["format", "seats", "deals", "scores", "ranks", "faults", "options", "game"])
def test_a_field_of_the_wrong_type_is_refused(record, name, value):
    with pytest.raises(RecordError):
        check_shape({**record, name: value})


@pytest.mark.parametrize(
    "move", [None, [], [0], [0, "play C7", 1], ["0", "play C7"], [True, "play C7"], [0, 7], "0 play C7"]
)
def test_a_move_is_a_seat_and_an_action(record, move):
    spoilt = json.loads(dump(record))
    spoilt["deals"][1]["moves"][2] = move
    with pytest.raises(RecordError, match=r"deal 1: move 2 must be \[seat, action\]"):
        check_shape(spoilt)


def test_a_document_that_is_no_object_is_refused():
    for document in (None, 3, "text", [], True):
        with pytest.raises(RecordError, match="a match record is a JSON object"):
            check_shape(document)


def test_a_record_played_again_is_the_same_record():
    game = new_game("meinz", 3, {"length": "deals:2"})
    record = play_match(game, [RANDOM] * 3, bytes(32)).record
    again = replayed(record).record(record["seats"], seed=record["seed"])
    assert again == record


def test_a_record_played_again_tells_of_its_faults():
    match = Match(new_game("sticheln", 3, {"length": "deals:1"}), seed=bytes(32))
    match.fault(match.to_act()[1], "illegal")
    while not match.over:
        for seat in match.to_act():
            match.play(seat, match.legal(seat)[0])
    record = match.record([{"bot": "x"}] * 3)
    assert [event for event in replayed(record).events(7) if event.kind == "fault"] == [
        event for event in match.events(7) if event.kind == "fault"
    ]


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
