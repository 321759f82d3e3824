"""`search` of an earlier commit: its SDK is taken out of git, compiled, and asked over a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from stichkampf import Match

from benchmarks.equal_time.thinking import Thought

ROOT = Path(__file__).parents[2]
COMMIT = "37b1c55"
CHECKOUT = ROOT / "var" / "strength" / COMMIT


def build(checkout: Path) -> None:
    """Put the SDK of the commit there and compile its rules with this interpreter; once.

    :raises subprocess.CalledProcessError: git does not know the commit, or the rules do not compile.
    """
    if any((checkout / "sdk").glob("*.so")):
        return
    print(f"compiling the rules of {COMMIT} in {checkout}", file=sys.stderr, flush=True)
    checkout.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(suffix=".tar") as archive:
        subprocess.run(["git", "archive", "--output", archive.name, COMMIT, "sdk"], check=True, cwd=ROOT)
        subprocess.run(["tar", "-xf", archive.name, "-C", str(checkout)], check=True)
    subprocess.run([sys.executable, "sdk/build_engine.py"], check=True, cwd=checkout)


class EarlierPlayer:
    """The process that plays as that commit did, any number of matches one after the other."""

    def __init__(self, checkout: Path) -> None:
        path = os.pathsep.join([str(checkout / "sdk"), str(ROOT)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.equal_time.earlier_player"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": path},
        )

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Ask for a word.

        :raises RuntimeError: the process has ended; it said why on its standard error.
        """
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the player of {COMMIT} has ended with status {self._process.wait()}")
        return json.loads(answer)


class EarlierSeats:
    """The seats of one match that the earlier commit plays."""

    def __init__(self, player: EarlierPlayer, match: Match, seed: bytes, seconds: float) -> None:
        game = match.game
        self._player = player
        self._first = {"game": game.name, "seats": game.seats, "options": game.options, "seed": seed.hex()}
        self._first["seconds"] = seconds
        self._moves: list[tuple[int, str]] = []

    def follow(self, seat: int, word: str) -> None:
        """Take note of a move, of whichever seat."""
        self._moves.append((seat, word))

    def think(self, match: Match, seat: int) -> Thought:
        """Ask for the word of a seat.

        :raises RuntimeError: the two checkouts do not see the same deal.
        """
        answer = self._player.ask(self._first | {"moves": self._moves, "seat": seat})
        self._first, self._moves = {}, []
        here = (match.deal.hand(seat), match.legal(seat))
        there = (answer.pop("hand"), answer.pop("legal"))
        if here != there:
            raise RuntimeError(f"seat {seat} of {match} has {here} here and {there} at {COMMIT}")
        return Thought(**answer)
