"""Blocks of house bots that repeat from the seed, as they go to volunteers' machines and back."""

from __future__ import annotations

import json
import time

import pytest
from stichkampf.bots.earlier import EARLIER
from stichkampf.bots.registry import bots_on_request, house_bot, house_bots
from stichkampf.games import GAMES, new_game
from stichkampf.local_play.house_block import HouseBlock, OrderError
from stichkampf.match.verify import verify


def tables_of(bot, version):
    return [{"table": 7, "seats": [{"bot": bot, "version": version}] * 3}]


ORDER = {
    "game": "stiche-raten",
    "options": {"length": "deals:1"},
    "rules_version": new_game("stiche-raten", 3).rules_version,
    "seed": "00" * 32,
    "substitute_version": 2,
    "tables": tables_of("thumb", 2),
}


def test_a_block_comes_through_json_unchanged():
    block = HouseBlock.from_json(json.loads(json.dumps(ORDER)))
    assert block.to_json() == ORDER
    record = block.play(7)
    verify(record)
    assert record["seats"] == [{"bot": "house/thumb", "version": 2}] * 3
    assert not {"costs", "wall_times", "time_control"} & record.keys()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seed": "00"}, "a seed of 32 bytes"),
        ({"seed": "no hex"}, "not a block: non-hexadecimal"),
        ({"tables": []}, "a block has tables"),
        ({"tables": None}, "the site's order is not a block"),
        ({"game": "skat"}, "cannot play the site's block: no game is called 'skat'"),
        ({"rules_version": 99}, "plays version 99 of the rules of stiche-raten; this program knows version"),
        ({"options": {"length": "for ever"}}, "cannot play the site's block"),
        (
            {"tables": [{"table": 1, "seats": [{"bot": "karl", "version": 1}] * 3}]},
            "no house bot is called 'karl'",
        ),
        ({"tables": [{"table": 1, "seats": [{"bot": "thumb", "version": 9}] * 3}]}, "has no version 9"),
        (
            {"tables": [{"table": 1, "seats": [{"bot": "search", "version": 2}] * 3}]},
            "search goes by its clock",
        ),
    ],
)
def test_a_block_that_this_program_would_play_otherwise_is_refused(changes, told):
    with pytest.raises(OrderError, match=told):
        HouseBlock.from_json(ORDER | changes)


def repeating():
    versions = [(name, bot.version) for name, bot in house_bots().items()] + list(EARLIER)
    return [(name, version) for name, version in versions if house_bot(name, version).repeats]


def without_clock(monkeypatch):
    def no_clock():
        raise AssertionError("this bot looks at a clock")

    for name in ("monotonic", "time", "perf_counter", "process_time"):
        monkeypatch.setattr(time, name, no_clock)


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_that_repeats_reads_no_clock(game, monkeypatch):
    seats = 4
    options = {"length": "deals:1"} if "length" in new_game(game, seats).options else {}
    rules = new_game(game, seats, options)
    bots = repeating()
    block = HouseBlock(
        game=game,
        options=dict(rules.options),
        rules_version=rules.rules_version,
        seed=bytes(32),
        substitute_version=2,
        tables={at: (bots[at:] + bots)[:seats] for at in range(0, len(bots), seats)},
    )
    with monkeypatch.context() as clockless:
        without_clock(clockless)
        first = {table: block.play(table) for table in block.tables}
    assert {table: block.play(table) for table in block.tables} == first


def test_bots_that_go_by_a_clock_or_by_logarithms_do_not_repeat():
    others = {name for name, bot in (house_bots() | bots_on_request()).items() if not bot.repeats}
    assert others == {"search", "pimc", "ismcts", "gentle", "even", "strong"}
