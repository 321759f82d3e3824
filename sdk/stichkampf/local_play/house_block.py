"""A block of house bots that repeat from the seed: played far away, and again where that is checked.

Such a match has no clock, so its record depends on nothing but the block, and is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stichkampf.bots.practice import HOUSE, Entrant, play_match
from stichkampf.bots.registry import house_bot
from stichkampf.engine.deal import Json
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.errors import BotError, StichkampfError
from stichkampf.games import new_game
from stichkampf.plain_text import plain_line


class OrderError(StichkampfError):
    """A block that this program cannot play, or not as the site would."""


@dataclass(frozen=True, kw_only=True)
class HouseBlock:
    """A block to be played.

    :ivar rules_version: of the game.
    :ivar seed: 32 bytes.
    :ivar substitute_version: of the house bot that would move in place of another.
    :ivar tables: by number of the table, the house bots by seat, each as its name and version.
    """

    game: str
    options: Mapping[str, Json]
    rules_version: int
    seed: bytes
    substitute_version: int
    tables: Mapping[int, Sequence[tuple[str, int]]]

    @classmethod
    def from_json(cls, order: Json) -> HouseBlock:
        """Read a block as a site tells it.

        :raises OrderError: it is none, or one that this version of the program would play otherwise.

        >>> HouseBlock.from_json({"game": "skat"})
        Traceback (most recent call last):
        stichkampf.local_play.house_block.OrderError: the site's order is not a block: 'tables' is missing
        """
        try:
            tables = {
                int(table["table"]): [(str(seat["bot"]), int(seat["version"])) for seat in table["seats"]]
                for table in order["tables"]
            }
            block = cls(
                game=str(order["game"]),
                options=dict(order["options"]),
                rules_version=int(order["rules_version"]),
                seed=bytes.fromhex(order["seed"]),
                substitute_version=int(order["substitute_version"]),
                tables=tables,
            )
        except KeyError as error:
            raise OrderError(f"the site's order is not a block: {error} is missing") from None
        except (TypeError, ValueError) as error:
            raise OrderError(f"the site's order is not a block: {plain_line(str(error))}") from None
        block.check()
        return block

    def to_json(self) -> dict[str, Json]:
        """Return the block as `from_json` reads it."""
        tables = [
            {"table": table, "seats": [{"bot": name, "version": version} for name, version in bots]}
            for table, bots in self.tables.items()
        ]
        return {
            "game": self.game,
            "options": dict(self.options),
            "rules_version": self.rules_version,
            "seed": self.seed.hex(),
            "substitute_version": self.substitute_version,
            "tables": tables,
        }

    def check(self) -> None:
        """Check that this program plays the block as every other does.

        :raises OrderError: it does not know the game, its rules in that version, or a bot.
        """
        if len(self.seed) != SEED_BYTES or not self.tables:
            raise OrderError(
                f"the site's order is not a block: a block has tables, and a seed of {SEED_BYTES} bytes"
            )
        try:
            for bots in self.tables.values():
                known = new_game(self.game, len(bots), dict(self.options)).rules_version
                strange = [name for name, version in bots if not house_bot(name, version).repeats]
        except StichkampfError as error:
            raise OrderError(f"this program cannot play the site's block: {error}") from error
        if known != self.rules_version:
            raise OrderError(
                f"the site plays version {self.rules_version} of the rules of {self.game}; this program knows"
                f" version {known}"
            )
        if strange:
            raise OrderError(f"this program does not repeat the site's block: {strange[0]} goes by its clock")

    def play(self, table: int) -> dict[str, Json]:
        """Play one of the tables and return its record, which has no times.

        :raises BotError: a house bot has failed, which none should.

        >>> block = HouseBlock(
        ...     game="stiche-raten", options={"length": "deals:1"}, rules_version=1, seed=bytes(32),
        ...     substitute_version=2, tables={7: [("thumb", 2)] * 3},
        ... )
        >>> block.play(7)["scores"]
        [-1, 2, 2]
        """
        bots = self.tables[table]
        game = new_game(self.game, len(bots), dict(self.options))
        entrants = [Entrant(HOUSE + name, house_bot(name, version), version) for name, version in bots]
        played = play_match(game, entrants, self.seed, substitute_version=self.substitute_version)
        if played.failures:
            failure = played.failures[0]
            raise BotError(f"{entrants[failure.seat].name} fails at table {table}: {failure.message}")
        return played.record
