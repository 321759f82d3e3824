"""Programs that speak JSON lines: their questions, their answers, and every way in which they can fail."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from stichkampf import new_game
from stichkampf.bots.bot import BotFailure
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.bots.program_bot import SCHEMA, answer_of, program_bot
from stichkampf.errors import BotError
from stichkampf.faults import FaultKind
from stichkampf.games import GAMES
from stichkampf.local_play.validation import short_options
from stichkampf.testing import table_at
from support import is_running, wait_until

FIRST = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"action": question["legal"][0]}), flush=True)
"""
KEEPS = FIRST.replace("    print", "    open('kept.jsonl', 'a').write(line)\n    print")


@pytest.fixture
def bot_of(tmp_path):
    """Makes the bot of a Python program that knows nothing of the SDK."""

    def make(source):
        return program_bot([sys.executable, "-c", source], tmp_path)

    return make


def played(bot, game="stiche-raten", seats=3, options=None):
    seated = [Entrant("lines", bot), *[entrant("thumb")] * (seats - 1)]
    return play_match(new_game(game, seats, options or {"length": "deals:2"}), seated, bytes(32))


def failures_of(bot):
    return [(failure.kind, failure.message) for failure in played(bot).failures]


@pytest.mark.parametrize("name", GAMES)
def test_questions_of_every_game_hold_to_the_schema_and_tell_all_that_a_seat_sees(bot_of, tmp_path, name):
    seats = min(GAMES[name].players)
    result = played(bot_of(KEEPS), name, seats, short_options(name, seats))
    assert result.failures == []
    questions = [json.loads(line) for line in Path(tmp_path, "kept.jsonl").read_text().splitlines()]
    schema = json.loads(SCHEMA.read_text())
    validator = Draft202012Validator({**schema, "oneOf": [{"$ref": "#/$defs/question"}]})
    for question in questions:
        validator.validate(question)
    own = [move for deal in result.record["deals"] for move in deal["moves"] if move[0] == 0]
    assert [question["question"] for question in questions] == list(range(1, len(own) + 1))
    told = [event for question in questions for event in question["events"]]
    assert told[0]["kind"] == "deal"
    seen = [
        [event["seat"], event["text"]] for event in told if event["kind"] == "move" and event["seat"] == 0
    ]
    assert seen == own[: len(seen)]
    assert len(seen) >= len(own) - 1


def test_the_schema_is_one_and_takes_answers_with_notes():
    schema = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(schema)
    answer = {"action": "bid 0", "note": "weak", "weights": {"bid 0": 1.5}, "question": 3}
    Draft202012Validator(schema).validate(answer)
    word, note = answer_of(json.dumps(answer), 3, ["bid 0"])
    assert (word, note.to_json()) == ("bid 0", {"text": "weak", "weights": {"bid 0": 1.5}})


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "its answer is not JSON: ''"),
        (
            "bid 0",
            """its answer is not JSON: 'bid 0'; it must write one line such as {"action": "bid 0"} to""",
        ),
        ("x" * 300, "xxx…'"),
        ('"bid 0"', "its answer is no JSON object"),
        ("[" * 100_000, "its answer is not JSON"),
        ("{}", "its answer has no text as action: '{}'"),
        ('{"action": 3}', "its answer has no text as action"),
        (
            '{"action": "bid 0", "why": "so"}',
            "unknown key 'why'; possible are action, note, weights, question",
        ),
        ('{"action": "bid 0", "question": 1}', "it answers question 1 when asked question 2"),
        ('{"action": "bid 0", "note": 1}', "the note of its answer must be a text, not 1"),
        ('{"action": "bid 0", "weights": [1]}', "must be an object of numbers, not [1]"),
        ('{"action": "bid 0", "weights": {"bid 0": 1e999}}', "must be an object of numbers"),
        ('{"action": "bid 0", "weights": {"bid 0": true}}', "must be an object of numbers"),
    ],
)
def test_an_answer_of_another_shape_is_malformed_and_says_what_would_be_right(line, complaint):
    with pytest.raises(BotFailure) as caught:
        answer_of(line, 2, ["bid 0", "bid 1"])
    assert caught.value.kind is FaultKind.MALFORMED
    assert complaint in str(caught.value)


