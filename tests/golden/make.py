"""Write the golden records and the perft table again.

    .venv/bin/python tests/golden/make.py [FOLDER]

The folder is this one unless another is named. All of it follows from fixed seeds; a difference to what is
committed means that a rule has changed, and then `rules_version` of that game must change with it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stichkampf.engine.deal import Deal
from stichkampf.engine.seeds import Chance, match_seed
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.records import dump

Options = dict[str, Any]

NO_REPEATS = [f"exactly-{count}" for count in (1, 2, 3, 4)] + [
    *("no-tricks", "no-red", "no-yellow", "no-green", "no-blue"),
    *("last-trick", "most-tricks", "fewest-tricks"),
]
PERFT_LEAVES = 400  # the slow way of counting has to get through them
PERFT_DEPTH = 8


def settings() -> Iterator[tuple[str, int, Options]]:
    """Every game, number of seats and value of an option, in short matches."""
    for seats in (3, 4, 5, 6):
        yield "sticheln", seats, {"length": "deals:1"}
        yield "sticheln", seats, {"edition": "short", "length": "deals:1"}
        yield "sticheln", seats, {"edition": "short", "zero_trick": "leader", "length": "deals:1"}
        yield "sticheln", seats, {"edition": "long", "zero_trick": "nobody", "length": "deals:1"}
        for deck in (64, 52):
            yield "stiche-raten", seats, {"deck": deck, "length": "deals:5"}
            for _ in range(3):
                yield "stiche-raten", seats, {"deck": deck, "greifen_passen": True, "length": "deals:4"}
            yield "stiche-raten", seats, {"deck": deck, "ten_high": True, "hook": False, "length": "deals:4"}
    yield "sticheln", 3, {"length": "points:10", "max_deals": 4}
    yield "stiche-raten", 6, {"length": "full"}
    yield "stiche-raten", 6, {"length": "full", "deck": 52}
    yield "stiche-raten", 6, {"length": "deals:99", "deck": 52, "greifen_passen": True}
    yield "sixes-and-sevens", 4, {"length": "deals:2"}
    yield "sixes-and-sevens", 4, {"length": "deals:3", "off_suit_seven": "absolute"}
    yield "sixes-and-sevens", 4, {"length": "points:60", "max_deals": 3}
    for seats in (4, 5, 6):
        for same_trump in (False, True):
            yield "mue", seats, {"length": "deals:4", "allow_same_trump": same_trump}
        yield "mue", seats, {"length": "points:30", "bonus_cap": "none", "max_deals": 2}
    for seats in (2, 3, 4, 5):
        yield "njet", seats, {"length": "deals:3"}
        yield "njet", seats, {"length": "deals:3", "supertrump_suit": "own"}
        yield "njet", seats, {"length": "deals:2", "scoring": "difference"}
    for seats in (3, 4):
        yield "meinz", seats, {"length": "deals:4"}
        for tasks in (3, 4, 5):
            yield "was-sticht", seats, {"tasks_per_player": tasks, "max_deals": 3}
        yield "was-sticht", seats, {"distinct_tasks": True, "tasks_per_player": 3, "max_deals": 2}
        yield "was-sticht", seats, {"dummy_in_hint": False, "tasks_per_player": 3, "max_deals": 2}
        yield "was-sticht", seats, {"task_deck": NO_REPEATS, "tasks_per_player": 3, "max_deals": 2}


def choose(chance: Chance, words: list[str]) -> str:
    """First a verb, then a word with it, so that auctions end and every verb is heard."""
    verbs = sorted({word.partition(" ")[0] for word in words})
    verb = verbs[chance.below(len(verbs))]
    fitting = sorted(word for word in words if word.partition(" ")[0] == verb)
    return fitting[chance.below(len(fitting))]


def golden_record(place: int, name: str, seats: int, options: Options) -> dict[str, Any]:
    """A match whose bots choose by chance, one choice in about fifty made in place of a bot that failed."""
    seed = match_seed(f"golden {place}")
    chance = Chance(seed, "choices")
    match = Match(new_game(name, seats, options), seed=seed)
    while not match.over:
        awaited = match.to_act()
        seat = awaited[chance.below(len(awaited))]
        if chance.below(50) == 0:
            match.fault(seat, "timeout")
        match.play(seat, choose(chance, match.legal(seat)))
    return match.record([{"bot": f"golden/{seat}", "version": 1} for seat in range(seats)], seed=seed.hex())


def continuations(deal: Deal, seats: int, depth: int) -> int:
    """Count the sequences of `depth` choices, or to the end; the card monster chooses nothing."""
    if deal.is_over() or depth == 0:
        return 1
    left = depth if deal.player() >= seats else depth - 1
    count = 0
    for action in deal.legal_actions():
        branch = deal.clone()
        branch.apply_by(deal.player(), action)
        count += continuations(branch, seats, left)
    return count


def counts(deal: Deal, seats: int) -> list[int]:
    """Perft from depth 1 on, as far as the slow way can follow."""
    found: list[int] = []
    while len(found) < PERFT_DEPTH:
        count = continuations(deal, seats, len(found) + 1)
        if found and (count > PERFT_LEAVES or (count == found[-1] and len(found) > 3)):
            break
        found.append(count)
    return found


def perft_positions(record: dict[str, Any]) -> Iterator[tuple[int, Deal]]:
    """Positions of the last deal, by the number of moves before: its start, the middle, near the end."""
    number = len(record["deals"]) - 1
    moves = record["deals"][number]["moves"]
    seats = len(record["seats"])
    near_the_end = {max(len(moves) - tricks * seats, 0) for tricks in (2, 3)}
    wanted = {0, len(moves) // 3, len(moves) // 2} | near_the_end
    match = Match.from_record(record)
    for deal in record["deals"][:number]:
        play(match, deal["moves"])
    for place, move in enumerate(moves):
        if place in wanted and move[0] == match.deal.player():
            yield place, match.deal.clone()
        play(match, [move])


def play(match: Match, moves: list[list[Any]]) -> None:
    for seat, word in moves:
        if seat < match.game.seats:
            match.play(seat, word)


def main(folder: Path) -> None:
    by_game: dict[str, list[dict[str, Any]]] = {}
    for place, (name, seats, options) in enumerate(settings()):
        by_game.setdefault(name, []).append(golden_record(place, name, seats, options))
    records = folder / "records"
    records.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, found in by_game.items():
        (records / f"{name}.jsonl").write_text("".join(dump(record) + "\n" for record in found))
        counted = set()
        for index, record in enumerate(found):
            seats = len(record["seats"])
            if seats in counted:
                continue
            counted.add(seats)
            for place, deal in perft_positions(record):
                entry = {"game": name, "record": index, "deal": len(record["deals"]) - 1, "move": place}
                lines.append(json.dumps(entry | {"counts": counts(deal, seats)}))
    (folder / "perft.json").write_text("[\n  " + ",\n  ".join(lines) + "\n]\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
