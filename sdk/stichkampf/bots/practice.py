"""Practice: matches on this machine, without a network and without a clock.

The referee, the fault rules and the records are those of the arena. A bot that crashes, or answers what is
malformed or illegal, has its move made by `thumb` and the fault recorded; past the allowance it is asked no
more. Everything repeats exactly from the seed, given bots that take their chance from `table.rng`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stichkampf.bots import house_bot, house_bots
from stichkampf.bots.bot import Bot, BotFailure, Note, decide, load_bot, start
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES, match_seed
from stichkampf.errors import ActionError, BotError, IllegalAction
from stichkampf.match.match import FAULT_ALLOWANCE, Match
from stichkampf.match.table import Table, table_seed

HOUSE = "house/"


@dataclass(frozen=True)
class Entrant:
    """Somebody who can take a seat.

    :ivar name: as the record names the bot: "house/thumb", or the path of the file.
    :ivar version: of a house bot.
    """

    name: str
    make: Callable[[], Bot]
    version: int | None = None

    def to_json(self) -> dict[str, Json]:
        return {"bot": self.name} | ({} if self.version is None else {"version": self.version})


def entrant(text: str) -> Entrant:
    """A house bot by its name, with or without "house/", or the bot of a Python file.

    :raises BotError: neither the one nor the other.
    """
    name = text.removeprefix(HOUSE)
    if name in house_bots():
        bot = house_bot(name)
        return Entrant(HOUSE + name, bot, bot.version)
    path = Path(text)
    if path.suffix == ".py" or path.exists():
        return Entrant(path.as_posix(), load_bot(path))
    raise BotError(
        f"no bot {text!r}: it is neither a Python file nor a house bot ({', '.join(house_bots())})"
    )


@dataclass(frozen=True)
class Failure:
    """A fault of a bot, and why."""

    deal: int
    seat: int
    kind: str
    message: str


@dataclass
class Player:
    """A seat in practice: the bot, and how far it has been told what happens."""

    bot: Bot
    table: Table
    told: int = 0
    faults: int = 0
    last_fault: str = ""
    stand_in: Player | None = field(default=None, repr=False)

    def ask(self, match: Match) -> tuple[str, Note | None]:
        """
        :raises BotFailure: no usable answer.
        """
        table = self.table
        table.follow(match.events(table.seat, self.told))
        self.told = len(match.log)
        table.legal = match.legal(table.seat)
        return decide(self.bot, table)

    def substitute(self, match: Match) -> str:
        """What `thumb` does in this seat's place."""
        if self.stand_in is None:
            self.stand_in = Player(house_bot("thumb")(), Table(match.game, self.table.seat, self.table.seed))
        word, _ = self.stand_in.ask(match)
        return word


@dataclass(frozen=True)
class Played:
    """A match that was played to its end."""

    record: dict[str, Json]
    failures: list[Failure]


def play_match(game: Game, entrants: Sequence[Entrant], seed: bytes) -> Played:
    """One match, entrant s on seat s.

    :param seed: 32 bytes.
    :raises BotError: when a bot does not even start.
    """
    match = Match(game, seed=seed)
    players = [
        Player(_started(e), Table(game, seat, table_seed(seed, seat))) for seat, e in enumerate(entrants)
    ]
    failures: list[Failure] = []
    while not match.over:
        for seat in match.to_act():
            failure = _move(match, seat, players[seat])
            if failure is not None:
                failures.append(failure)
    return Played(match.record([e.to_json() for e in entrants], seed=seed.hex()), failures)


def _started(who: Entrant) -> Bot:
    try:
        return start(who.make)
    except BotFailure as error:
        raise BotError(f"{who.name} does not start: {error}") from error


def _move(match: Match, seat: int, player: Player) -> Failure | None:
    """Get a move from the player, or from the substitute; returns the fault, if there was a new one."""
    failure = None
    if player.faults <= FAULT_ALLOWANCE:
        try:
            word, note = player.ask(match)
            match.play(seat, word, note=note.to_json() if note else None)
            return None
        except BotFailure as error:
            failure = _failure(match, player, error.kind, error)
        except ActionError as error:
            failure = _failure(match, player, "malformed", error)
        except IllegalAction as error:
            failure = _failure(match, player, "illegal", error)
    match.fault(seat, player.last_fault)
    match.play(seat, player.substitute(match))
    return failure


def _failure(match: Match, player: Player, kind: str, error: Exception) -> Failure:
    player.faults += 1
    player.last_fault = kind
    return Failure(len(match.played) - 1, player.table.seat, kind, str(error))


def practice(
    game: Game, entrants: Sequence[Entrant], seeds: Iterator[bytes], matches: int
) -> Iterator[Played]:
    """So many matches, each on fresh deals, the seats as given."""
    for _ in range(matches):
        yield play_match(game, entrants, next(seeds))


def seeds_from(text: str) -> Iterator[bytes]:
    """The seeds of the matches of one practice run.

    The first is the text itself where it is 64 hex digits, as a record names its seed; else the SHA-256 of
    the text as UTF-8. The k-th after it is the SHA-256 of the first followed by k as 8 bytes, big-endian.
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
