"""The faults of bots in local matches: a line for each kind, the first traceback, and how to debug it."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from stichkampf.bots.practice import Failure, PlayedMatch
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.cli.terminal import coloured
from stichkampf.cli.whole_files import whole_file
from stichkampf.engine.deal import Json
from stichkampf.errors import StichkampfError
from stichkampf.faults import FAULT_ALLOWANCE
from stichkampf.match.records import decisions_of

MOST_KEPT: Final = 20


class NumberedFailure(NamedTuple):
    """A fault of a bot and its place.

    :ivar match: from 0.
    :ivar decision: among all decisions of the match, from 1, as pages and `stichkampf debug` count.
    """

    match: int
    decision: int
    failure: Failure


class FaultReport:
    """The faults of the bots in the matches so far.

    :ivar matches: the number of matches.
    """

    def __init__(self) -> None:
        self.matches = 0
        self._cases: dict[tuple[str, str], list[NumberedFailure]] = {}
        self._replaced: Counter[str] = Counter()
        self._record: Mapping[str, Json] = {}

    def __bool__(self) -> bool:
        return bool(self._cases)

    def add(self, played: PlayedMatch) -> None:
        record = played.record
        names = [str(seat["bot"]) for seat in record["seats"]]
        if played.failures and not self._cases:
            self._record = record
        for failure in played.failures:
            decision = decisions_of(record, failure.seat)[failure.question - 1]
            cases = self._cases.setdefault((names[failure.seat], failure.kind), [])
            cases.append(NumberedFailure(self.matches, decision, failure))
        moves = Counter(fault["seat"] for fault in record["faults"])
        self._replaced.update(names[seat] for seat, count in moves.items() if count > FAULT_ALLOWANCE)
        self.matches += 1

    def texts(self) -> list[str]:
        """A line for each bot and kind of fault: where it first happened, and why."""
        lines = []
        for (name, kind), cases in sorted(self._cases.items()):
            match, decision, first = cases[0]
            where = f"match {match + 1}, deal {first.deal + 1}, decision {decision}, on seat {first.seat + 1}"
            lines.append(f"{name}: {len(cases)} times {kind}; first in {where}: {first.message}")
        for name, count in sorted(self._replaced.items()):
            lines.append(
                f"{name}: in {count} of {self.matches} matches {SUBSTITUTE} played on, so those scores are"
                f" {SUBSTITUTE}'s"
            )
        return lines

    def tell(self, bots: Sequence[str]) -> None:
        """Print the lines, the traceback of the first fault, and the command that stops at its decision.

        :param bots: the bots as they were given on the command line.
        """
        for line in self.texts():
            print(coloured(line, "red", sys.stderr), file=sys.stderr)
        first = min((cases[0] for cases in self._cases.values()), default=None, key=lambda case: case[:2])
        if first is None:
            return
        if first.failure.trace:
            print("\n".join(f"    {line}" for line in first.failure.trace.splitlines()), file=sys.stderr)
        try:
            file = _keep(self._record)
        except (OSError, StichkampfError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            print(f"The match is not kept for `stichkampf debug`: {reason}", file=sys.stderr)
            return
        name = str(self._record["seats"][first.failure.seat]["bot"])
        bot = next((text for text in bots if text.rstrip("/") == name.rstrip("/")), name)
        words = ["stichkampf", "debug", str(file), str(first.decision), bot]
        print(f"To stop at that decision: {shlex.join(words)}", file=sys.stderr)

    def to_json(self) -> list[dict[str, Json]]:
        """Return an object for each fault; deals and seats count from 0, matches and decisions from 1."""
        return [
            {
                "bot": name,
                "kind": kind,
                "match": match + 1,
                "deal": failure.deal,
                "seat": failure.seat,
                "decision": decision,
                "message": failure.message,
                "traceback": failure.trace,
            }
            for (name, kind), cases in self._cases.items()
            for match, decision, failure in cases
        ]


def folder_of_faults(environ: Mapping[str, str] = os.environ) -> Path:
    """Name the folder in which the newest matches with a fault are kept.

    Who has no home folder gets a new one for temporary files.

    >>> folder_of_faults({"XDG_CACHE_HOME": "/var/cache/karl"}).as_posix()
    '/var/cache/karl/stichkampf/faults'
    """
    folder = environ.get("XDG_CACHE_HOME") or environ.get("LOCALAPPDATA")
    try:
        return (Path(folder) if folder else Path.home() / ".cache") / "stichkampf" / "faults"
    except RuntimeError:  # no HOME, and a user that is in no list of users
        return Path(tempfile.mkdtemp(prefix="stichkampf-"))


def _keep(record: Mapping[str, Json]) -> Path:
    """Write a match for `stichkampf debug`, and delete the oldest of those that were kept.

    :raises OSError: there is no such folder and none can be made.
    :raises StichkampfError: it cannot be written; nothing is left behind.
    """
    folder = folder_of_faults()
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"match-{secrets.token_hex(4)}.json"
    with whole_file(kept) as stream:
        stream.write(json.dumps(record).encode())
    with suppress(FileNotFoundError):  # another command has just deleted it
        for old in sorted(folder.glob("match-*.json"), key=_written_at)[:-MOST_KEPT]:
            old.unlink(missing_ok=True)
    return kept


def _written_at(path: Path) -> int:
    return path.stat().st_mtime_ns
