"""All matches of this arbiter by their idempotency keys, and those who watch them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic

from stichkampf.wire.agreed import MATCH_OVER
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_arbiter.bots.hosted import HostedBot
from stichkampf_arbiter.bots.hosted_pool import Copy
from stichkampf_arbiter.bots.turns import Turns
from stichkampf_arbiter.matches.live_match import RunningMatch


@dataclass(eq=False)
class Entry:
    """A match that was started.

    :ivar request: what was asked for, to tell a repeated start from another match under the same key.
    :ivar closing: waits for the last words of hosted bots, when all is played.
    :ivar hosted: the processes that it holds.
    :ivar turns: when those may run.
    :ivar printed: where in what they printed the match begins. What stood before belongs to other matches;
        the hands of those may still be played elsewhere.
    :ivar on_floor: whether it is among those that run at the same time.
    :ivar record_json: once it is finished.
    :ivar over_since: on the monotonic clock; 0 before.
    """

    key: str
    request: bytes
    status: pb.MatchStatus
    running: RunningMatch | None = None
    starting: asyncio.Task[None] | None = None
    closing: asyncio.Task[None] | None = None
    hosted: dict[Copy, HostedBot] = field(default_factory=dict)
    turns: Turns | None = None
    printed: dict[Copy, int] = field(default_factory=dict)
    on_floor: bool = False
    record_json: str = ""
    reports: list[pb.SeatReport] = field(default_factory=list)
    over_since: float = 0.0


class Watch:
    """Gathers the keys of changed matches until they are asked for."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self._changed: dict[str, None] = {}
        self._wake = asyncio.Event()

    def note(self, key: str) -> None:
        if key in self.keys:
            self._changed[key] = None
            self._wake.set()

    async def changed(self) -> list[str]:
        """The keys of matches that changed since the last call; waits until there is one."""
        await self._wake.wait()
        self._wake.clear()
        keys, self._changed = list(self._changed), {}
        return keys


class Matches:
    """The matches that this process knows."""

    def __init__(self, *, keep_seconds: float) -> None:
        self._keep_seconds = keep_seconds
        self._entries: dict[str, Entry] = {}
        self._watches: set[Watch] = set()
        self._revision = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> Entry | None:
        return self._entries.get(key)

    def unfinished(self) -> list[Entry]:
        return [entry for entry in self._entries.values() if entry.status.state not in MATCH_OVER]

    def add(self, key: str, request: bytes, seats: int) -> Entry:
        status = pb.MatchStatus(match=key, state=pb.MATCH_STATE_WAITING, scores=[0] * seats)
        entry = self._entries[key] = Entry(key, request, status)
        self.changed(entry)
        return entry

    def changed(self, entry: Entry) -> None:
        """Bring the status up to date and tell the watchers."""
        self._revision += 1
        status = entry.status
        status.revision = self._revision
        if entry.running is not None:
            match = entry.running.adjudicator.match
            played = match.played
            status.deals = sum(1 for deal in played if deal.scores)
            status.moves = sum(len(deal.moves) for deal in played)
            status.scores[:] = match.scores
            del status.faults[:]
            status.faults.extend(pb.Fault(**fault) for fault in match.faults)
        for watch in self._watches:
            watch.note(entry.key)

    def end(self, entry: Entry, state: pb.MatchState, reason: str = "") -> None:
        """A match is over, in this state."""
        entry.status.state = state
        entry.status.reason = reason
        entry.over_since = monotonic()
        self.changed(entry)
        entry.running = None

    def finish(self, entry: Entry, record: dict[str, object]) -> None:
        """A match was played to its end."""
        entry.record_json = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
        self.end(entry, pb.MATCH_STATE_FINISHED)

    def forget(self, key: str) -> None:
        """Forget a match that is over. Those who watch it are told no more."""
        del self._entries[key]

    def forget_old(self) -> None:
        """Forget what nobody fetched in time."""
        limit = monotonic() - self._keep_seconds
        for key in [key for key, entry in self._entries.items() if 0 < entry.over_since < limit]:
            self.forget(key)

    def watch(self, keys: Iterable[str]) -> Watch:
        watch = Watch(keys)
        self._watches.add(watch)
        return watch

    def unwatch(self, watch: Watch) -> None:
        self._watches.discard(watch)
