"""Chance for deals, held to its specification by a second reading of it and by fixed vectors."""

import hashlib

import pytest
from stichkampf.engine.seeds import Chance
from stichkampf.errors import SeedError

SEED = bytes(range(32))


def words(seed, label, count):
    """The specification word by word: SHA-256 of seed, label, a zero byte and the number of the block."""
    stream = b""
    while len(stream) < 4 * count:
        block = (len(stream) // 32).to_bytes(8, "big")
        stream += hashlib.sha256(seed + label.encode() + bytes(1) + block).digest()
    return [int.from_bytes(stream[4 * k : 4 * k + 4], "big") for k in range(count)]


def test_the_stream_is_sha256_in_counter_mode():
    chance = Chance(SEED, "deal 0")
    assert [chance.below(2**32) for _ in range(40)] == words(SEED, "deal 0", 40)


def test_words_beyond_the_last_whole_multiple_are_rejected():
    n = 3 * 2**30
    expected = [word % n for word in words(SEED, "dealer", 200) if word < n]
    chance = Chance(SEED, "dealer")
    assert [chance.below(n) for _ in expected] == expected
    assert len(expected) < 200


def test_a_shuffle_is_fisher_yates_from_the_top():
    numbers = iter(words(SEED, "deal 7", 60))
    cards = list(range(45))
    for top in range(44, 0, -1):
        at = next(numbers) % (top + 1)
        cards[top], cards[at] = cards[at], cards[top]
    assert Chance(SEED, "deal 7").shuffled(range(45)) == cards


def test_the_vectors_of_the_specification_hold():
    assert [Chance(bytes(32), "deal 0").below(2**32)] == [3881346183]
    assert Chance(bytes(32), "deal 0").shuffled("ABCDE") == list("ABECD")


def test_different_labels_give_different_streams():
    assert Chance(SEED, "deal 1").shuffled(range(52)) != Chance(SEED, "deal 11").shuffled(range(52))


def test_a_seed_of_another_length_is_refused():
    with pytest.raises(SeedError, match="32 bytes, this one has 31"):
        Chance(bytes(31), "deal 0")