def test_debugging_text_before_an_answer_is_quoted(bot_of):
    said = "    sys.stdout.write('thinking\\n' * (question['question'] == 1)); "
    faults = failures_of(bot_of(FIRST.replace("    print", said + "print")))
    assert faults[0][0] is FaultKind.MALFORMED
    assert faults[0][1].startswith("its answer is not JSON: 'thinking'")


def test_debugging_text_after_an_answer_is_quoted(bot_of):
    faults = failures_of(bot_of(FIRST.replace(", flush", " + '\\nso there', flush")))
    kind, message = faults[0]
    assert kind is FaultKind.MALFORMED
    assert message.startswith("it wrote 'so there' to standard output when nothing was asked; it must write")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("input(); raise SystemExit(3)", "the program has ended with exit status 3 instead of answering"),
        ("import os; input(); os.kill(os.getpid(), 9)", "the program was ended by SIGKILL"),
        ("import os; os.close(1); input(); input()", "has closed its standard input or output"),
    ],
)
def test_a_program_that_ends_has_crashed_and_says_how(bot_of, source, complaint):
    kind, message = failures_of(bot_of(source))[0]
    assert kind is FaultKind.CRASHED
    assert complaint in message


def test_a_line_without_an_end_is_cut_off(bot_of):
    source = FIRST.replace("print(", "sys.stdout.write('x' * 10**6); print(")
    kind, message = failures_of(bot_of(source))[0]
    assert kind is FaultKind.MALFORMED
    assert "more than 65,536 bytes without an end of line" in message


def test_a_program_stays_for_the_next_match_and_ends_with_its_input(bot_of):
    bot = bot_of(FIRST)
    assert played(bot).failures == []
    (program,) = bot.idle
    assert played(bot).failures == []
    assert bot.idle == [program]
    assert is_running(program.pid)
    program.end()
    wait_until(lambda: not is_running(program.pid))


def test_a_program_that_does_not_listen_is_ended_without_being_waited_for_long(bot_of):
    bot = bot_of("import time\nwhile True: time.sleep(60)")
    bot.prepare()
    (program,) = bot.idle
    begun = time.monotonic()
    program.end(0.05)
    assert not is_running(program.pid)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    ("content", "mode", "complaint"),
    [
        ("#!/no/such/interpreter\n", 0o755, "or the program that its first line names, is not there"),
        ("#!/bin/sh\n", 0o644, "it may not be executed; chmod +x allows it"),
        (
            "just text",
            0o755,
            "Exec format error; is it a program, or a script whose first line begins with #!?",
        ),
    ],
)
def test_a_program_that_cannot_be_started_says_why(tmp_path, content, mode, complaint):
    Path(tmp_path, "karl").write_text(content)
    Path(tmp_path, "karl").chmod(mode)
    with pytest.raises(BotError) as caught:
        program_bot(["./karl"], tmp_path).prepare()
    assert str(caught.value).startswith("'./karl' does not start: ")
    assert complaint in str(caught.value)


def test_python_as_a_program_is_the_python_of_the_sdk(tmp_path):
    source = FIRST + "    assert sys.executable == " + repr(sys.executable)
    assert played(program_bot(["python3", "-c", source], tmp_path)).failures == []


def test_a_program_of_a_table_at_hand_gets_what_the_table_shows(bot_of):
    table = table_at("sticheln", 4, seed="docs", phase="tricks", decision=3)
    echo = "import json,sys\nq = json.loads(input())\nprint(json.dumps({'action': ' '.join(q['hand'])}))"
    word, _ = bot_of(echo)().choose(table)
    assert word == " ".join(table.hand)
