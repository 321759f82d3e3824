"""The batch against the referee of matches, and against deals stepped one by one."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from librt.vecs import vec
from mypy_extensions import i64
from stichkampf import new_game
from stichkampf.errors import ActionError, IllegalAction, OptionError, SeatsError, UnknownGame
from stichkampf.games import GAMES
from stichkampf.lab.batch import Batch
from stichkampf.lab.batch.rows import UnpackedRows
from stichkampf.lab.batch.starts import seed_of
from stichkampf.lab.batch.trained import TableObserver
from stichkampf.match.match import Match
from stichkampf.match.table import Table

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]
# Whole matches whose deals do not depend on what was played before.
SHORT = {"stiche-raten": ({"length": "deals:8"}, 8), "was-sticht": ({"max_deals": 1}, 1)}
DECISIONS = int(os.environ.get("STICHKAMPF_BATCH_DECISIONS", "250"))


def part(batch, name, k=0):
    return batch.observation[k, batch.layout.slices[name]]


def cards(batch, name, k=0):
    """List the cards of a part, which may take two words."""
    planes = [columns for given, columns in batch.layout.slices.items() if given.split(",")[0] == name]
    columns = np.concatenate([batch.observation[k, each] for each in planes])
    return Counter(card for card, held in zip(batch.cards, columns, strict=True) if held)


def shown_moves(match, seat, since):
    """List the tokens of the moves that a seat was told of since a place in its events."""
    numbers = {word: number for number, word in enumerate(type(match.game).actions)}
    table = match.game.table_seats
    return [
        1 + (event.seat - seat) % table * (len(numbers) + 1) + numbers.get(event.text, len(numbers))
        for event in match.events(seat)[since:]
        if event.kind == "move"
    ]


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_batch_agrees_with_the_referee_at_every_decision(name, seats):
    options, deals = SHORT.get(name, ({"length": "deals:2"}, 2))
    decisions, seed = 0, 0
    while decisions < DECISIONS:
        seed += 1
        batch = Batch(name, seats, 1, options, seed=seed, starts=deals, redraw=False, history=400)
        tables = [Table(batch.rules, seat, bytes(32)) for seat in range(seats)]
        observer = TableObserver(batch.rules)
        match, numbers = Match(new_game(name, seats, options), seed=seed_of(seed, 0)), batch.words.index
        while not match.over:
            decisions += 1
            seat = match.to_act()[0]
            assert batch.seat[0] == seat
            assert np.flatnonzero(batch.mask[0]).tolist() == sorted(map(numbers, match.legal(seat)))
            assert cards(batch, "hand") == Counter(match.deal.hand(seat))
            table = [Counter() for _ in range(match.game.table_seats)]
            for other, card in match.deal.table():
                table[(other - seat) % match.game.table_seats][card] += 1
            if match.deal.phase() != "draft":
                assert [cards(batch, f"table {place}") for place in range(len(table))] == table
            tables[seat].follow(match.events(seat)[len(tables[seat].history) :])
            tables[seat].legal = match.legal(seat)
            for shown, array in zip(
                observer.observe(tables[seat]), (batch.observation, batch.mask), strict=True
            ):
                assert (shown == array[0]).all()
            assert part(batch, "seat").tolist().index(1) == seat
            begun = max(at for at, event in enumerate(match.events(seat)) if event.kind == "deal")
            told = [token for token in batch.tokens[0].tolist() if token]
            assert sorted(told) == sorted(shown_moves(match, seat, begun))
            action, before = int(batch.random_actions()[0]), list(match.scores)
            match.play(seat, batch.words[action])
            batch.step([action])
            gained = [after - earlier for after, earlier in zip(match.scores, before, strict=True)]
            assert batch.rewards[0].tolist() == gained
            ended = any(event.kind == "score" for event in match.events(0)[-4:]) and batch.done[0]
            assert batch.done[0] == ended


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_many_deals_go_on_as_each_would_alone(name, seats):
    batch = Batch(name, seats, 4, seed=2, starts=3)
    alone = [batch.deal(k) for k in range(4)]
    ended = 0
    for _ in range(150):
        assert batch.seat.tolist() == [deal.player() for deal in alone]
        actions = batch.random_actions().copy()
        actions[ended % 4] = -1
        for k, deal in enumerate(alone):
            legal = [batch.words.index(deal.word(action)) for action in deal.legal_actions()]
            assert np.flatnonzero(batch.mask[k]).tolist() == sorted(legal)
            if actions[k] >= 0:
                deal.apply(deal.action(batch.words[actions[k]]))
                while deal.player() >= seats:
                    deal.apply(deal.legal_actions()[0])
        batch.step(actions)
        for k, deal in enumerate(alone):
            assert batch.done[k] == deal.is_over()
            assert batch.rewards[k].tolist() == (deal.scores() if deal.is_over() else [0] * seats)
            if deal.is_over():
                ended += 1
                alone[k] = batch.deal(k)
    assert ended > 0


@pytest.mark.parametrize("name", GAMES)
def test_random_actions_reach_every_phase(name):
    phases = set()
    for seats in GAMES[name].players:
        batch = Batch(name, seats, 6, seed=4, starts=12)
        for _ in range(120):
            phases |= {batch.deal(k).phase() for k in range(6)}
            batch.step(batch.random_actions())
    assert phases >= set(GAMES[name].phases) - {"naming trump", "discarding a task"}


def test_hidden_hands_are_those_of_all_seats_from_the_one_to_act():
    batch = Batch("njet", 4, 3, seed=1, starts=3)
    hands = batch.hidden_hands()
    for k in range(3):
        deal, seat = batch.deal(k), int(batch.seat[k])
        for place in range(4):
            held = Counter(card for card, there in zip(batch.cards, hands[k, place], strict=True) if there)
            assert held == Counter(deal.hand((seat + place) % 4))
        assert (hands[k, 0] == part(batch, "hand", k)).all()


def test_new_deals_hold_every_card_once_and_are_not_the_old_ones():
    batch = Batch("sixes-and-sevens", 4, 5, seed=1, starts=2)
    seen = set()
    for _ in range(3 * 52):
        if batch.done.any() or not seen:
            for k in range(5):
                hands = [tuple(batch.deal(k).hand(seat)) for seat in range(4)]
                assert len({card for hand in hands for card in hand}) == 52
                seen.add(tuple(hands))
        batch.step(batch.random_actions())
    assert len(seen) == 15


def test_a_redrawn_card_is_as_likely_in_each_hand():
    batch = Batch("sixes-and-sevens", 4, 200, seed=3, starts=50)
    holders = np.zeros(4)
    for _ in range(4):
        for k in range(200):
            holders += [("HA" in batch.deal(k).hand(seat)) for seat in range(4)]
        for _ in range(52):
            batch.step(batch.random_actions())
    assert holders.sum() == 800
    assert abs(holders - 200).max() < 75  # chance alone: 12 once, more where deals of one start share a hand


def test_the_same_seed_gives_the_same_deals_and_choices():
    def course(seed):
        batch = Batch("mue", 5, 3, seed=seed, starts=4)
        taken = []
        for _ in range(60):
            taken += [batch.random_actions().tolist(), batch.rewards.tolist()]
            batch.step(taken[-2])
        return taken, batch.observation.tolist()

    assert course(1) == course(1) != course(2)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_a_copy_goes_on_as_the_original(again):
    batch = Batch("meinz", 3, 3, seed=1, starts=4, history=30)
    for _ in range(25):
        batch.step(batch.random_actions())
    other = again(batch)
    for _ in range(40):
        assert (other.observation == batch.observation).all()
        assert (other.tokens == batch.tokens).all()
        assert (other.rewards == batch.rewards).all()
        actions = batch.random_actions().copy()
        assert (other.random_actions() == actions).all()
        batch.step(actions)
        other.step(actions)


def test_an_illegal_action_is_refused_by_deal_action_and_what_is_legal():
    batch = Batch("sticheln", 4, 3, seed=1, starts=3)
    before, actions = batch.observation.copy(), batch.random_actions().copy()
    for wrong in (batch.words.index("play R6"), len(batch.words), -2, 2**40):
        actions[1] = wrong
        with pytest.raises(
            IllegalAction, match=rf"^deal 1: action {wrong} .*possible: \d+ \(pain "
        ) as refused:
            batch.step(actions)
        legal = np.flatnonzero(batch.mask[1])
        assert str(refused.value).count("pain ") == len(legal) == 15
    assert (batch.observation == before).all()


@pytest.mark.parametrize("wrong", [[1], [[1, 2]], [1.0, 2.0], ["a", "b"], [True, False], [None, 1], 3, []])
def test_actions_of_another_shape_or_type_are_refused(wrong):
    batch = Batch("sticheln", 3, 2, starts=2)
    with pytest.raises(ActionError, match=r"actions are 2 whole numbers.* not "):
        batch.step(wrong)


def test_bad_tables_and_sizes_are_refused():
    with pytest.raises(UnknownGame, match="skat"):
        Batch("skat", 3, 2)
    with pytest.raises(SeatsError, match="not 9"):
        Batch("mue", 9, 2)
    with pytest.raises(OptionError, match="tempo"):
        Batch("mue", 4, 2, {"tempo": 1})
    for given in (
        {"n": 0},
        {"n": 1.5},
        {"n": 2, "starts": 0},
        {"n": 2, "history": -1},
        {"n": 2, "seed": "a"},
    ):
        with pytest.raises(OptionError, match="whole number"):
            Batch("mue", 4, **given)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint32])
def test_whole_numbers_of_numpy_are_taken_as_those_of_python(kind):
    given = Batch("stiche-raten", 3, kind(4), seed=kind(3), starts=kind(8), history=kind(2))
    same = Batch("stiche-raten", 3, 4, seed=3, starts=8, history=2)
    assert (given.observation == same.observation).all()
    assert (given.observation_of(kind(1), kind(2)) == same.observation_of(1, 2)).all()
    assert (pickle.loads(pickle.dumps(given)).observation == same.observation).all()
    with pytest.raises(OptionError, match="whole number"):
        Batch("stiche-raten", 3, 4, seed=np.float64(3))


def test_a_closed_batch_is_of_no_more_use():
    with Batch("mue", 4, 2, starts=2) as batch:
        batch.step(batch.random_actions())
    for use in (lambda: batch.step([0, 0]), batch.random_actions, batch.hidden_hands, lambda: batch.mask):
        with pytest.raises(IllegalAction, match="closed"):
            use()
    with pytest.raises(ActionError, match="0 to 1, not 2"):
        Batch("mue", 4, 2, starts=2).deal(2)


def test_the_shown_arrays_of_the_engine_cannot_be_written():
    batch = Batch("mue", 4, 2, starts=2, history=5)
    for array in (batch.seat, batch.tokens, batch.random_actions()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_bits_are_unpacked_as_numpy_unpacks_them():
    eights = [8, 1, 3]
    words = np.random.default_rng(1).integers(0, 2**62, (6, len(eights)))
    rows = UnpackedRows(eights, 4)
    rows.unpack(vec[i64](words.ravel().tolist()), 2, 4)
    used = [word * 8 + byte for word, count in enumerate(eights) for byte in range(count)]
    wanted = np.unpackbits(words[2:].view(np.uint8)[:, used], axis=1, bitorder="little")
    assert np.asarray(memoryview(rows.memory)).view(np.uint8).tolist() == wanted.ravel().tolist()


def test_every_row_of_a_large_batch_shows_its_own_deal():
    batch = Batch("sixes-and-sevens", 4, 300, starts=300)
    batch.step(batch.random_actions())
    for k in (0, 127, 128, 255, 256, 299):
        seat = int(batch.seat[k])
        assert batch.observation[k].tolist() == batch.observation_of(k, seat).tolist()
        assert batch.mask[k].sum() == len(batch.deal(k).legal_actions())


def test_stichkampf_alone_loads_no_numpy():
    program = "import stichkampf, stichkampf.lab.observations, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "numpy" not in loaded.stdout.split()
