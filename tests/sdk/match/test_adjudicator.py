"""The fault policy: questions, faults and substitutes, without network or clock."""

import pytest
from stichkampf.bots.substitute import new_adjudicator
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.table import table_seed
from stichkampf.match.verify import verify

SEED = bytes(range(32))


def new_table(game="stiche-raten", *, fault_allowance=2, length="deals:3"):
    rules = new_game(game, 3, {"length": length})
    return new_adjudicator(
        Match(rules, seed=SEED),
        [table_seed(SEED, seat) for seat in range(3)],
        fault_allowance=fault_allowance,
    )


def play(table, answer):
    """Play to the end; `answer(question)` gives a word, or a kind of fault."""
    waiting = table.ask()
    while waiting:
        question = waiting.pop(0)
        given = answer(question)
        if isinstance(given, FaultKind):
            table.fail(question, given)
        else:
            table.answer(question, given)
        waiting += table.ask()
    return table.match.record([{"bot": "a/test", "version": 1}] * 3)


def first(question):
    return question.legal[0]


def test_questions_are_numbered_by_seat():
    numbers = {0: [], 1: [], 2: []}

    def answer(question):
        numbers[question.seat].append(question.number)
        return question.legal[0]

    play(new_table(), answer)
    assert all(of_seat == list(range(1, len(of_seat) + 1)) for of_seat in numbers.values())


def test_simultaneous_choices_are_asked_all_at_once():
    table = new_table("sticheln")
    assert sorted(question.seat for question in table.ask()) == [0, 1, 2]
    assert table.ask() == []


def test_other_bots_see_nothing_of_a_fault_before_the_last_choice_is_in():
    table = new_table("sticheln")
    questions = {question.seat: question for question in table.ask()}
    before = len(table.match.events(1))
    table.fail(questions[0], FaultKind.TIMEOUT)
    assert len(table.match.events(1)) == before
    table.answer(questions[2], questions[2].legal[0])
    table.answer(questions[1], questions[1].legal[0])
    assert "fault" in {event.kind for event in table.match.events(1)}


def test_up_to_the_allowance_the_bot_is_asked_again():
    record = play(new_table(fault_allowance=100), lambda q: FaultKind.TIMEOUT if q.seat == 1 else first(q))
    assert {fault["seat"] for fault in record["faults"]} == {1}
    verify(record)


@pytest.mark.parametrize("fault_allowance", [0, 1, 2])
def test_beyond_the_allowance_the_bot_is_asked_no_more(fault_allowance):
    asked = []

    def answer(question):
        if question.seat == 1:
            asked.append(question.number)
            return FaultKind.CRASHED
        return first(question)

    record = play(new_table(fault_allowance=fault_allowance), answer)
    assert asked == list(range(1, fault_allowance + 2))
    assert {fault["kind"] for fault in record["faults"]} == {"crashed"}
    assert len(record["faults"]) == sum(seat == 1 for deal in record["deals"] for seat, _ in deal["moves"])


def test_later_moves_keep_the_last_faults_kind():
    kinds = iter([FaultKind.TIMEOUT, FaultKind.CRASHED, FaultKind.RESOURCE_LIMIT])
    record = play(new_table(), lambda q: next(kinds) if q.seat == 1 else first(q))
    found = [fault["kind"] for fault in record["faults"]]
    assert found[:3] == ["timeout", "crashed", "resource-limit"]
    assert set(found[3:]) == {"resource-limit"}


def test_resigning_needs_no_allowance():
    record = play(new_table(), lambda q: FaultKind.RESIGNED if q.seat == 1 else first(q))
    assert {fault["kind"] for fault in record["faults"]} == {"resigned"}


def test_the_substitute_plays_as_thumb_would_have():
    record = play(new_table(fault_allowance=0), lambda q: FaultKind.CRASHED)
    again = play(new_table(fault_allowance=100), lambda q: FaultKind.CRASHED)
    assert record["deals"] == again["deals"]
    verify(record)


def test_a_match_whose_bots_are_all_replaced_plays_to_its_end():
    table = new_table()
    for seat in range(3):
        table.replace(seat, FaultKind.DISCONNECTED)
    assert table.ask() == []
    assert table.match.over


def test_an_illegal_and_a_malformed_answer_are_told_apart():
    table = new_table(fault_allowance=100)
    questions = table.ask()
    assert table.answer(questions[0], "play SA").kind is FaultKind.ILLEGAL
    assert table.answer(table.ask()[0], "Play SA!").kind is FaultKind.MALFORMED
