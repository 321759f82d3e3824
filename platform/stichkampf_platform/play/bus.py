"""The site's and the workers' end of what they share with the hub in Redis."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings
from stichkampf.engine.deal import Json
from stichkampf.match.events import Event
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core.environment import redis_address
from stichkampf_platform.play import keys

SECONDS = 2.0
"""The most that a page waits for Redis itself."""
SILENCE_SECONDS = 3
"""The time between two phrases of a seat."""
KEPT_PHRASES = 6
KEPT_EVENTS = 50_000
"""The events that a process keeps decoded, of all seats."""
_waiting: WeakKeyDictionary[asyncio.AbstractEventLoop, redis.asyncio.Redis] = WeakKeyDictionary()


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        redis_address(url), socket_timeout=SECONDS, socket_connect_timeout=SECONDS, decode_responses=False
    )


def client() -> redis.Redis:
    """Return this process's client."""
    return _client(settings.REDIS_URL)


@dataclass(frozen=True)
class Told:
    """Entries of a seat so far, decoded.

    :ivar events: as they are stored.
    :ivar question: the number and the legal words of the last question; None where the last entry has none.
    :ivar over: the match was played to its end.
    :ivar last: the last entry, its name and its content; empty before the first.
    """

    events: tuple[Event, ...] = ()
    question: tuple[int, tuple[str, ...]] | None = None
    over: bool = False
    last: tuple[bytes, bytes] = (b"", b"")

    def and_then(self, entries: Sequence[tuple[bytes, dict[bytes, bytes]]]) -> Told:
        """Return what the seat was told with these entries, too."""
        if not entries:
            return self
        events, over, asked = list(self.events), self.over, None
        for _name, fields in entries:
            entry = json.loads(fields[b"entry"])
            events += [_event(values) for values in entry.get("events", ())]
            over = over or entry.get("end") == keys.FINISHED
            asked = entry.get("question")
        name, fields = entries[-1]
        question = (asked[0], tuple(asked[1])) if asked else None
        return Told(tuple(events), question, over, (name, fields[b"entry"]))

    @property
    def version(self) -> int:
        return keys.version_of(self.last[0].decode()) if self.last[0] else 0


class KeptSeats:
    """Seats as this process read them last; of so many events, those of the seats read last.

    What lies in Redis may have begun anew: what is kept holds while the last entry is still there.
    """

    def __init__(self, most_events: int) -> None:
        self._most, self._number = most_events, 0
        self._lock = threading.Lock()
        self._told: OrderedDict[str, Told] = OrderedDict()

    def get(self, key: str) -> Told:
        return self._told.get(key, Told())

    def put(self, key: str, told: Told) -> None:
        with self._lock:
            self._number += len(told.events) - len(self._told.pop(key, Told()).events)
            if told.events:
                self._told[key] = told
            while self._number > self._most:
                _key, oldest = self._told.popitem(last=False)
                self._number -= len(oldest.events)


_kept = KeptSeats(KEPT_EVENTS)


def read(table: str, seat: int) -> tuple[Told, set[int], bool]:
    """Return what a seat was told, the decisions answered, and whether the seat is cut off.

    It is if the hub has connected with the arbiter anew, and has told the seat nothing since.
    """
    key = keys.entries_of(table, seat)
    told = _kept.get(key)
    entries, answered, connected = _read(table, seat, told.last[0].decode() or "-")
    if told.last[0]:
        if entries and (entries[0][0], entries[0][1][b"entry"]) == told.last:
            entries = entries[1:]
        else:
            told = Told()
            entries, answered, connected = _read(table, seat, "-")
    told = told.and_then(entries)
    _kept.put(key, told)
    is_cut_off = bool(told.last[0]) and any(
        keys.version_of(name.decode()) > told.version for name, _ in connected
    )
    return told, {int(decision) for decision in answered}, is_cut_off


def _read(table: str, seat: int, since: str) -> Any:
    together: Any = client().pipeline(transaction=True)
    together.xrange(keys.entries_of(table, seat), min=since)
    together.hkeys(keys.answered_of(table, seat))
    together.xrevrange(keys.CONNECTIONS, count=1)
    return together.execute()


def _event(values: list[Json]) -> Event:
    kind, seat, text, cards, numbers, facts = values
    return Event(kind, seat, text, tuple(cards), tuple(numbers), facts)


