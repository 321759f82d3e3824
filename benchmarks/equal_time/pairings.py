"""The plan of the measurement: games, seats, pairings, numbers of blocks, and seeds."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stichkampf.bots.registry import ANCHORS
from stichkampf.engine.seeds import match_seed
from stichkampf.games import GAMES, new_game
from stichkampf.policies.kind_policy import KindPolicy
from stichkampf.policies.search_guides import guides_of, policy_alone
from stichkampf.schedule import Block, regression_blocks, round_robin_blocks

from benchmarks.equal_time.earlier import COMMIT

SDK = Path(__file__).parents[2] / "sdk"
UNGUIDED = "search v1"
BOTS = ("search", "determinised")
USUAL_SEATS = 4
SECONDS = 0.003
LEVELS = ("gentle", "even", "strong")
OPTIONS: dict[str, dict[str, Any]] = {
    "sticheln": {"length": "deals:1"},
    "stiche-raten": {"length": "deals:7"},
    "sixes-and-sevens": {"length": "deals:1"},
    "mue": {"length": "deals:4"},
    "njet": {"length": "deals:1"},
    "meinz": {"length": "deals:1"},
    "was-sticht": {"max_deals": 1},
}


@dataclass(frozen=True)
class Pairing:
    """Entrants that meet.

    :ivar entrants: the one in question first.
    :ivar blocks: a game at the usual number of seats.
    :ivar blocks_at_ends: at the smallest and the largest number.
    """

    title: str
    entrants: tuple[str, ...]
    blocks: int = 600
    blocks_at_ends: int = 200

    def plan(self, seats: int, number: int, partners: bool) -> list[Block[str]]:
        """Plan that number of blocks."""
        if len(self.entrants) == 2:
            return regression_blocks(*self.entrants, seats, number, partners=partners)
        return round_robin_blocks(self.entrants, seats, number, partners=partners)


PAIRINGS = {
    "earlier": Pairing(f"`search` against that of {COMMIT} on its engine", ("search", COMMIT)),
    "ismcts": Pairing("`search` against OpenSpiel's ISMCTS, rebuilt", ("search", "ismcts")),
    "unguided": Pairing("`search` against `search` without policies, its version 1", ("search", UNGUIDED)),
    "longer": Pairing("`search` with 30 ms against 3 ms", ("search, 30 ms", "search")),
    "levels": Pairing("Levels for people, by iterations", (*ANCHORS, *LEVELS), 100, 0),
}
"""By name, in the order in which they are played."""


@dataclass(frozen=True)
class Job:
    """A block to play.

    :ivar number: of the block among those of its game, seats and pairing, from 0.
    :ivar simulations: of a decision of `ismcts`.
    """

    game: str
    pairing: str
    seats: int
    number: int
    seconds: float
    simulations: int

    @property
    def seed(self) -> bytes:
        """The seed of its match; pairings share it, so that they are compared on the same deals."""
        return match_seed(f"measured at equal time, {self.game}, {self.seats} seats, block {self.number}")

    @property
    def block(self) -> Block[str]:
        partners = new_game(self.game, self.seats, OPTIONS[self.game]).partners
        return PAIRINGS[self.pairing].plan(self.seats, self.number + 1, partners)[self.number]


def usual_seats(game: str) -> int:
    return min(GAMES[game].players, key=lambda seats: abs(seats - USUAL_SEATS))


def blocks_of(game: str, pairing: str, most: int | None = None) -> dict[int, int]:
    """Return the number of blocks by the number of seats, the usual first.

    :param most: at the usual number of seats; a third of it at the ends.
    """
    asked = PAIRINGS[pairing]
    players = GAMES[game].players
    usual = usual_seats(game)
    ends = {min(players), max(players)} - {usual} if asked.blocks_at_ends else set()
    usual_blocks = asked.blocks if most is None else min(most, asked.blocks)
    at_ends = asked.blocks_at_ends if most is None else min(-(-most // 3), asked.blocks_at_ends)
    return {usual: usual_blocks} | dict.fromkeys(sorted(ends), at_ends)


def jobs(
    games: list[str], pairings: list[str], seconds: float, simulations: int, most: int | None = None
) -> Iterator[Job]:
    """Yield all blocks, pairing by pairing, so that games and numbers of seats grow side by side."""
    for pairing in pairings:
        of_pairing = [
            (number / blocks, game, seats, number)
            for game in games
            for seats, blocks in blocks_of(game, pairing, most).items()
            for number in range(blocks)
        ]
        for _, game, seats, number in sorted(of_pairing, key=lambda job: job[0]):
            yield Job(game, pairing, seats, number, seconds, simulations)


@cache
def engines(game: str) -> str:
    """Hash what the searches of a game play by: both engines, its rules, the bots, and their guides."""
    sdk = SDK / "stichkampf"
    files = [
        *sorted((sdk / "engine").glob("*.py")),
        sdk / "games" / f"{game.replace('-', '_')}.py",
        *(sdk / "bots" / f"{bot}.py" for bot in BOTS),
    ]
    found = hashlib.sha256(COMMIT.encode())
    guides = [guide for seats in GAMES[game].players for guide in guides_of(game, seats)]
    for guide in filter(None, dict.fromkeys([*guides, *policy_alone(game)])):
        files += [file_of(kind) for kind in type(guide).mro() if issubclass(kind, KindPolicy)]
        found.update(f"{guide!r} {guide.table}".encode())
    for file in dict.fromkeys(files):
        found.update(file.name.encode() + code_of(file))
    return found.hexdigest()[:12]


def file_of(kind: type) -> Path:
    """Return the source of a class, which may be compiled."""
    return SDK.joinpath(*kind.__module__.split(".")).with_suffix(".py")


def code_of(file: Path) -> bytes:
    """Return a file's content; of Python code without comments and docstrings, which change no move."""
    if file.suffix != ".py":
        return file.read_bytes()
    return ast.unparse(WithoutDocstrings().visit(ast.parse(file.read_text()))).encode()


class WithoutDocstrings(ast.NodeTransformer):
    """Remove every string that stands as a statement of its own."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        value = node.value
        return None if isinstance(value, ast.Constant) and isinstance(value.value, str) else node


def version(game: str, seconds: float) -> str:
    """Hash what plays a game and its settings."""
    settings = json.dumps([engines(game), seconds, OPTIONS[game]], sort_keys=True)
    return hashlib.sha256(settings.encode()).hexdigest()[:12]
