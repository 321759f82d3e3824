"""One block between two entrants or more, at equal time."""

from __future__ import annotations

import atexit
import time
from collections import defaultdict
from functools import cache, partial
from pathlib import Path
from typing import Any

from stichkampf import Match, Table, new_game
from stichkampf.bots.house import HouseBot
from stichkampf.bots.registry import named_bot
from stichkampf.bots.search import SearchBot
from stichkampf.engine.game import Game
from stichkampf.engine.search import Search
from stichkampf.match.table import table_seed
from stichkampf.policies.search_guides import SearchGuides

from benchmarks.equal_time.earlier import COMMIT, EarlierPlayer, EarlierSeats
from benchmarks.equal_time.pairings import OPTIONS, UNGUIDED, Job
from benchmarks.equal_time.thinking import Thinker, Thought

LONGER = "search, 30 ms"
TIMES_AS_LONG = 10


class UnguidedSearch(SearchBot):
    """`search` before there were policies: all at random."""

    def guides(self, game: Game) -> SearchGuides:
        return SearchGuides(None, None)


class HouseSeat:
    """A seat of a house bot that has no clock: it takes its time."""

    def __init__(self, bot: HouseBot, table: Table) -> None:
        self._bot, self._table, self._told = bot, table, 0

    def think(self, match: Match) -> Thought:
        table = self._table
        table.follow(match.events(table.seat, self._told))
        self._told = len(match.log)
        table.legal = match.legal(table.seat)
        started = time.thread_time()
        chosen = self._bot.choose(table)
        word = chosen if isinstance(chosen, str) else chosen[0]
        return Thought(word, time.thread_time() - started, getattr(self._bot, "iterations", 0))


def new_search(bot: SearchBot, table: Table, most: int) -> Search:
    """Begin the search of a bot at a table, of that number of iterations at most."""
    policy, priors = bot.guides(table.game)
    seed = table.rng.getrandbits(62)
    return Search(table.deal, table.seat, most_iterations=most, seed=seed, policy=policy, priors=priors)


def seat_of(entrant: str, game: Game, seat: int, job: Job) -> Thinker | HouseSeat:
    """Seat an entrant of this checkout."""
    table = Table(game, seat, table_seed(job.seed, seat))
    if entrant == LONGER or entrant.startswith("search"):
        bot = UnguidedSearch() if entrant == UNGUIDED else SearchBot()
        seconds = job.seconds * (TIMES_AS_LONG if entrant == LONGER else 1)
        return Thinker(table, partial(new_search, bot), seconds)
    bot = named_bot(entrant)()
    if entrant == "ismcts":
        bot.iterations = job.simulations
    return HouseSeat(bot, table)


@cache
def earlier_player(checkout: Path) -> EarlierPlayer:
    """Start the process of the earlier commit, one for each process of this benchmark."""
    player = EarlierPlayer(checkout)
    atexit.register(player.close)
    return player


def play_block(job: Job, checkout: Path) -> dict[str, Any]:
    """Play a block.

    :returns: its place, the points by table and seat, and by entrant: decisions, milliseconds and iterations
        of a decision.
    """
    game = new_game(job.game, job.seats, OPTIONS[job.game])
    thoughts: dict[str, list[Thought]] = defaultdict(list)
    points = []
    for table in job.block.tables:
        match = Match(game, seed=job.seed)
        play(match, table, job, checkout, thoughts)
        points.append(match.scores)
    spent = {
        entrant: [
            len(of_entrant),
            round(1000 * sum(one.seconds for one in of_entrant) / len(of_entrant), 3),
            round(sum(one.iterations for one in of_entrant) / len(of_entrant)),
        ]
        for entrant, of_entrant in sorted(thoughts.items())
    }
    return {
        "game": job.game,
        "pairing": job.pairing,
        "seats": job.seats,
        "block": job.number,
        "seed": job.seed.hex()[:16],
        "points": points,
        "spent": spent,
    }


def play(
    match: Match, table: tuple[str, ...], job: Job, checkout: Path, thoughts: dict[str, list[Thought]]
) -> None:
    """Play a match with these entrants by seat."""
    here = {
        seat: seat_of(entrant, match.game, seat, job)
        for seat, entrant in enumerate(table)
        if entrant != COMMIT
    }
    there = None
    if COMMIT in table:
        there = EarlierSeats(earlier_player(checkout), match, job.seed, job.seconds)
    while not match.over:
        for seat in match.to_act():
            legal = match.legal(seat)
            word = legal[0]
            if len(legal) > 1:
                thought = here[seat].think(match) if seat in here else there.think(match, seat)
                thoughts[table[seat]].append(thought)
                word = thought.word
            match.play(seat, word)
            if there is not None:
                there.follow(seat, word)
