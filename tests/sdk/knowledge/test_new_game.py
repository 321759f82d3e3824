"""The eighth game, taken from docs/new-game.md: it plays, its records hold, it keeps what games promise."""

from __future__ import annotations

import doctest
import importlib.util
import itertools
import json
from collections import Counter
from random import Random

import pytest
from documents import code_blocks
from scipy.stats import chisquare
from stichkampf import games, rules_text
from stichkampf.bots.practice import entrant, play_match
from stichkampf.bots.registry import house_bots
from stichkampf.engine.search import search
from stichkampf.errors import ActionError, IllegalAction, OptionError, RecordError, SeatsError, UnknownGame
from stichkampf.games import new_game
from stichkampf.games.facts import facts_text
from stichkampf.lab.adapters.openspiel import load_game
from stichkampf.lab.adapters.pettingzoo import env
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.match.match import Match
from stichkampf.match.narrator import ONLOOKER
from stichkampf.match.records import dump, parse, replayed
from stichkampf.match.table import Table
from stichkampf.match.verify import verify
from stichkampf.testing import table_at

(CODE,) = code_blocks("docs/new-game.md", "python")
(EXAMPLE,) = code_blocks("docs/new-game.md", "pycon")
DECK = [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
SEED = bytes(range(32))


@pytest.fixture
def whist(tmp_path):
    """Load the module on the page and register its game as any other."""
    path = tmp_path / "whist.py"
    path.write_text(CODE)
    specification = importlib.util.spec_from_file_location("whist_of_the_page", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    games.register(module.Whist)
    yield module
    del games.GAMES["whist"]
    vocabulary_of.cache_clear()


def played(seed=SEED, options=None):
    rng = Random(seed)
    match = Match(new_game("whist", 4, options), seed=seed)
    while not match.over:
        (seat,) = match.to_act()
        match.play(seat, rng.choice(match.legal(seat)))
    return match


def record_of(match):
    return match.record([{"bot": f"test/{seat}"} for seat in range(4)], seed=SEED.hex())


def test_a_game_that_is_not_registered_is_unknown():
    with pytest.raises(UnknownGame, match="whist"):
        new_game("whist", 4)


def test_the_page_can_be_read_in_one_sitting():
    lines = [line for line in CODE.splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) < 140


def padded(hands):
    """Fill hands up to thirteen cards, the fourth without clubs."""
    named = [card for hand in hands for card in hand]
    rest = [card for card in DECK if card not in named]
    others = iter([card for card in rest if card[0] != "C"])
    fourth = hands[3] + list(itertools.islice(others, 11))
    rest = iter([card for card in rest if card not in fourth])
    return [*(hand + list(itertools.islice(rest, 11)) for hand in hands[:3]), fourth]


def test_the_example_on_the_page_is_right(whist):
    names = {"padded": padded}
    example = doctest.DocTestParser().get_doctest(EXAMPLE, names, "new-game.md", "docs/new-game.md", 0)
    outcome = doctest.DocTestRunner().run(example)
    assert outcome.attempted > 6
    assert outcome.failed == 0


def test_a_match_plays_to_its_end_and_its_record_holds(whist):
    match = played()
    assert len(match.played) == 4
    record = parse(dump(record_of(match)))
    verify(record)
    assert dump(replayed(record).record(record["seats"], seed=record["seed"])) == dump(record)
    for deal in record["deals"]:
        points = deal["scores"]
        assert points[0] == points[2]
        assert points[1] == points[3]
        assert min(points[:2]) == 0
        assert 1 <= max(points[:2]) <= 7


@pytest.mark.parametrize("name", sorted(house_bots().keys() - {"search"}))
def test_house_bots_play_it_without_a_fault(whist, name):
    record = play_match(new_game("whist", 4, {"length": "deals:1"}), [entrant(name)] * 4, SEED).record
    assert (record["faults"], sum(record["scores"]) > 0) == ([], True)


def test_altered_records_are_refused(whist):
    text = dump(record_of(played()))
    for alter in (
        lambda record: record["deals"][0]["moves"].pop(),
        lambda record: record["deals"][1]["scores"].reverse(),
        lambda record: record["deals"][0]["hands"][0].__setitem__(0, record["deals"][0]["hands"][1][0]),
        lambda record: record["deals"][0]["moves"].__setitem__(
            5, [record["deals"][0]["moves"][5][0], "play C2"]
        ),
        lambda record: record.update(rules_version=2),
        lambda record: record["options"].update(length="deals:5"),
    ):
        record = parse(text)
        alter(record)
        with pytest.raises(RecordError):
            verify(record)


def test_bad_input_is_refused_by_name(whist):
    with pytest.raises(SeatsError, match="whist is for 4 seats, not 3"):
        new_game("whist", 3)
    with pytest.raises(OptionError, match="hook"):
        new_game("whist", 4, {"hook": True})
    match = Match(new_game("whist", 4), seed=SEED)
    (seat,) = match.to_act()
    with pytest.raises(ActionError, match="play CARD"):
        match.play(seat, "bid 3")
    with pytest.raises(IllegalAction, match="possible: play"):
        match.play(seat, next(f"play {card}" for card in DECK if f"play {card}" not in match.legal(seat)))


def test_tables_fed_with_events_know_their_information_sets(whist):
    rng = Random(2)
    match = Match(new_game("whist", 4, {"length": "deals:2"}), seed=SEED)
    tables = [Table(match.game, seat, bytes(32)) for seat in range(4)]
    told = others = 0
    while not match.over:
        for table in tables:
            table.follow(match.events(table.seat, told))
        told = len(match.log)
        deal = match.deal
        for table in tables:
            seat, seed = table.seat, rng.getrandbits(60)
            known = deal.information_set(seat).key()
            world = table.world(seed)
            assert table.deal.key() == known == world.information_set(seat).key()
            assert world.key() == deal.determinise(seat, seed).key()
            assert json.dumps([world.facts(), world.hand(seat), world.table()]) == json.dumps(
                [deal.facts(), deal.hand(seat), deal.table()]
            )
            others += world.key() != deal.key()
        (seat,) = match.to_act()
        assert sorted(tables[seat].deal.legal_of(seat)) == sorted(deal.legal_of(seat))
        match.play(seat, rng.choice(match.legal(seat)))
    assert others > 100
    assert all(event.cards == () for event in match.events(ONLOOKER) if event.kind == "deal")


def test_it_is_told_in_words_and_answers_questions_about_cards(whist):
    table = table_at("whist", 4, phase="tricks", decision=6, legal=2)
    assert table.partners == {(table.seat + 2) % 4}
    assert table.out.total() == 52 - len(table.hand) - len(table.played)
    assert table.view(table.game.view).fields == {}
    assert f"Your hand: {' '.join(table.hand)}" in str(table)
    assert "Stich 1: " in table.describe("de")
    assert "Follow suit; every trick over six is a point for your side." in rules_text("whist")
    assert "  tricks  list[int]  tricks won, by seat" in facts_text(whist.Whist)


def consistent_worlds(match, viewer):
    """List every dealing of the unseen cards in which all seats followed suit, by trying all."""
    moves = match.played[-1].moves
    hands = match.deal.hold
    others = [seat for seat in range(4) if seat != viewer]
    lacking = {seat: set() for seat in others}
    for at, (seat, word) in enumerate(moves):
        led = moves[at - at % 4][1]
        if seat != viewer and word[5] != led[5]:
            lacking[seat].add(led[5])
    unseen = [card for seat in others for card in match.deal.hand(seat)]
    sizes = [len(match.deal.hand(seat)) for seat in others]
    assert len(hands) == 4
    found = set()
    for one in itertools.combinations(unseen, sizes[0]):
        rest = [card for card in unseen if card not in one]
        for two in itertools.combinations(rest, sizes[1]):
            three = [card for card in rest if card not in two]
            dealt = dict(zip(others, (one, two, three), strict=True))
            if all(card[0] not in lacking[seat] for seat in others for card in dealt[seat]):
                found.add(tuple(tuple(sorted(dealt[seat])) for seat in others))
    return others, found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_worlds_are_drawn_uniformly(whist, seed):
    rng = Random(seed)
    match = Match(new_game("whist", 4, {"length": "deals:1"}), seed=rng.randbytes(32))
    for _ in range(40):
        (seat,) = match.to_act()
        match.play(seat, rng.choice(match.legal(seat)))
    (viewer,) = match.to_act()
    others, possible = consistent_worlds(match, viewer)
    drawn = Counter()
    for number in range(30 * len(possible)):
        world = match.deal.determinise(viewer, number)
        drawn[tuple(tuple(sorted(world.hand(seat))) for seat in others)] += 1
    assert set(drawn) == possible
    assert len(possible) == 1 or chisquare(list(drawn.values())).pvalue > 1e-4


def test_house_bots_play_the_game_and_a_search_finds_a_legal_card(whist):
    seats = [entrant("house/random") for _ in range(4)]
    outcome = play_match(new_game("whist", 4, {"length": "deals:2"}), seats, SEED)
    verify(outcome.record)
    assert outcome.failures == []
    deal = Match(new_game("whist", 4), seed=SEED).deal
    found = search(deal.information_set(deal.player()), deal.player(), iterations=60, seed=1)
    assert found.action in deal.legal_actions()


def test_adapters_take_the_game(whist):
    state = load_game("whist", 4, {"length": "deals:1"}).new_initial_state(SEED)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    assert sum(state.returns()) > 0
    table = env("whist", 4, {"length": "deals:1"})
    table.reset(seed=1)
    while not table.match.over:
        mask = table.observe(table.agent_selection)["action_mask"]
        table.step(int(mask.argmax()))
    assert sum(table.rewards.values()) == sum(table.match.scores) > 0
