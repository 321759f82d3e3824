"""Matches played once and kept, so that no rule can change unseen. Covers `engine`, `games` and `match`
alike.

When a rule is meant to change, raise `rules_version` of its game and write them again with
`tests/golden/make.py`.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from stichkampf.errors import RecordError
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.records import dump, parse, replayed
from stichkampf.match.verify import verify
from stichkampf_oracle import check

GOLDEN = Path(__file__).parents[2] / "golden"
FILES = {path.stem: path for path in sorted((GOLDEN / "records").glob("*.jsonl"))}

EVERY_VALUE = {
    "sticheln": {
        "edition": ("long", "short"),
        "zero_trick": ("leader", "nobody"),
        "length": ("deals", "points"),
    },
    "stiche-raten": {
        "deck": (64, 52),
        "length": ("deals", "full"),
        "greifen_passen": (False, True),
        "hook": (True, False),
        "ten_high": (False, True),
    },
    "sixes-and-sevens": {"length": ("deals", "points"), "off_suit_seven": ("normal", "absolute")},
    "mue": {"length": ("deals", "points"), "bonus_cap": (100, "none"), "allow_same_trump": (False, True)},
    "njet": {
        "length": ("deals",),
        "scoring": ("full", "difference"),
        "supertrump_suit": ("trump", "own"),
    },
    "meinz": {"length": ("deals",)},
    "was-sticht": {
        "tasks_per_player": (3, 4, 5),
        "distinct_tasks": (False, True),
        "dummy_in_hint": (True, False),
        "max_deals": (2, 3),
    },
}
EVERY_VERB = {
    "sticheln": {"pain", "play"},
    "stiche-raten": {"trump", "bid", "play"},
    "sixes-and-sevens": {"play"},
    "mue": {"pass", "lay", "stop", "trump", "partner", "play"},
    "njet": {"block", "team", "monster", "discard", "give", "play"},
    "meinz": {"away", "play", "call", "quiet", "swap", "keep"},
    "was-sticht": {"choose", "take", "show", "play", "drop"},
}


def records(game):
    return [parse(line) for line in FILES[game].read_text().splitlines()]


def value_of(option, value):
    """Return the value, of a length only its kind: deals, points, full."""
    return value.partition(":")[0] if option == "length" else value


def moves_of(record):
    return [(seat, word) for deal in record["deals"] for seat, word in deal["moves"]]


def test_every_game_has_golden_records():
    assert set(FILES) == set(GAMES) == set(EVERY_VALUE)


@pytest.mark.parametrize("game", FILES)
def test_golden_records_cover_all_seats_options_and_verbs(game):
    seats, values, verbs = set(), defaultdict(set), set()
    for record in records(game):
        seats.add(len(record["seats"]))
        verbs |= {word.partition(" ")[0] for _, word in moves_of(record)}
        for option, value in record["options"].items():
            values[option].add(json.dumps(value_of(option, value)))
    assert seats == set(GAMES[game].players)
    assert verbs == EVERY_VERB[game]
    assert set(values) == {option.name for option in GAMES[game].specification}
    for option, wanted in EVERY_VALUE[game].items():
        assert {json.dumps(value) for value in wanted} <= values[option], option


@pytest.mark.parametrize("game", FILES)
def test_golden_records_hold_under_the_rules_of_today(game):
    for number, record in enumerate(records(game)):
        assert record["rules_version"] == GAMES[game].rules_version, number
        verify(record)
        check(record)


@pytest.mark.parametrize("game", FILES)
def test_golden_record_follows_letter_for_letter_from_its_seed_and_moves(game):
    for line in FILES[game].read_text().splitlines():
        record = parse(line)
        seats = len(record["seats"])
        match = Match(new_game(game, seats, record["options"]), seed=bytes.fromhex(record["seed"]))
        faults = {(fault["deal"], fault["move"]): fault["kind"] for fault in record["faults"]}
        for number, deal in enumerate(record["deals"]):
            for place, (seat, word) in enumerate(deal["moves"]):
                if (number, place) in faults:
                    match.fault(seat, faults[number, place])
                if seat < seats:
                    match.play(seat, word)
        again = match.record(record["seats"], seed=record["seed"])
        assert dump(again) == line
        assert dump(replayed(record).record(record["seats"], seed=record["seed"])) == line


@pytest.mark.slow
def test_script_writes_the_committed_records_and_perft_table(tmp_path):
    subprocess.run([sys.executable, str(GOLDEN / "make.py"), str(tmp_path)], check=True, timeout=120)
    assert (tmp_path / "perft.json").read_bytes() == (GOLDEN / "perft.json").read_bytes()
    for game, path in FILES.items():
        assert (tmp_path / "records" / path.name).read_bytes() == path.read_bytes(), game


@pytest.mark.parametrize("game", FILES)
def test_record_of_unknown_rules_is_refused_with_both_versions(game):
    record = records(game)[0] | {"rules_version": 999}
    known = GAMES[game].rules_version
    expected = f"names version 999 of the rules of {game}; this program knows version {known}"
    with pytest.raises(RecordError, match=expected) as refused:
        verify(record)
    assert "\n" not in str(refused.value)
