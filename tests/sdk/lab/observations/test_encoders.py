"""Observations hold what the seat knows, and nothing else."""

from __future__ import annotations

from random import Random

import pytest
from librt.vecs import vec
from mypy_extensions import i64
from stichkampf import new_game
from stichkampf.errors import UnknownGame
from stichkampf.games import GAMES
from stichkampf.lab.batch.starts import start_deals
from stichkampf.lab.observations import ENCODERS, encoder_of

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]


def observed(encoder, deal, seat, played):
    bits, numbers = (vec[i64]([i64(-7)] * len(part)) for part in (encoder.words(), encoder.numbers()))
    encoder.observe(deal, seat, played, 0, bits, 0, numbers, 0)
    return list(bits), list(numbers)


def wilful(rng, deal, weights):
    """Choose first a verb, then an action with it, so that every phase is reached."""
    legal = deal.legal_actions()
    verbs = sorted({deal.word(action).split()[0] for action in legal})
    (verb,) = rng.choices(verbs, [weights.setdefault(verb, 4 ** rng.randrange(4)) for verb in verbs])
    return rng.choice([action for action in legal if deal.word(action).split()[0] == verb])


def test_every_game_has_observations():
    assert list(ENCODERS) == list(GAMES)
    with pytest.raises(UnknownGame, match="'skat' has no observations"):
        encoder_of("skat", 3)


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_an_observation_of_all_cards_is_that_of_the_cards_which_the_seat_knows(name, seats):
    game = new_game(name, seats)
    encoder, rng, phases = encoder_of(name, game.table_seats), Random(3), set()
    for deal in start_deals(game, 5, 6):
        weights = {}
        played = vec[i64]([i64(0)] * (deal.seats * encoder.planes))
        while not deal.is_over():
            phases.add(deal.phase())
            for seat in range(seats):
                known = observed(encoder, deal.information_set(seat), seat, played)
                assert observed(encoder, deal, seat, played) == known
                assert -7 not in known[0]
            deal.apply(wilful(rng, deal, weights))
    assert len(phases) > 1 or len(game.phases) == 1


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_parts_have_names_of_their_own_and_fit_into_their_words(name, seats):
    encoder = encoder_of(name, new_game(name, seats).table_seats)
    names = [part for word in encoder.words() for part, _ in word]
    names += [number for number, _ in encoder.numbers()]
    assert len(set(names)) == len(names)
    assert all(0 < sum(width for _, width in word) <= 62 for word in encoder.words())
