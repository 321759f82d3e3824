"""The PettingZoo environments: PettingZoo's own tests, and agreement with the knowledge of a seat."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from random import Random

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from stichkampf.errors import ActionError, IllegalAction, OptionError, SeatsError, UnknownGame
from stichkampf.games import GAMES
from stichkampf.lab.adapters.pettingzoo import env
from stichkampf_oracle import wilful

pytestmark = pytest.mark.slow

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]
SHORT = {"stiche-raten": {"length": "deals:4", "greifen_passen": True}, "was-sticht": {"max_deals": 2}}

# PettingZoo exempts its own games with an action mask from these by name. Its documentation asks for just
# this shape; the third warning is about an agent that is done and so is asked for nothing.
as_pettingzoo_asks_of_masked_games = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning"),
]


def made(name, seats, **more):
    return env(name, seats, SHORT.get(name, {"length": "deals:2"}), **more)


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
class TestPettingZooItself:
    pytestmark = as_pettingzoo_asks_of_masked_games

    def test_api_test_passes(self, name, seats):
        api_test(made(name, seats), num_cycles=400)

    def test_seed_test_passes(self, name, seats):
        seed_test(lambda: made(name, seats), num_cycles=20)


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_episode_is_a_match_whose_rewards_add_up_to_its_scores(name, seats):
    table = made(name, seats)
    table.reset(seed=7)
    rng = np.random.default_rng(7)
    rewards = dict.fromkeys(table.possible_agents, 0.0)
    words = table.vocabulary.words
    for agent in table.agent_iter():
        seen, reward, over, cut, _ = table.last()
        rewards[agent] += reward
        assert not cut
        if over:
            table.step(None)
            continue
        seat = table.possible_agents.index(agent)
        assert [words[k] for k in np.flatnonzero(seen["action_mask"])] == sorted(
            table.match.legal(seat), key=table.vocabulary.numbers.get
        )
        assert table.observation_space(agent).contains(seen)
        table.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    assert table.match.over
    assert list(rewards.values()) == table.match.scores
    assert table.agents == []


def documented(table, seat_table):
    """Make the vector as the module documents it, from nothing but the events of the seat."""
    seats, words, cards = table.game.table_seats, table.vocabulary.words, table.vocabulary.cards
    events = seat_table.history
    start = max(at for at, event in enumerate(events) if event.kind == "deal")
    said = Counter((event.seat, event.text) for event in events[start:] if event.kind == "move")
    vector = [int(seat == seat_table.seat) for seat in range(seats)]
    vector += [int(seat == seat_table.dealer) for seat in range(seats)]
    vector += [seat_table.deal_number + 1, *[*seat_table.totals, 0][:seats]]
    vector += [seat_table.hand.count(card) for card in cards]
    vector += [seat_table.trick.count((seat, card)) for seat in range(seats) for card in cards]
    vector += [said[seat, word] for seat in range(seats) for word in words]
    known = {**seat_table.facts, **seat_table.secrets}
    declared = {**table.game.facts, **table.game.secrets}
    numbers = {"tricks": 0} | {
        name: fact.counts for name, fact in declared.items() if fact.counts is not None
    }
    for name, length in numbers.items():
        vector += [number or 0 for number in known.get(name) or [0] * (length or seats)]
    for name in sorted(declared):
        if declared[name].texts:
            told = Counter(texts(known.get(name)))
            vector += [told[text] for text in declared[name].texts]
    return vector


def texts(fact):
    if fact is None:
        return []
    if not isinstance(fact, list):
        return [str(fact)]
    entries = [
        (k, word) for k, entry in enumerate(fact) for word in (entry if isinstance(entry, list) else [entry])
    ]
    return [text for k, word in entries for text in (str(word), f"{k} {word}")]


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_observations_hold_what_the_events_of_the_seat_say_and_no_more(name, seats):
    """Compare at every choice, for the seat that chooses and another, with a bias to every phase."""
    table = made(name, seats)
    table.reset(seed=3)
    rng, decision = Random(3), 0
    words, numbers = table.vocabulary.words, table.vocabulary.numbers
    while not table.match.over:
        agent = table.agent_selection
        other = table.possible_agents[decision % seats]
        for observer in {agent, other}:
            assert table.observe(observer)["observation"].tolist() == documented(table, table.table(observer))
        legal = sorted(words[k] for k in np.flatnonzero(table.observe(agent)["action_mask"]))
        table.step(numbers[wilful(rng, legal)])
        decision += 1
    for agent in table.agents:
        assert table.observe(agent)["observation"].tolist() == documented(table, table.table(agent))
        assert not table.observe(agent)["action_mask"].any()


@pytest.mark.parametrize("name", GAMES)
def test_environment_pickles_and_copies_in_the_middle_of_a_match(name):
    table = made(name, GAMES[name].players[0])
    table.reset(seed=4)
    rng = np.random.default_rng(4)

    def step(environment, choice):
        mask = np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"])
        environment.step(int(mask[choice % len(mask)]))

    for choice in rng.integers(1000, size=11):
        step(table, choice)
    copies = [pickle.loads(pickle.dumps(table)), copy.deepcopy(table)]
    for choice in rng.integers(1000, size=30):
        for environment in [table, *copies]:
            if environment.agents and not environment.match.over:
                step(environment, choice)
    for other in copies:
        assert (other.agent_selection, other.rewards) == (table.agent_selection, table.rewards)
        assert other.match.log == table.match.log
        for agent in table.agents:
            assert np.array_equal(other.observe(agent)["observation"], table.observe(agent)["observation"])


def part(table, seen, start, length):
    return list(seen["observation"][start : start + length])


def test_the_vector_agrees_with_its_documentation():
    table = env("stiche-raten", 3, {"length": "deals:2"})
    table.reset(seed=1)
    cards, words = table.vocabulary.cards, table.vocabulary.words
    while not table.match.deal.table():
        table.step(int(np.flatnonzero(table.observe(table.agent_selection)["action_mask"])[0]))
    deal, agent = table.match.deal, table.agent_selection
    seat = table.possible_agents.index(agent)
    seen = table.observe(agent)
    assert part(table, seen, 0, 3) == [int(s == seat) for s in range(3)]
    assert part(table, seen, 3, 3) == [int(s == deal.dealer) for s in range(3)]
    assert part(table, seen, 6, 4) == [1, 0, 0, 0]
    assert part(table, seen, 10, 52) == [deal.hand(seat).count(card) for card in cards]
    ((leader, led),) = deal.table()
    on_table = part(table, seen, 62, 3 * 52)
    assert on_table[52 * leader + cards.index(led)] == 1
    assert sum(on_table) == 1
    said = part(table, seen, 62 + 156, 3 * len(words))
    for who in range(3):
        bid = deal.facts()["bids"][who]
        assert said[who * len(words) + words.index(f"bid {bid}")] == 1
    assert said[leader * len(words) + words.index(f"play {led}")] == 1
    assert sum(said) == 4
    rest = part(table, seen, 62 + 156 + 3 * len(words), 3 + 4 + 52)
    assert rest[:3] == [0, 0, 0]
    assert rest[3:7] == [int(suit == deal.facts()["trump"]) for suit in "CDHS"]
    assert rest[7:] == [int(card == deal.facts()["turned"]) for card in cards]
    assert len(seen["observation"]) == 62 + 156 + 3 * len(words) + 59


@pytest.mark.parametrize("name", GAMES)
def test_bad_actions_are_refused_by_name_and_change_nothing(name):
    table = made(name, GAMES[name].players[0])
    table.reset(seed=2)
    agent, events = table.agent_selection, len(table.match.log)
    seen, legal = table.observe(agent), np.flatnonzero(table.observe(agent)["action_mask"])
    size = int(table.action_space(agent).n)
    for malformed in (-1, size, "play H7", None, 0.5):
        with pytest.raises(ActionError, match=f"from 0 to {size - 1}, not {malformed!r}"):
            table.step(malformed)
    illegal = next(action for action in range(size) if action not in legal)
    with pytest.raises(IllegalAction, match=f"^{illegal} .*possible: {legal[0]} "):
        table.step(illegal)
    assert (table.agent_selection, len(table.match.log)) == (agent, events)
    assert np.array_equal(table.observe(agent)["observation"], seen["observation"])
    assert not any(table.terminations.values())


def test_environment_without_a_match_says_what_to_do():
    table = env("stiche-raten", 3, {"length": "deals:1"})
    with pytest.raises(IllegalAction, match=r"reset\(\) begins one"):
        table.step(0)
    with pytest.raises(IllegalAction, match=r"reset\(\) begins one"):
        table.observe("seat_0")
    table.reset(seed=1)
    for agent in table.agent_iter():
        seen, _, over, _, _ = table.last()
        table.step(None if over else int(np.flatnonzero(seen["action_mask"])[0]))
        assert agent in table.possible_agents
    with pytest.raises(IllegalAction, match=r"reset\(\) begins one"):
        table.step(0)


def test_bad_tables_are_refused():
    with pytest.raises(UnknownGame, match="skat"):
        env("skat", 3)
    with pytest.raises(SeatsError, match="not 9"):
        env("sticheln", 9)
    with pytest.raises(OptionError, match="tempo"):
        env("sticheln", 3, {"tempo": 1})
    with pytest.raises(ValueError, match="'human'"):
        env("sticheln", 3, render_mode="human")


def test_resets_with_a_seed_repeat_themselves_and_without_one_go_on():
    table = made("sticheln", 3)

    def first_hands():
        return [table.match.deal.hand(seat) for seat in range(3)]

    table.reset(seed=5)
    first = first_hands()
    table.reset()
    second = first_hands()
    table.reset(seed=5)
    assert first_hands() == first != second
    table.reset()
    assert first_hands() == second
    table.reset(seed=6)
    assert first_hands() not in (first, second)


def test_render_shows_an_onlooker_no_hidden_choice():
    table = made("sticheln", 3, render_mode="ansi")
    table.reset(seed=1)
    table.step(int(np.flatnonzero(table.observe(table.agent_selection)["action_mask"])[0]))
    assert table.render().splitlines()[1:] == []
    assert "dealer" in table.render()
    for _ in range(3):
        table.step(int(np.flatnonzero(table.observe(table.agent_selection)["action_mask"])[0]))
    lines = table.render().splitlines()[1:]
    assert [line.split()[1] for line in lines] == ["pain", "pain", "pain", "play"]
    assert made("sticheln", 3).render() is None
