"""Playing a benchmark: its blocks, and a whole run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import Final, NamedTuple

from stichkampf import __version__
from stichkampf.bots.practice import PlayedMatch, seeds_from
from stichkampf.bots.registry import named_bot
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.errors import BotError
from stichkampf.lab.benchmark.figures import GameFigures
from stichkampf.lab.benchmark.protocol import PROTOCOL, Protocol, ProtocolGame
from stichkampf.lab.benchmark.report import citation, departures, report, table_of
from stichkampf.local_play.journal import Journal, digest
from stichkampf.local_play.programs import LocalProgram, local_program
from stichkampf.local_play.series import MatchOrder, Series
from stichkampf.schedule import block_of, cosets, entrants_a_block

_BOT: Final = -1
"""Stands for the bot among the numbers of the pool: it may be a bot of the pool itself."""


class BenchmarkBlock(NamedTuple):
    """The result of one block.

    :ivar number: among the blocks of its game, from 0.
    :ivar wins: comparisons with the pool on the same hands: 2 for more points, 1 for as many.
    :ivar points: the sum of the differences.
    :ivar faults: of the bot.
    """

    game: str
    number: int
    wins: int
    points: int
    faults: int


def blocks_of(
    game: Game, bot: LocalProgram, pool: Iterable[str], seed: str, blocks: int
) -> list[list[MatchOrder]]:
    """Plan the tables of the blocks of a game: the bot with each choice of the pool in turn."""
    programs = [local_program(name) for name in pool]
    size = entrants_a_block(game.seats, partners=game.partners)
    groups = list(combinations(range(len(programs)), size - 1))
    orders = cosets(game.seats, partners=game.partners)
    plan = []
    for number, match_seed in enumerate(islice(seeds_from(f"{seed} {game.name}"), blocks)):
        turn, group = divmod(number, len(groups))
        block = block_of((_BOT, *groups[group]), game.seats, turn % orders, partners=game.partners)
        seated = [[bot if who == _BOT else programs[who] for who in table] for table in block.tables]
        plan.append([MatchOrder(tuple(table), match_seed) for table in seated])
    return plan


def comparisons_a_block(game: Game) -> int:
    """Count the hands of a block times the bots of the pool that held them."""
    return game.seats * (entrants_a_block(game.seats, partners=game.partners) - 1)


def play_blocks(
    protocol: Protocol,
    about: ProtocolGame,
    bot: LocalProgram,
    *,
    seed: str,
    blocks: int,
    jobs: int = 1,
    known: Iterable[int] = (),
) -> Iterator[BenchmarkBlock]:
    """Play the blocks of a game that are not known yet; each is yielded when its tables are over.

    :raises StichkampfError: the bot does not start, or the rules are not those of the protocol.
    """
    game = about.rules()
    done = set(known)
    plan = list(enumerate(blocks_of(game, bot, protocol.pool, seed, blocks)))
    missing = [(number, tables) for number, tables in plan if number not in done]
    played = Series(game, None, jobs).play(order for _, tables in missing for order in tables)
    for number, tables in missing:
        results = list(islice(played, len(tables)))
        yield _result(game, number, [[p is bot for p in table.programs] for table in tables], results)


def _result(game: Game, number: int, own: list[list[bool]], results: list[PlayedMatch]) -> BenchmarkBlock:
    """Compare the bot with the others, hand by hand."""
    wins = points = faults = 0
    for seat in range(game.seats):
        held = [
            (is_own[seat], played.record["scores"][seat]) for is_own, played in zip(own, results, strict=True)
        ]
        for score in (score for mine, score in held if mine):
            for other in (other for mine, other in held if not mine):
                wins += 2 if score > other else int(score == other)
                points += score - other
    for is_own, played in zip(own, results, strict=True):
        faults += sum(is_own[fault["seat"]] for fault in played.record["faults"])
    return BenchmarkBlock(game.name, number, wins, points, faults)


class BenchmarkRun:
    """A bot measured by the protocol, or by a part of it as a try.

    :param bot: a house bot, a Python file, a folder, an archive or a program.
    :param games: the games to be played, by name; without them all that the bot plays.
    :param blocks: of each game.
    :param seed: of the deals.
    :param journal: where blocks are kept; without one `benchmark-BOT.jsonl`.
    :raises BotError: the bot does not load, or plays none of these games.
    :raises RecordError: the journal belongs to another run, or is no journal.
    """

    def __init__(
        self, bot: str, games: Sequence[str], *, blocks: int, seed: str, journal: Path | None = None
    ) -> None:
        self._program = program = local_program(bot)
        self.name = f"{program.name} v{named_bot(program.house).version}" if program.house else program.name
        self.games = _games(program, games)
        self.blocks = blocks
        self.seed = seed
        head = {
            "protocol": PROTOCOL.name,
            "hash": PROTOCOL.hash,
            "seed": seed,
            "bot": self.name,
            "program": digest(program),
        }
        slug = re.sub(r"[^A-Za-z0-9]+", "-", self.name.removeprefix("house/")).strip("-")
        self._journal = Journal(journal or Path(f"benchmark-{slug}.jsonl"), head, BenchmarkBlock)

    def play(self, jobs: int = 1) -> Iterator[None]:
        """Play all blocks that the journal does not hold; yield once for each that is known, then."""
        with self._journal as journal:
            for about in self.games:
                known = {block.number for block in self._of(about)}
                yield from (None for _ in known)
                for block in play_blocks(
                    PROTOCOL, about, self._program, seed=self.seed, blocks=self.blocks, jobs=jobs, known=known
                ):
                    journal.add(block)
                    yield None

    @property
    def figures(self) -> list[GameFigures]:
        """The figures of the blocks that the journal holds, by game."""
        return [
            GameFigures.of(
                about.name,
                most=2 * comparisons_a_block(about.rules()),
                blocks=[(block.wins, block.points, block.faults) for block in self._of(about)],
            )
            for about in self.games
        ]

    @property
    def faults(self) -> int:
        """The number of the bot's faults."""
        return sum(one.faults for one in self.figures)

    def json(self) -> dict[str, Json]:
        """Return all figures, with the whole numbers that they follow from."""
        return report(PROTOCOL, self.name, self.seed, self.figures, version=__version__)

    def text(self) -> str:
        """Return the table, what was done otherwise than the protocol says, and a line to quote."""
        figures = self.figures
        told = [f"not the protocol: {found}" for found in departures(PROTOCOL, self.seed, figures)]
        quoted = citation(PROTOCOL, self.name, self.seed, figures, version=__version__)
        return "\n".join([table_of(figures), *told, quoted])

    def _of(self, about: ProtocolGame) -> list[BenchmarkBlock]:
        blocks = self._journal.rows
        return [block for block in blocks if block.game == about.name and block.number < self.blocks]


def _games(program: LocalProgram, names: Sequence[str]) -> list[ProtocolGame]:
    """Return the games to be played: those wanted that the bot plays.

    :raises BotError: the bot does not load, or plays none of them.
    """
    plays = set(program.games or program.load().games)
    wanted = [game for game in PROTOCOL.games if game.name in (names or [game.name])]
    found = [game for game in wanted if not plays or game.name in plays]
    if not found:
        raise BotError(
            f"{program.name} plays {', '.join(sorted(plays))}; wanted were"
            f" {', '.join(game.name for game in wanted)}"
        )
    return found
