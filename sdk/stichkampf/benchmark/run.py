"""Playing a benchmark: its blocks, and the journal that lets it go on where it was ended."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import combinations, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from stichkampf.benchmark.protocol import Protocol, ProtocolGame
from stichkampf.bots.practice import PlayedMatch, seeds_from
from stichkampf.engine.game import Game
from stichkampf.errors import RecordError, StichkampfError
from stichkampf.local_play.programs import LocalProgram, local_program
from stichkampf.local_play.series import MatchOrder, Series
from stichkampf.match.records import RecordFile
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


class BenchmarkJournal:
    """The file of a run, one block a line; a run that was ended goes on with it.

    :param head: what tells this run from others.
    :raises RecordError: the file belongs to another run, or is no journal.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "journal.jsonl")
    >>> with BenchmarkJournal(path, {"bot": "thumb"}) as journal:
    ...     journal.add(BenchmarkBlock("mue", 0, 12, 3, 0))
    >>> BenchmarkJournal(path, {"bot": "thumb"}).blocks
    [BenchmarkBlock(game='mue', number=0, wins=12, points=3, faults=0)]
    >>> BenchmarkJournal(path, {"bot": "random"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    stichkampf.errors.RecordError: /...journal.jsonl is the journal of another run: its bot is ...
    """

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self.path = path
        self.blocks: list[BenchmarkBlock] = []
        self._head = dict(head)
        self._file: RecordFile | None = None
        self._is_new = not self._read()

    def _read(self) -> bool:
        """Read what is there; tell whether there was anything."""
        try:
            lines = self.path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise RecordError(f"cannot read {self.path}: {error.strerror}") from error
        whole = [line for line in lines if line.endswith(b"\n")]
        try:
            head, *blocks = [json.loads(line) for line in whole]
            self._check(head)
            self.blocks = [BenchmarkBlock(**block) for block in blocks]
        except (ValueError, TypeError, AttributeError):
            raise RecordError(
                f"{self.path} is no journal of a benchmark; name another with --journal"
            ) from None
        if len(whole) < len(lines):  # the program was ended as it wrote
            os.truncate(self.path, sum(map(len, whole)))
        return True

    def _check(self, head: Mapping[str, Any]) -> None:
        for name, value in self._head.items():
            if head.get(name) != value:
                raise RecordError(
                    f"{self.path} is the journal of another run: its {name} is {json.dumps(head.get(name))},"
                    f" not {json.dumps(value)}; remove it or name another with --journal"
                )

    def __enter__(self) -> BenchmarkJournal:
        with ExitStack() as entered:
            self._file = entered.enter_context(RecordFile(self.path))
            if self._is_new:
                self._file.add(self._head)
            entered.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._file is not None:
            self._file.__exit__(*error)

    def add(self, block: BenchmarkBlock) -> None:
        """Add a block.

        :raises StichkampfError: the journal is not open.
        """
        if self._file is None:
            raise StichkampfError("a journal is open only in `with`")
        self._file.add(block._asdict())
        self.blocks.append(block)
