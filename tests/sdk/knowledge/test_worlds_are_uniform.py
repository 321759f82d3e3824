"""`determinise` draws every world that agrees with what a seat knows, each equally often, and no other.

The worlds are found by the second referee, which tries every dealing of the unseen cards.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from scipy.stats import chisquare
from stichkampf.engine.deal import Deal
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf_oracle import wilful
from stichkampf_oracle.walk import ROUNDS
from stichkampf_oracle.worlds import Seen, size, worlds

pytestmark = pytest.mark.slow

MOST_WORLDS = 1500
RULING_OUT = ("sixes-and-sevens", "meinz")
"""Games in which a match of any length leaves some hands betrayed by not following."""


def ways_to_put_away(name, seats):
    """List the ways of Njet; with five seats two cards each leave too many worlds to try them all."""
    if name != "njet":
        return [""]
    return ["one", "pass-two"] if seats == 5 else ["one", "two", "two-no-zero", "pass-two"]


TABLES = [
    pytest.param(
        name, seats, options, keep, id=f"{name} {seats} {' '.join(map(str, options.values()))} {keep}"
    )
    for name, game in GAMES.items()
    if name != "was-sticht"
    for seats in game.players
    for options in (
        [{"length": "deals:3"}, {"length": "deals:3", "deck": 52, "greifen_passen": True}]
        if name == "stiche-raten"
        else [{"length": "deals:2"}]
    )
    for keep in ways_to_put_away(name, seats)
]


def seen_so_far(match, viewer):
    played = match.played[-1]
    return Seen(
        match.game.name,
        match.game.seats,
        match.game.options,
        len(match.played) - 1,
        played.dealer,
        played.dealt,
        [list(move) for move in played.moves],
        viewer,
    )


def positions(name, seats, options, keep):
    """Yield moments of a match with few enough worlds to try them all: the deal, and the viewer's sight."""
    rng = Random(f"{name} {seats} {options} {keep}")
    match = Match(new_game(name, seats, options), seed=rng.randbytes(32))
    found: list[tuple[Deal, Seen]] = []
    while not match.over:
        for viewer in range(seats if not match.deal.awaited else 0):
            seen = seen_so_far(match, viewer)
            if 6 <= size(seen) <= MOST_WORLDS:
                found.append((match.deal.clone(), seen))
        seat = rng.choice(match.to_act())
        legal = [word for word in match.legal(seat) if word != f"block discard {keep}"]
        match.play(seat, wilful(rng, legal))
    return rng.sample(found, min(len(found), 8))


def label(deal, viewer, monster):
    """Put the world into the words of `stichkampf_oracle.worlds.label`."""
    hands, away = [], []
    for seat in range(deal.seats):
        hand = deal.hand(seat) if seat != viewer else []
        hands.append(tuple(hand if monster and seat == 3 else sorted(hand)))
        known = deal.secrets(seat) if seat != viewer else {}
        put_away = known.get("discarded", [known["away"]] if "away" in known else [])
        away.append(tuple(sorted(put_away)))
    return tuple(hands), tuple(away)


