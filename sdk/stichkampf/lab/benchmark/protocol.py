"""The protocol: which games, options, pool, blocks and deals a benchmark has. Frozen; its hash says so."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.errors import StichkampfError
from stichkampf.games import new_game

HASH_DIGITS: Final = 12


@dataclass(frozen=True)
class ProtocolGame:
    """A game of the protocol.

    :ivar options: every option that the game had when the protocol was made; later ones have their defaults.
    """

    name: str
    seats: int
    rules_version: int
    options: Mapping[str, Json]

    def rules(self) -> Game:
        """Return the rules.

        :raises StichkampfError: this version of the SDK has other rules.
        """
        game = new_game(self.name, self.seats, dict(self.options))
        if game.rules_version != self.rules_version or not self.options.items() <= game.options.items():
            raise StichkampfError(
                f"the protocol has version {self.rules_version} of the rules of {self.name} and its options;"
                f" this SDK has version {game.rules_version}"
            )
        return game


@dataclass(frozen=True)
class Protocol:
    """A fixed set of games, opponents and blocks; a changed one has another name.

    :ivar seed: from which all deals follow.
    :ivar blocks: duplicate blocks a game.
    :ivar pool: house bots with their versions.
    :ivar hash: the first digits of the SHA-256 of its JSON.

    >>> PROTOCOL.name, PROTOCOL.blocks, len(PROTOCOL.games)
    ('stichkampf-1', 1024, 7)
    """

    name: str
    seed: str
    blocks: int
    pool: tuple[str, ...]
    games: tuple[ProtocolGame, ...]
    hash: str


def _read() -> Protocol:
    told = json.loads(files(__package__).joinpath("protocol.json").read_text(encoding="utf-8"))
    # the same on every machine, whatever the file's line ends and spaces are
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return Protocol(
        name=told["name"],
        seed=told["seed"],
        blocks=told["blocks"],
        pool=tuple(told["pool"]),
        games=tuple(ProtocolGame(**game) for game in told["games"]),
        hash=hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS],
    )


PROTOCOL: Final = _read()
"""The protocol of today."""
