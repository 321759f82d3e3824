"""Practice: matches on this machine, without a network and without a clock.

The referee, the fault policy (`match.adjudicator`) and the records are those of the platform. A match repeats
exactly from its seed, given bots that draw all random numbers from `table.rng`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stichkampf.bots.bot import Bot, BotFailure, Note, decide, load_bot, start, traceback_of
from stichkampf.bots.registry import house_bots, is_named, named_bot
from stichkampf.bots.substitute import named_substitute, new_adjudicator
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES, match_seed
from stichkampf.errors import BotError
from stichkampf.faults import FAULT_ALLOWANCE, FaultKind
from stichkampf.match.adjudicator import Question
from stichkampf.match.match import Match
from stichkampf.match.table import Table, table_seed

HOUSE = "house/"


@dataclass(frozen=True)
class Entrant:
    """A bot that can take a seat.

    :ivar name: the name in the record: "house/thumb", or the path of the file.
    :ivar version: the version of a house bot; else None.
    """

    name: str
    make: Callable[[], Bot]
    version: int | None = None

    def to_json(self) -> dict[str, Json]:
        return {"bot": self.name} | ({} if self.version is None else {"version": self.version})


def entrant(text: str) -> Entrant:
    """Find a house bot by its name, with or without "house/" and a version, or load the bot of a Python file.

    :raises BotError: it is neither, or the house bot has no such version.

    >>> entrant("thumb").to_json()
    {'bot': 'house/thumb', 'version': 2}
    """
    name = text.removeprefix(HOUSE)
    if is_named(name):
        bot = named_bot(name)
        return Entrant(HOUSE + bot.name, bot, bot.version)
    path = Path(text)
    if path.suffix == ".py" or path.exists():
        return Entrant(path.as_posix(), load_bot(path))
    raise BotError(
        f"no bot {text!r}: it is neither a Python file nor a house bot ({', '.join(house_bots())})"
    )


@dataclass(frozen=True)
class Failure:
    """A fault of a bot with its reason.

    :ivar deal: from 0, as the record counts.
    :ivar question: among the questions of that seat, from 1.
    :ivar seat: from 0, as the record counts.
    :ivar trace: the traceback of an error of the bot; empty for none.
    """

    deal: int
    question: int
    seat: int
    kind: FaultKind
    message: str
    trace: str = ""


@dataclass(frozen=True)
class PlayedMatch:
    """A match that was played to its end."""

    record: dict[str, Json]
    failures: list[Failure]


def play_match(
    game: Game, entrants: Sequence[Entrant], seed: bytes, *, substitute_version: int | None = None
) -> PlayedMatch:
    """Play one match, entrant s on seat s.

    :param seed: 32 bytes.
    :param substitute_version: as for `new_adjudicator`.
    :raises BotError: a bot does not even start.

    >>> from stichkampf import new_game
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> play_match(game, [entrant("thumb")] * 3, bytes(32)).record["scores"]
    [-1, 2, 2]
    """
    local = LocalMatch(game, [_started(e) for e in entrants], seed, substitute_version=substitute_version)
    match = local.play_to_end()
    substitute = named_substitute(match, substitute_version)
    record = match.record([e.to_json() for e in entrants], seed=seed.hex(), **substitute)
    return PlayedMatch(record, local.failures)


def _started(entrant: Entrant) -> Bot:
    try:
        return start(entrant.make)
    except BotFailure as error:
        raise BotError(f"{entrant.name} does not start: {error}") from error


class LocalMatch:
    """A match between bots of this process.

    :param bots: by seat.
    :param substitute_version: as for `new_adjudicator`.
    :ivar failures: every fault of a bot so far.

    >>> from stichkampf import new_game
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> match = LocalMatch(game, [entrant("thumb").make() for _ in range(3)], bytes(32))
    >>> match.play_to_end().scores
    [-1, 2, 2]
    """

    def __init__(
        self, game: Game, bots: Sequence[Bot], seed: bytes, *, substitute_version: int | None = None
    ) -> None:
        self.failures: list[Failure] = []
        self._match = Match(game, seed=seed)
        seeds = [table_seed(seed, seat) for seat in range(game.seats)]
        self._bots = bots
        self._tables = [Table(game, seat, seeds[seat]) for seat in range(game.seats)]
        self._told = [0] * game.seats
        self._adjudicator = new_adjudicator(
            self._match, seeds, fault_allowance=FAULT_ALLOWANCE, substitute_version=substitute_version
        )

    def play_to_end(self) -> Match:
        """Play to the end; returns the finished match."""
        while questions := self._adjudicator.ask():
            for question in questions:
                self._answer(question)
        return self._match

    def _answer(self, question: Question) -> None:
        seat, deal = question.seat, len(self._match.played) - 1
        try:
            word, note = self._ask(question)
        except BotFailure as failure:
            self._adjudicator.fail(question, failure.kind)
            trace = traceback_of(failure.__cause__)
            self.failures.append(Failure(deal, question.number, seat, failure.kind, str(failure), trace))
            return
        rejection = self._adjudicator.answer(question, word, note=note.to_json() if note else None)
        if rejection is not None:
            self.failures.append(Failure(deal, question.number, seat, *rejection))

    def _ask(self, question: Question) -> tuple[str, Note | None]:
        """Ask the bot of a seat.

        :raises BotFailure: no usable answer.
        """
        seat = question.seat
        table = self._tables[seat]
        table.follow(self._match.events(seat, self._told[seat]))
        self._told[seat] = len(self._match.log)
        table.legal = question.legal
        return decide(self._bots[seat], table)


def practice(
    game: Game, entrants: Sequence[Entrant], seeds: Iterator[bytes], matches: int
) -> Iterator[PlayedMatch]:
    """Play several matches, each with its own seed, the seats as given.

    :param matches: how many.

    >>> from stichkampf import new_game
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> played = practice(game, [entrant("thumb")] * 3, seeds_from("monday"), 2)
    >>> [one.record["scores"] for one in played]
    [[-1, 2, 2], [3, -1, 2]]
    """
    for _ in range(matches):
        yield play_match(game, entrants, next(seeds))


def seeds_from(text: str) -> Iterator[bytes]:
    """Yield the seeds of the matches of one practice run.

    The first is the text itself where it is 64 hex digits, as a record names its seed; else the SHA-256 of
    the text as UTF-8. The k-th after it is the SHA-256 of the first followed by k as 8 bytes, big-endian.

    >>> next(seeds_from("monday")).hex()[:8]
    'd618fb15'
    """
    first = _as_seed(text)
    yield first
    k = 1
    while True:
        yield hashlib.sha256(first + k.to_bytes(8, "big")).digest()
        k += 1


def _as_seed(text: str) -> bytes:
    if len(text) == 2 * SEED_BYTES and all(digit in "0123456789abcdefABCDEF" for digit in text):
        return bytes.fromhex(text)
    return match_seed(text)
