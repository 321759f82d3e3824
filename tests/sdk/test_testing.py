"""The tools for tests of bots: tables at a decision, scripted bots, matches without a fault."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from stichkampf import Bot, new_game
from stichkampf.bots.practice import entrant, play_match
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES
from stichkampf.match.records import deciding_seats, steps
from stichkampf.testing import Scripted, Wanderer, assert_legal, one_deal, play_deals, table_at, table_from


class Stubborn(Bot):
    def choose(self, table):
        return "play Z9"


class Broken(Bot):
    def choose(self, table):
        return table.facts["pains"]


@pytest.mark.parametrize("name", GAMES)
def test_a_table_stands_at_the_first_decision_of_each_phase(name):
    game = GAMES[name]
    seats = max(game.players)
    options = {"greifen_passen": True} if name == "stiche-raten" else {}
    for phase in game.phases:
        table = next(filter(None, (reached(name, seats, options, str(n), phase) for n in range(40))))
        assert table.phase == phase
        assert table.legal == [table.deal.word(a) for a in table.deal.legal_of(table.seat)]
        assert assert_legal(Wanderer(), table) in table.legal


def reached(name, seats, options, seed, phase):
    try:
        return table_at(name, seats, options, seed=seed, phase=phase)
    except StichkampfError:
        return None


@pytest.mark.parametrize("name", GAMES)
def test_tables_pickle_and_copy(name):
    table = table_at(name, max(GAMES[name].players), seed="copy", decision=3, deal=1)
    for other in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert str(other) == str(table)
        assert other.world(1).key() == table.world(1).key()
        assert other.rng.getstate() == table.rng.getstate()


def test_the_same_seed_gives_the_same_table_and_conditions_hold():
    one, other = (table_at("njet", 4, seed="x", phase="tricks", seat=2, legal=3) for _ in range(2))
    assert str(one) == str(other)
    assert one.seat == 2
    assert len(one.legal) >= 3
    assert str(table_at("njet", 4, seed="y", phase="tricks", seat=2, legal=3)) != str(one)


def test_a_table_that_cannot_be_reached_is_an_error():
    with pytest.raises(StichkampfError, match="mue has no phase 'trick'; it has auction, vice's trump"):
        table_at("mue", 4, phase="trick")
    with pytest.raises(StichkampfError, match="no such decision 99 in the phase 'pain cards'"):
        table_at("sticheln", 4, phase="pain cards", decision=99)


def test_a_recorded_decision_is_asked_as_it_was(tmp_path):
    game = new_game("meinz", 3, {"length": "deals:2"})
    record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    for number, step in enumerate(steps(record), start=1):
        if number % 9 == 4:
            for source in (record, path):
                table = table_from(source, decision=number)
                assert (table.seat, table.legal) == (step.move.seat, step.legal)
                assert assert_legal(entrant("thumb").make(), table) == step.move.word


def test_a_decision_that_is_not_in_a_record_is_an_error(tmp_path):
    record = play_match(
        new_game("meinz", 3, {"length": "deals:1"}), [entrant("random")] * 3, bytes(32)
    ).record
    last = len(deciding_seats(record))
    assert table_from(record, decision=last).legal
    for number in (0, last + 1, 900):
        with pytest.raises(StichkampfError, match=f"the match has decisions 1 to {last}, not {number}"):
            table_from(record, decision=number)
    with pytest.raises(StichkampfError, match=r"cannot read .*none\.json: No such file"):
        table_from(tmp_path / "none.json", decision=1)


def test_an_illegal_answer_and_an_error_fail_the_test_with_what_is_legal():
    table = table_at("stiche-raten", 3)
    with pytest.raises(AssertionError, match="Stubborn answered 'play Z9'; legal are bid 0, bid 1"):
        assert_legal(Stubborn(), table)
    with pytest.raises(AssertionError, match="Broken raised KeyError: 'pains'"):
        assert_legal(Broken(), table)
    with pytest.raises(AssertionError, match="the script says 'bid 7'; legal are bid 0, bid 1"):
        Scripted("bid 7").choose(table)


def test_deals_are_played_on_every_seat_and_a_fault_fails_the_test():
    points = play_deals(Wanderer, "sixes-and-sevens", 4, deals=4, opponents=[Wanderer, "random"])
    assert len(points) == 4
    assert points == play_deals(Wanderer, "sixes-and-sevens", 4, deals=4, opponents=[Wanderer, "random"])
    with pytest.raises(AssertionError, match="Stubborn was malformed in deal 0 on seat 0: 'play Z9'"):
        play_deals(Stubborn, "stiche-raten", 3, deals=1)


@pytest.mark.parametrize("name", GAMES)
def test_a_match_of_one_deal_has_one_deal(name):
    seats = GAMES[name].players[0]
    played = play_match(new_game(name, seats, one_deal(name)), [entrant("random")] * seats, bytes(32))
    assert len(played.record["deals"]) == 1
