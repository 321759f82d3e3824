"""Simultaneous choices: no seat learns which others have answered, and the order changes nothing."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.narrator import ALL_HANDS, ONLOOKER
from stichkampf.match.records import dump
from stichkampf_oracle import wilful

AT_ONCE = [
    *(("sticheln", seats, {"length": "deals:1"}, "") for seats in (3, 4, 5, 6)),
    *(
        ("njet", seats, {"length": "deals:1"}, field)
        for seats in (2, 3, 4, 5)
        for field in ("one", "two", "two-no-zero", "pass-two")
    ),
    *(("meinz", seats, {"length": "deals:1"}, "") for seats in (3, 4)),
    *(("was-sticht", seats, {"max_deals": 1}, "") for seats in (3, 4)),
]


def careful(rng: Random, words: list[str], keep: str) -> str:
    """Choose any word, but never block the field that shall remain."""
    return rng.choice([word for word in words if word != f"block discard {keep}"])


def before_the_choice(name, seats, options, keep):
    """Play a match to the moment when all are asked, with the choices that led there; always the same."""
    rng = Random(f"{name} {seats} {keep}")
    match = Match(new_game(name, seats, options), seed=rng.randbytes(32))
    while not match.deal.awaited:
        (seat,) = match.to_act()
        match.play(seat, careful(rng, match.legal(seat), keep))
    return match


def choices(name, seats, options, keep):
    """Return the answers of each seat, in its own order; two where two cards are put away."""
    match, rng = before_the_choice(name, seats, options, keep), Random(7)
    answers: dict[int, list[str]] = {}
    while match.deal.awaited:
        seat = match.to_act()[0]
        word = rng.choice(match.legal(seat))
        answers.setdefault(seat, []).append(word)
        match.play(seat, word)
    return answers


def orders(answers):
    """List orders in which seats may answer: all for few choices, else forty of them."""
    seats = [seat for seat, words in answers.items() for _ in words]
    if len(seats) <= 4:
        return sorted(set(itertools.permutations(seats)))
    rng = Random(3)
    return [tuple(rng.sample(seats, len(seats))) for _ in range(40)]


def finish(match):
    """Play on by chance, the same choices every time; returns the record."""
    rng = Random(11)
    while not match.over:
        seat = match.to_act()[0]
        match.play(seat, wilful(rng, sorted(match.legal(seat))))
    return dump(match.record([{"bot": f"test/{seat}"} for seat in range(match.game.seats)]))


@pytest.mark.parametrize(("name", "seats", "options", "keep"), AT_ONCE)
def test_the_order_of_answers_changes_neither_record_nor_events(name, seats, options, keep):
    answers = choices(name, seats, options, keep)
    assert len(answers) == (seats - 1 if name == "was-sticht" else seats)
    records, streams = set(), set()
    for order in orders(answers):
        match = before_the_choice(name, seats, options, keep)
        left = {seat: iter(words) for seat, words in answers.items()}
        for seat in order:
            match.play(seat, next(left[seat]))
        assert not match.deal.awaited
        observers = [*range(seats), ONLOOKER, ALL_HANDS]
        streams.add(repr([match.events(observer) for observer in observers]))
        records.add(finish(match))
    assert len(records) == 1
    assert len(streams) == 1


@pytest.mark.parametrize(("name", "seats", "options", "keep"), AT_ONCE)
def test_a_seat_cannot_see_whether_another_has_answered(name, seats, options, keep):
    answers = choices(name, seats, options, keep)
    for order in orders(answers):
        match = before_the_choice(name, seats, options, keep)
        left = {seat: iter(words) for seat, words in answers.items()}
        everybody = [*range(seats), ONLOOKER]
        for seat in order[:-1]:
            others = [observer for observer in everybody if observer != seat]
            before = [(match.events(other), match.legal(other)) for other in others]
            known = [match.deal.information_set(other).key() for other in range(seats) if other != seat]
            shown = [match.deal.secrets(other) for other in range(seats) if other != seat]
            facts, phase = match.deal.facts(), match.deal.phase()
            sizes = [match.deal.hand_size(other) for other in range(seats)]
            match.play(seat, next(left[seat]))
            assert [(match.events(other), match.legal(other)) for other in others] == before
            assert [
                match.deal.information_set(other).key() for other in range(seats) if other != seat
            ] == known
            assert [match.deal.secrets(other) for other in range(seats) if other != seat] == shown
            assert (match.deal.facts(), match.deal.phase()) == (facts, phase)
            assert [match.deal.hand_size(other) for other in range(seats)] == sizes


@pytest.mark.parametrize(("name", "seats", "options", "keep"), AT_ONCE)
def test_a_world_leaves_the_choices_of_all_other_seats_open(name, seats, options, keep):
    answers = choices(name, seats, options, keep)
    match = before_the_choice(name, seats, options, keep)
    asked = match.to_act()
    for seat in asked[:-1]:
        for word in answers[seat]:
            match.play(seat, word)
    waiting = asked[-1]
    assert match.to_act() == [waiting]
    for seat in asked:
        world = match.deal.determinise(seat, 5)
        assert set(asked) - {seat} <= set(world.to_act())
        assert (seat in world.to_act()) == (seat == waiting)
