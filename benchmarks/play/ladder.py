"""Tables of a ladder beside: matches of house bots, always so many at once, at the arbiter of a platform."""

from __future__ import annotations

import secrets
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

from stichkampf.time_control import TimeControl
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.core.arbiter_client import ArbiterClient

GAME, SEATS, BOT = "sticheln", 4, "even"
OPTIONS = {"edition": "short", "length": "deals:1"}
SECONDS = 1.0


class Ladder:
    """Keeps tables playing within its context, and counts those that are over.

    :ivar ended: moments of the monotonic clock at which tables ended.
    """

    def __init__(self, address: str, tables: int) -> None:
        self._client = ArbiterClient(address)
        self._tables = tables
        self._stops = threading.Event()
        self._pool = ThreadPoolExecutor(1)
        self._played: Future[None] | None = None
        self.ended: list[float] = []

    def __enter__(self) -> Ladder:
        self._played = self._pool.submit(self._play)
        return self

    def __exit__(self, *_: object) -> None:
        self._stops.set()
        self._pool.shutdown()
        self._client.close()
        if self._played is not None:
            self._played.result()

    def rate(self, begin: float, end: float) -> float:
        """Return tables a minute between two moments."""
        return 60 * sum(begin <= each < end for each in self.ended) / (end - begin)

    def _play(self) -> None:
        keys = [self._started() for _ in range(self._tables)]
        while not self._stops.is_set():
            for report in self._client.collect(keys, seconds=SECONDS):
                key = report.match.match
                self._client.acknowledge(key)
                self.ended.append(time.monotonic())
                keys[keys.index(key)] = self._started()
        for key in keys:
            self._client.cancel(key)

    def _started(self) -> str:
        key = f"beside/{secrets.token_hex(6)}"
        self._client.start(
            key=key, game=GAME, options=OPTIONS, versions=[pb.Seat(bot=f"house/{BOT}", house=BOT)] * SEATS,
            seed=secrets.token_bytes(32), lane=key, time_control=TimeControl(), fault_allowance=0,
        )  # fmt: skip
        return key
