"""Unknown cards go to hidden piles uniformly, whichever of its two ways `worlds.arrange` takes."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from librt.vecs import vec
from mypy_extensions import i64
from scipy.stats import chi2_contingency, chisquare
from stichkampf.engine import worlds
from stichkampf.engine.bits import next_random, start_random

BY_COUNTING = worlds._arrange_by_counting
WAYS = {"drawing": worlds.arrange, "counting": BY_COUNTING}

# Kinds are bits; a kind twice in the pool is a card of which two copies are unseen.
HIDDEN = {
    "nothing ruled out": ([1, 2, 4, 8, 16], [2, 2, 1], [0, 0, 0]),
    "one place lacks a kind": ([1, 1, 2, 4, 8], [2, 2, 1], [1, 0, 0]),
    "two places lack alike": ([1, 2, 2, 4, 8, 8], [2, 1, 3], [0b1001, 0b1001, 0]),
    "each place lacks another kind": ([1, 1, 2, 2, 4, 4], [2, 2, 2], [1, 2, 4]),
    "only few ways are left": ([1, 2, 4, 8, 16, 32], [2, 2, 2], [0b111000, 0b110001, 0b000111]),
    "an empty place": ([1, 2, 4, 8], [0, 2, 2], [0b1111, 1, 0]),
}


def dealt(pool, sizes):
    """List the cards of each pile, sorted."""
    cards, places = list(pool), []
    for size in sizes:
        places.append(tuple(sorted(cards[:size])))
        cards = cards[size:]
    return tuple(places)


def every_deal(pool, sizes, lacks):
    """Count the physical deals that look alike, by trying all."""
    found = Counter()
    for order in permutations(pool):
        places = dealt(order, sizes)
        if not any(card & lack for cards, lack in zip(places, lacks, strict=True) for card in cards):
            found[places] += 1
    return found


def draws(arrange, pool, sizes, lacks, times):
    found = Counter()
    for seed in range(times):
        cards = vec[i64](pool)
        arrange(cards, vec[i64](sizes), vec[i64](lacks), start_random(seed))
        assert sorted(cards) == sorted(pool)
        found[dealt(cards, sizes)] += 1
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hidden", HIDDEN)
def test_deals_are_drawn_as_often_as_physical_deals_look_like_them(hidden, way):
    expected = every_deal(*HIDDEN[hidden])
    total = sum(expected.values())
    times = max(2000, 15 * total // min(expected.values()))
    drawn = draws(WAYS[way], *HIDDEN[hidden], times)
    assert drawn.keys() == expected.keys()
    deals = sorted(expected)
    found = chisquare([drawn[deal] for deal in deals], [expected[deal] * times / total for deal in deals])
    assert found.pvalue > 1e-3


@pytest.mark.parametrize("hidden", HIDDEN)
def test_both_ways_agree_with_each_other(hidden):
    one, other = (draws(way, *HIDDEN[hidden], 3000) for way in WAYS.values())
    assert one.keys() == other.keys()
    deals = sorted(one)
    table = [[one[deal] for deal in deals], [other[deal] for deal in deals]]
    assert chi2_contingency(table).pvalue > 1e-3


def test_a_deal_that_is_one_in_millions_is_found_by_counting():
    """Drawing would not hit it in its tries."""
    kinds = [2**kind for kind in range(16)]
    lacks = [sum(kinds) - sum(kinds[4 * place : 4 * place + 4]) for place in range(4)]
    pool = vec[i64](kinds[::-1])
    worlds.arrange(pool, vec[i64]([4] * 4), vec[i64](lacks), start_random(1))
    assert dealt(pool, [4] * 4) == tuple(tuple(kinds[4 * place : 4 * place + 4]) for place in range(4))


def test_a_contradiction_is_an_error():
    with pytest.raises(ValueError, match="no deal agrees"):
        worlds.arrange(vec[i64]([1, 2]), vec[i64]([1, 1]), vec[i64]([1, 1]), start_random(1))


@pytest.mark.parametrize("hidden", HIDDEN)
def test_counts_that_are_kept_give_the_worlds_that_fresh_counts_give(hidden):
    pool, sizes, lacks = HIDDEN[hidden]

    def worlds_drawn(*, forgetting):
        drawn = []
        for seed in range(20):
            if forgetting:
                worlds._WAYS.clear()
            cards = vec[i64](pool)
            BY_COUNTING(cards, vec[i64](sizes), vec[i64](lacks), start_random(seed))
            drawn.append(list(cards))
        return drawn

    assert worlds_drawn(forgetting=False) == worlds_drawn(forgetting=True)


def test_counts_of_only_a_few_problems_are_kept():
    for kinds in range(2, 12):
        pool = [2**kind for kind in range(kinds)]
        BY_COUNTING(vec[i64](pool), vec[i64]([1, kinds - 1]), vec[i64]([1, 0]), start_random(kinds))
    assert 1 <= len(worlds._WAYS) <= 4


def test_small_numbers_are_drawn_as_big_ones_are():
    for bound in (1, 2, 3, 1000, 2**26 - 1, 2**26, 2**26 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**40):
        for seed in range(20):
            x, number, drawn_from = start_random(seed), 0, 1
            while drawn_from < bound << 64:
                x = next_random(x)
                number, drawn_from = number << 30 | x & (2**30 - 1), drawn_from << 30
            assert worlds._big_below(bound, start_random(seed)) == (number % bound, x)


def test_counts_are_kept_for_cards_sizes_and_lacks_that_pose_the_same_problem():
    """Kinds 1 and 2 are ruled out alike, kind 4 is not."""
    sizes, lacks = vec[i64]([2, 2]), vec[i64]([0b11, 0])
    ways = worlds.Ways(vec[i64]([1, 2, 4, 4]), sizes, lacks)
    assert ways.are_of(vec[i64]([4, 2, 4, 1]), sizes, lacks)
    assert ways.are_of(vec[i64]([4, 2, 4, 2]), sizes, lacks)
    assert not ways.are_of(vec[i64]([4, 2, 4, 4]), sizes, lacks)
    assert not ways.are_of(vec[i64]([1, 2, 4, 8]), sizes, lacks)
    assert not ways.are_of(vec[i64]([1, 2, 4, 4]), vec[i64]([1, 3]), lacks)
    assert not ways.are_of(vec[i64]([1, 2, 4, 4]), sizes, vec[i64]([0b1, 0]))


@pytest.mark.parametrize("hidden", HIDDEN)
def test_splitting_gives_every_pile_the_cards_that_arranging_does(hidden):
    pool, sizes, lacks = HIDDEN[hidden]
    for empty in ([], [0]):
        last = [*sizes, *empty]
        for seed in range(200):
            arranged, split = vec[i64](pool), vec[i64](pool)
            for way, cards in ((worlds.arrange, arranged), (worlds.split, split)):
                way(cards, vec[i64](last), vec[i64]([*lacks, *empty]), start_random(seed))
            assert dealt(arranged, last) == dealt(split, last)
