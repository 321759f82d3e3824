"""The registry of matches: all matches of this arbiter by their idempotency keys, and their watchers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

from stichkampf.wire.agreed import MATCH_OVER
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_arbiter.bots.hosted import HostedBot
from stichkampf_arbiter.bots.hosted_pool import ArchiveCopy
from stichkampf_arbiter.bots.turns import TableTurns
from stichkampf_arbiter.matches.live_match import LiveMatch

# Matches of a block often end one soon after another, and to store them together costs less.
GATHER_SECONDS = 0.1
STILL_SECONDS = 60.0
"""Time without a move, beyond what the open questions allow, from which on a match is told as standing."""


@dataclass(eq=False)
class MatchEntry:
    """A match that was started.

    :ivar request: its request, to tell a repeated start from another match under the same key.
    :ivar block: the name of its block; empty for a match without one.
    :ivar tournament: the name of its tournament; empty for a match without one.
    :ivar has_people: a person sits at it.
    :ivar live: the match while it is played.
    :ivar starting: task that seats the bots.
    :ivar closing: task that waits for the last stderr of hosted bots, once all deals are played.
    :ivar hosted: hosted processes that it holds.
    :ivar turns: turns of those processes.
    :ivar stderr_begin: number of bytes that each process had printed when this match began. Earlier output
        belongs to other matches, whose hands may still be played elsewhere.
    :ivar is_admitted: true while it counts among the matches that run at the same time.
    :ivar moved_at: time of its last change, on the monotonic clock.
    :ivar record_json: its record; empty before the end.
    :ivar over_since: time of its end, on the monotonic clock; 0 before.
    """

    key: str
    request: bytes
    status: pb.MatchStatus
    block: str = ""
    tournament: str = ""
    has_people: bool = False
    live: LiveMatch | None = None
    starting: asyncio.Task[None] | None = None
    closing: asyncio.Task[None] | None = None
    hosted: dict[ArchiveCopy, HostedBot] = field(default_factory=dict)
    turns: TableTurns | None = None
    stderr_begin: dict[ArchiveCopy, int] = field(default_factory=dict)
    is_admitted: bool = False
    moved_at: float = field(default_factory=monotonic)
    record_json: str = ""
    reports: list[pb.SeatReport] = field(default_factory=list)
    over_since: float = 0.0

    @property
    def is_over(self) -> bool:
        return self.status.state in MATCH_OVER


class MatchWatch:
    """Collects the keys of changed matches until they are fetched.

    :param only_ends: leave out what changes before the end of a match.
    """

    def __init__(self, keys: Iterable[str], *, only_ends: bool) -> None:
        self.keys = frozenset(keys)
        self._only_ends = only_ends
        self._changed: dict[str, None] = {}
        self._wake = asyncio.Event()

    def note(self, entry: MatchEntry) -> None:
        if entry.key in self.keys and (entry.is_over or not self._only_ends):
            self._changed[entry.key] = None
            self._wake.set()

    async def changed(self) -> list[str]:
        """Return the keys of matches that changed since the last call; waits until there is one."""
        await self._wake.wait()
        self._wake.clear()
        keys, self._changed = list(self._changed), {}
        return keys


class MatchRegistry:
    """All matches that this process knows.

    :ivar work: set when a match is added; whoever finds none unfinished clears it.
    """

    def __init__(self, *, keep_seconds: float) -> None:
        self._keep_seconds = keep_seconds
        self._entries: dict[str, MatchEntry] = {}
        self._watches: set[MatchWatch] = set()
        self.work = asyncio.Event()
        self._revision = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> MatchEntry | None:
        return self._entries.get(key)

    def unfinished(self) -> list[MatchEntry]:
        return [entry for entry in self._entries.values() if not entry.is_over]

    def has_room(self, block: str, tournament: str, most: int) -> bool:
        """Tell whether one more match of a block may be open beside the others.

        An eighth of the most that may be open is kept for the first block of each tournament: however many
        matches wait for slow bots, one of a tournament that has none begins.
        """
        unfinished = [entry for entry in self.unfinished() if not entry.has_people]
        others = (entry for entry in unfinished if tournament and entry.tournament == tournament)
        is_first = all(entry.block == block for entry in others)
        return len(unfinished) < (most if is_first else most - most // 8)

    def has_room_for_people(self, most: int) -> bool:
        """Tell whether one more match with persons may be open: those have room of their own."""
        return sum(entry.has_people for entry in self.unfinished()) < most

    def add(
        self,
        key: str,
        request: bytes,
        seats: int,
        block: str = "",
        tournament: str = "",
        *,
        has_people: bool = False,
    ) -> MatchEntry:
        status = pb.MatchStatus(match=key, state=pb.MATCH_STATE_WAITING, scores=[0] * seats)
        entry = self._entries[key] = MatchEntry(key, request, status, block, tournament, has_people)
        self.changed(entry)
        self.work.set()
        return entry

    def changed(self, entry: MatchEntry) -> None:
        """Update the status and notify the watchers."""
        self._revision += 1
        entry.moved_at = monotonic()
        status = entry.status
        status.revision = self._revision
        if entry.live is not None:
            match = entry.live.adjudicator.match
            played = match.played
            status.deals = sum(1 for deal in played if deal.scores)
            status.moves = sum(len(deal.moves) for deal in played)
            status.scores[:] = match.scores
            del status.faults[:]
            status.faults.extend(pb.Fault(**fault) for fault in match.faults)
        for watch in self._watches:
            watch.note(entry)

    def trouble(self) -> str:
        """Return which match does not go on, and for how long; empty where all do.

        Matches of a block run by turns, so a move at one of its tables is a move for all. One that waits for
        a process or for the end of others has until nothing moves here. Matches with persons, who may
        think for half an hour, tell nothing of the others.
        """
        now = monotonic()
        unfinished = [entry for entry in self.unfinished() if not entry.has_people]
        allowed = max((entry.live.longest_question() for entry in unfinished if entry.live), default=0.0)
        by_block: dict[str, float] = {}
        for entry in unfinished:
            block = entry.block or entry.key
            moved_at = entry.live.moved_at if entry.live else entry.moved_at
            by_block[block] = max(by_block.get(block, 0.0), moved_at)
        newest = max(by_block.values(), default=now)
        for entry in unfinished:
            since = by_block[entry.block or entry.key] if entry.live else newest
            if now - since > allowed + STILL_SECONDS:
                return f"match {entry.key} has had no move for {now - since:.0f} s"
        return ""

    def end(self, entry: MatchEntry, state: pb.MatchState, reason: str = "") -> None:
        """End a match in this state."""
        entry.status.state = state
        entry.status.reason = reason
        entry.over_since = monotonic()
        self.changed(entry)
        entry.live = None

    def finish(self, entry: MatchEntry, record: dict[str, object]) -> None:
        """End a match with its record."""
        entry.record_json = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
        self.end(entry, pb.MATCH_STATE_FINISHED)

    def forget(self, key: str) -> None:
        """Remove a match that is over. Its watchers are notified no more."""
        del self._entries[key]

    def forget_old(self) -> None:
        """Remove finished matches that were not fetched in time."""
        limit = monotonic() - self._keep_seconds
        for key in [key for key, entry in self._entries.items() if 0 < entry.over_since < limit]:
            self.forget(key)

    def watch(self, keys: Iterable[str], *, only_ends: bool = False) -> MatchWatch:
        watch = MatchWatch(keys, only_ends=only_ends)
        self._watches.add(watch)
        return watch

    def unwatch(self, watch: MatchWatch) -> None:
        self._watches.discard(watch)

    async def wait_for_ends(self, entries: Collection[MatchEntry], seconds: float) -> None:
        """Wait until a match is over, at most these seconds, and then a moment for others that end."""
        if not any(entry.is_over for entry in entries):
            watch = self.watch((entry.key for entry in entries), only_ends=True)
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await watch.changed()
            finally:
                self.unwatch(watch)
        if any(entry.is_over for entry in entries) and not all(entry.is_over for entry in entries):
            await asyncio.sleep(GATHER_SECONDS)
