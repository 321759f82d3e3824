"""A table in words: complete in each language, and from what its seat knows."""

from __future__ import annotations

from random import Random

import pytest
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.phrases import PHRASES, SUITS
from stichkampf.match.table import Table
from stichkampf.rulebook.option_words import option_title
from stichkampf.testing import one_deal, table_at
from stichkampf_oracle import wilful


def declared_texts(game):
    for name, choice in game.phases.items():
        yield from (name, choice)
    for fact in [*game.facts.values(), *game.secrets.values()]:
        yield from (fact.meaning, *fact.labels.values(), *filter(None, [fact.when]))
    for verb in game.verbs.values():
        told = [verb.joint, verb.asks, verb.more, verb.button]
        yield from (verb.says, *verb.labels.values(), *filter(None, told))
    yield from (when for when, _ in game.moments)
    for option in game.specification:
        title = option_title(game.name, option.name)
        yield from (title, option.meaning)
        yield from (f"{title}: {value}" for value in option.values if isinstance(value, str))
        if option.accepts("full") and not option.values:
            yield f"{title}: full"
    yield game.tagline
    felt = game.felt
    yield from (felt.dealer, *felt.roles.values(), *felt.plates.values(), felt.counts or felt.running)
    for term in felt.terms:
        yield from filter(None, [term.caption, term.none])
    if felt.grid:
        yield from (label for label in felt.grid.labels.values() if label.strip("\N{MINUS SIGN}").isalpha())
        yield from (label for label in felt.grid.labels.values() if " " in label)


@pytest.mark.parametrize("name", GAMES)
def test_every_declared_text_has_its_german_and_no_text_is_translated_in_vain(name):
    game = GAMES[name]
    texts = set(declared_texts(game))
    assert texts - set(game.german) == set()
    words = {word for action in game.actions for word in action.split()} | {"table", "none"}
    assert set(game.german) - texts - words == set()


def test_the_languages_have_the_same_phrases_and_suits():
    assert PHRASES["en"].keys() == PHRASES["de"].keys()
    assert SUITS["en"].keys() == SUITS["de"].keys()
    assert {card[0] for game in GAMES.values() for card in game.cards} == set(SUITS["en"])


@pytest.mark.parametrize("name", GAMES)
def test_a_description_is_complete_at_every_decision(name):
    game = GAMES[name]
    rng = Random(name)
    for seats in game.players:
        match = Match(new_game(name, seats, one_deal(name)), seed=rng.randbytes(32))
        while not match.over:
            (seat, *_) = match.to_act()
            if rng.random() < 0.2:
                table = Table(match.game, seat, bytes(32))
                table.follow(match.events(seat))
                table.legal = match.legal(seat)
                for lang in PHRASES:
                    told = table.describe(lang).split("\n")
                    assert told[-1].endswith(": " + ", ".join(table.legal))
                    assert not table.hand or any(line.endswith(": " + " ".join(table.hand)) for line in told)
                    assert not any(sign in line for line in told[1:] for sign in "{}?")
            match.play(seat, wilful(rng, match.legal(seat)))


def test_a_deal_is_told_in_english_and_in_german():
    table = table_at("mue", 4, seed="docs 3", phase="tricks", decision=6)
    english, german = str(table).split("\n"), table.describe("de").split("\n")
    assert {
        "  seat 2 lays B1",
        "  seat 0 names as trump blue (B)",
        "  trick 1: seat 2 leads G4, seat 3 (you) G7, seat 0 G5, seat 1 G8; seat 1 takes it",
        "  target of the chief's side, in card points: 38",
        "On the table: seat 1 B7, seat 2 B7; seat 1 holds the trick so far",
    } <= set(english)
    assert {
        "  Platz 2 legt B1 aus",
        "  Platz 0 nennt als Trumpf Blau (B)",
        "  Vize: Platz 0",
        "Auf dem Tisch: Platz 1 B7, Platz 2 B7; bisher bekäme den Stich Platz 1",
    } <= set(german)


def test_a_language_that_there_is_not_is_named_with_those_there_are():
    with pytest.raises(StichkampfError, match="no language 'fr'; there are en, de"):
        table_at("mue", 4).describe("fr")
