"""Language models that are good, talkative, slow, wrong, down, or expensive."""

import json
import time
from pathlib import Path

import pytest
from chat_endpoint import chat_endpoint
from stichkampf.bots.registry import house_bot
from stichkampf.games import GAMES, new_game
from stichkampf.lab.language_model import Endpoint, EndpointAway, EndpointError, LanguageModelBot, Spending
from stichkampf.match.match import Match
from stichkampf.match.table import Table

KEY = "sk-secret"


@pytest.fixture
def model():
    with chat_endpoint() as (endpoint, address):
        endpoint.at = Endpoint(address, "karl-7b", KEY)
        yield endpoint


def asked_table(name="stiche-raten", seconds=30.0):
    """Deal the first table at which a seat has a choice."""
    cls = GAMES[name]
    match = Match(new_game(name, cls.main_ladder.seats, {}), seed=bytes(32))
    while len(match.legal(seat := match.to_act()[0])) == 1:
        match.play(seat, match.legal(seat)[0])
    table = Table(match.game, seat, seed=bytes(32))
    table.follow(match.events(seat))
    table.legal = match.legal(seat)
    table.seconds = seconds
    return table


def action_of(answer):
    return answer[0] if isinstance(answer, tuple) else answer


@pytest.mark.parametrize("name", GAMES)
def test_a_model_sees_rules_table_and_numbered_choices_of_every_game(model, name):
    table = asked_table(name)
    assert action_of(LanguageModelBot(model.at).choose(table)) == table.legal[-1]
    ((headers, body),) = model.asked
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body["model"] == "karl-7b"
    rules, question = (message["content"] for message in body["messages"])
    assert GAMES[name].title in rules
    assert table.describe() in question
    assert question.endswith(f"{len(table.legal)}. {table.legal[-1]}")


def test_a_single_legal_action_is_played_without_asking(model):
    table = asked_table()
    table.legal = table.legal[:1]
    assert LanguageModelBot(model.at).choose(table) == table.legal[0]
    assert model.asked == []


def test_an_answer_without_a_choice_is_asked_again_once(model):
    table = asked_table()
    answers = iter(["It is a hard decision.", "2"])
    model.answer = lambda messages: next(answers)
    assert action_of(LanguageModelBot(model.at).choose(table)) == table.legal[1]
    again = model.asked[1][1]["messages"]
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert f"from 1 to {len(table.legal)}" in again[-1]["content"]


@pytest.mark.parametrize(
    "said", ["I do not play cards.", "", b"no JSON", b'{"choices": []}', b'{"choices": [{}]}', b"[]"]
)
def test_a_model_that_names_no_choice_twice_is_replaced_by_a_rule_of_thumb(model, said):
    table = asked_table()
    model.answer = lambda messages: said
    action, note = LanguageModelBot(model.at).choose(table)
    assert action == action_of(house_bot("thumb")().choose(table))
    assert "rule of thumb" in note
    assert len(model.asked) == 2


def test_a_busy_endpoint_is_tried_again(model):
    table = asked_table()
    model.statuses, model.headers = [429], {"Retry-After": "0"}
    assert action_of(LanguageModelBot(model.at).choose(table)) == table.legal[-1]


def test_a_slow_model_is_not_waited_for_beyond_the_time_of_the_decision(model):
    table = asked_table(seconds=3.0)
    model.answer = model.wait
    action, _ = LanguageModelBot(model.at).choose(table)
    assert time.monotonic() < table.deadline + 20  # the endpoint would take a minute
    assert action in table.legal


def test_a_model_that_is_down_costs_no_decision():
    with chat_endpoint() as (_, address):
        pass
    table = asked_table(seconds=5.0)
    action, _ = LanguageModelBot(Endpoint(address, "gone")).choose(table)
    assert action in table.legal


def test_all_requests_count_and_the_log_tells_them_without_the_key(model, tmp_path):
    table, log, ends = asked_table(), tmp_path / "log.jsonl", []
    with Spending(token_limit=200, prices=(1.0, 5.0), log=log, when_spent=lambda: ends.append(1)) as spending:
        bots = [LanguageModelBot(model.at, spending) for _ in range(3)]
        chosen = [action_of(bot.choose(table)) for bot in bots]
    assert chosen[:2] == [table.legal[-1]] * 2
    assert len(model.asked) == 2, "the third is not asked: the limit is reached"
    assert ends == [1]
    assert str(spending) == "2 requests, 200 tokens sent, 20 received, cost 0.0003"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["outcome"] for line in lines] == [table.legal[-1]] * 2
    assert lines[0]["prompt_tokens"] == 100
    assert KEY not in log.read_text()


def test_a_log_on_a_full_disk_costs_no_decision_and_is_told_once(model):
    table, told = asked_table(), []
    with Spending(log=Path("/dev/full"), when_unlogged=told.append) as spending:
        bot = LanguageModelBot(model.at, spending)
        assert [action_of(bot.choose(table)) for _ in range(2)] == [table.legal[-1]] * 2
    assert told == ["No space left on device"]


def test_a_refusal_names_status_and_model_and_never_the_key(model):
    model.statuses = [401]
    with pytest.raises(
        EndpointError, match=r"answered 401: .*not now.*check address, key and model \('karl-7b'\)"
    ) as told:
        model.at.probe()
    assert not isinstance(told.value, EndpointAway)
    assert KEY not in str(told.value)
    assert KEY not in repr(model.at)


def test_a_redirect_is_not_followed_with_the_key(model):
    model.statuses, model.headers = [307], {"Location": "http://127.0.0.1:1/v1"}
    with pytest.raises(EndpointAway, match="answered 307"):
        model.at.probe()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("example.org/v1", "no address of a language model"),
        ("ftp://example.org", "no address of a language model"),
        ("http://[::1/v1", "no address of a language model"),
        ("http://\u2100.example/v1", "no address of a language model"),
        ("http://a b/v1", "no address of a language model"),
        ("http://127.0.0.1:99999/v1", "no address of a language model"),
        ("https://ann:pass@example.org/v1", "no address of a language model"),
        ("http://example.org/v1", "would show the key"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(address, message):
    with pytest.raises(EndpointError, match=message):
        Endpoint(address, "m", KEY)