def push_answer(table: str, seat: int, decision: int, word: str) -> bool:
    """Give the hub an answer, and tell whether it is the first to this decision; it takes only that one."""
    answered = keys.answered_of(table, seat)
    together: Any = client().pipeline(transaction=True)
    together.hsetnx(answered, str(decision), word)
    together.expire(answered, keys.KEEP_SECONDS)
    together.rpush(keys.ANSWERS, json.dumps([table, seat, decision, word]))
    return bool(together.execute()[0])


def say(table: str, seat: int, phrase: int) -> bool:
    """Say a phrase at a table, and tell whether it was heard: each seat may after a while."""
    if not client().set(keys.silence_of(table, seat), 1, nx=True, ex=SILENCE_SECONDS):
        return False
    together: Any = client().pipeline(transaction=True)
    together.rpush(keys.phrases_of(table), json.dumps([seat, phrase]))
    together.ltrim(keys.phrases_of(table), -KEPT_PHRASES, -1)
    together.expire(keys.phrases_of(table), keys.KEEP_SECONDS)
    together.execute()
    return True


def said(table: str) -> list[tuple[int, int]]:
    """Return the seats and phrases that were said last at a table."""
    found: Any = client().lrange(keys.phrases_of(table), 0, -1)
    return [(seat, phrase) for seat, phrase in map(json.loads, found)]


def keep_progress(match: str, progress: pb.FetchMovesResponse) -> None:
    """Keep the moves with which a match begins."""
    client().set(keys.moves_of(match), progress.SerializeToString(), ex=keys.KEEP_SECONDS)


def kept_progress(match: str) -> pb.FetchMovesResponse | None:
    """Return the moves of a match so far; None if they are lost."""
    kept: Any = client().get(keys.moves_of(match))
    return None if kept is None else pb.FetchMovesResponse.FromString(kept)


def seconds_since(version: int) -> float:
    """Return how long ago, by the clock of Redis, an entry came."""
    now: Any = client().time()
    return float(now[0] + now[1] / 1e6 - version // keys.WITHIN_MILLISECOND / 1e3)


def seconds_asked(table: str, seat: int) -> float | None:
    """Return for how long a seat has been asked; None where it is not."""
    version, entry, answered = _last(table, seat)
    asked = entry.get("question")
    return None if asked is None or asked[0] in answered else seconds_since(version)


def seconds_silent(table: str, seat: int) -> float | None:
    """Return how long ago the last entry of a seat came; None where there is none any more."""
    version, _entry, _answered = _last(table, seat)
    return seconds_since(version) if version else None


def _last(table: str, seat: int) -> tuple[int, dict[str, Json], set[int]]:
    """Return the number of the last entry of a seat, the entry, and the decisions that are answered."""
    together: Any = client().pipeline(transaction=True)
    together.xrevrange(keys.entries_of(table, seat), count=1)
    together.hkeys(keys.answered_of(table, seat))
    entries, answered = together.execute()
    if not entries:
        return 0, {}, set()
    ((name, fields),) = entries
    return keys.version_of(name.decode()), json.loads(fields[b"entry"]), {int(each) for each in answered}


async def wait_for_news(
    table: str, seat: int, version: int, seconds: float, *, any_news: bool, cut_off: bool
) -> bool:
    """Wait for news of a seat after a version, and tell whether there are some.

    Tell so as well once the seat is cut off: nothing would come by itself.

    :param any_news: every entry is news; else a question to the seat, or the end.
    :param cut_off: it is known to be cut off.
    """
    entries, end = keys.entries_of(table, seat), time.monotonic() + seconds
    begun = keys.entry_of(version)
    since = {entries: begun, keys.CONNECTIONS: "$" if cut_off or not version else begun}
    while (left := end - time.monotonic()) > 0:
        found: Any = await _waiting_client().xread(since, block=max(1, int(1_000 * left)))
        for stream, told in found:
            if any_news or stream.decode() == keys.CONNECTIONS:
                return True
            for name, fields in told:
                if not {"question", "end"}.isdisjoint(json.loads(fields[b"entry"])):
                    return True
                since[entries] = name.decode()
    return False


def _waiting_client() -> redis.asyncio.Redis:
    """Return this loop's client, which has as many connections as ever waited at once."""
    loop = asyncio.get_running_loop()
    if loop not in _waiting:
        _waiting[loop] = redis.asyncio.Redis.from_url(
            redis_address(settings.REDIS_URL), socket_connect_timeout=SECONDS
        )
    return _waiting[loop]
