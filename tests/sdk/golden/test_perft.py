"""Numbers of sequences of choices from fixed positions: committed, and counted in two separate ways."""

import json
from pathlib import Path

import pytest
from stichkampf.match.match import Match
from stichkampf.match.records import parse
from stichkampf_oracle import GAMES, Walk, perft

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parents[2] / "golden"
TABLE = json.loads((GOLDEN / "perft.json").read_text())
RECORDS = {game: (GOLDEN / "records" / f"{game}.jsonl").read_text().splitlines() for game in GAMES}


def continuations(deal, seats, depth):
    """Count by the engine; the card monster's card is no choice."""
    if deal.is_over() or depth == 0:
        return 1
    left = depth if deal.player() >= seats else depth - 1
    count = 0
    for action in deal.legal_actions():
        branch = deal.clone()
        branch.apply_by(deal.player(), action)
        count += continuations(branch, seats, left)
    return count


def moves_before(record, entry):
    """List the bots' moves up to the position."""
    deals = record["deals"]
    moves = [move for deal in deals[: entry["deal"]] for move in deal["moves"]]
    moves += deals[entry["deal"]]["moves"][: entry["move"]]
    return [(seat, word) for seat, word in moves if seat < len(record["seats"])]


def test_table_has_positions_of_every_game_and_number_of_seats():
    seats = {(entry["game"], len(parse(RECORDS[entry["game"]][entry["record"]])["seats"])) for entry in TABLE}
    assert seats == {(game, count) for game, rules in GAMES.items() for count in rules.SEATS}


@pytest.mark.parametrize("game", GAMES)
def test_engine_and_referee_both_count_the_committed_numbers(game):
    for entry in TABLE:
        if entry["game"] != game:
            continue
        record = parse(RECORDS[game][entry["record"]])
        seats = len(record["seats"])
        match = Match.from_record(record)
        walk = Walk(game, seats, record["options"], record["deals"])
        for seat, word in moves_before(record, entry):
            match.play(seat, word)
            walk.play(seat, word)
        depths = range(1, len(entry["counts"]) + 1)
        assert [continuations(match.deal, seats, depth) for depth in depths] == entry["counts"], entry
        assert [perft(walk, depth) for depth in depths] == entry["counts"], entry