def agree(expected, draw, seeds):
    """Draw worlds and hold them to their weights."""
    total = sum(expected.values())
    draws = max(1500, min(40_000, 12 * total // min(expected.values())))
    drawn = Counter(draw(seed) for seed in range(seeds, seeds + draws))
    assert drawn.keys() <= expected.keys(), "a world that cannot be"
    assert drawn.keys() == expected.keys(), "a world was never drawn"
    order = sorted(expected)
    if len(order) > 1:
        found = chisquare(
            [drawn[world] for world in order], [expected[world] * draws / total for world in order]
        )
        assert found.pvalue > 1e-4, (draws, found)


@pytest.mark.parametrize(("name", "seats", "options", "keep"), TABLES)
def test_worlds_are_drawn_uniformly_from_all_that_a_seat_thinks_possible(name, seats, options, keep):
    monster = name == "meinz" and seats == 3
    tried = [(deal, seen, *worlds(seen)) for deal, seen in positions(name, seats, options, keep)]
    assert tried
    if name in RULING_OUT:
        assert any(ruled_out for *_, ruled_out in tried)
    tried.sort(key=lambda entry: (entry[3] == 0, -len(entry[2])))
    for deal, seen, expected, _ in tried[:2]:
        viewer = seen.viewer
        expected = Counter({blank(world, viewer): weight for world, weight in expected.items()})
        agree(expected, lambda seed, d=deal, v=viewer: label(d.determinise(v, seed), v, monster), 1000)


def blank(world, viewer):
    """Return the world without the viewer's own hand."""
    hands, away = world
    return (
        tuple(() if seat == viewer else hand for seat, hand in enumerate(hands)),
        tuple(() if seat == viewer else cards for seat, cards in enumerate(away)),
    )


TRUMP_PAIRS = [(colour, digit) for colour in ("R", "Y", "G", "B", "none") for digit in (*"123456789", "none")]


def drafting(seats, options, rows):
    """Play Was sticht? up to a number of drafted rows; returns also the trumps that agree with every hint."""
    rng = Random(f"{seats} {options} {rows}")
    match = Match(new_game("was-sticht", seats, options), seed=rng.randbytes(32))
    while match.deal.phase() != "draft" or len(match.deal.facts()["hints"]) < rows:
        seat = match.to_act()[0]
        match.play(seat, rng.choice(match.legal(seat)))
    played, hints = match.played[0], match.deal.facts()["hints"]
    possible = set()
    for colour, digit in TRUMP_PAIRS:
        dealt = {**played.dealt, "trump_colour": colour, "trump_number": digit}
        round = ROUNDS["was-sticht"](seats, match.game.options, 0, played.dealer, dealt, None)
        for seat, word in played.moves:
            round.play(seat, word)
        if round.found()["hints"] == hints:
            possible.add((colour, digit))
    return match, possible


def pair(deal):
    """Return the trumps of a full deal in its draft."""
    return tuple(deal.secrets(int(deal.dealer))["secret trumps"])


@pytest.mark.parametrize("rows", [0, 1, 3, 6])
@pytest.mark.parametrize(("seats", "dummy"), [(3, True), (3, False), (4, True)])
def test_secret_trumps_are_drawn_uniformly_from_those_left_by_the_hints(seats, dummy, rows):
    match, possible = drafting(seats, {"dummy_in_hint": dummy, "tasks_per_player": 3}, rows)
    start = int(match.deal.dealer)
    assert pair(match.deal) in possible
    assert len(possible) == 50 if rows == 0 else len(possible) < 50
    for seat in range(seats):
        if seat == start:
            assert {pair(match.deal.determinise(seat, seed)) for seed in range(20)} == {pair(match.deal)}
        else:
            expected = Counter(dict.fromkeys(possible, 1))
            agree(expected, lambda seed, s=seat: pair(match.deal.determinise(s, seed)), 500)


def test_rows_and_trumps_are_drawn_while_tasks_are_chosen():
    match = Match(new_game("was-sticht", 4), seed=bytes(32))
    start = int(match.deal.dealer)
    trumps, row_of_first_card, neighbours = Counter(), Counter(), Counter()
    for seed in range(9_000):
        world = match.deal.determinise(start, seed)
        while world.phase() == "choosing tasks":
            world.apply(world.legal_actions()[0])
        rows = world.facts()["rows"]
        assert len({card for row in rows for card in row}) == 36
        trumps[pair(world)] += 1
        (row,) = [row for row in rows if "R1" in row]
        row_of_first_card[rows.index(row)] += 1
        neighbours.update(card for card in row if card != "R1")
    assert set(trumps) == set(TRUMP_PAIRS)
    assert set(row_of_first_card) == set(range(9))
    assert len(neighbours) == 35
    for drawn in (trumps, row_of_first_card, neighbours):
        assert chisquare(list(drawn.values())).pvalue > 1e-4


@pytest.mark.parametrize(
    ("name", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.players]
)
def test_same_seed_gives_the_same_world_and_other_seeds_give_others(name, seats):
    match = Match(new_game(name, seats), seed=bytes(32))
    for seat in range(seats):
        keys = [match.deal.determinise(seat, seed).key() for seed in range(40)]
        assert keys == [match.deal.determinise(seat, seed).key() for seed in range(40)]
        assert keys == [match.deal.information_set(seat).determinise(seat, seed).key() for seed in range(40)]
        assert len({repr(key) for key in keys}) > 20
