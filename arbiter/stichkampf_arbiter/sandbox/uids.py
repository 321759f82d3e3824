"""Uids for bot processes: each has one of its own, which no other living process has."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from stichkampf_arbiter.sandbox.contract import SandboxError

BLOCK_UIDS = 250
INSIDE_FIRST_UID, INSIDE_UIDS = 1000, 60_000
"""Uids of bots in the user namespace of an ordinary user."""


def uids_inside(first: int, count: int) -> range:
    """Place a range of uids in the user namespace of an ordinary user, who has none of those outside.

    It begins with a block, as those of other launchers do, and apart from other ranges where there is room.
    """
    count = min(count, INSIDE_UIDS)
    places = (INSIDE_UIDS - count) // BLOCK_UIDS + 1
    start = INSIDE_FIRST_UID + first // BLOCK_UIDS % places * BLOCK_UIDS
    return range(start, start + count)


class UidPool:
    """Blocks of uids that this launcher holds alone on the machine while it lives.

    RLIMIT_NPROC counts per uid, so two bots, or two launchers, must never share one. A block is claimed
    with an abstract socket, which the kernel frees when the launcher dies, however it dies. A uid is drawn
    at random, so that a bot learns nothing from its own.

    :ivar first: the first uid of the first block; no other living launcher has the same.
    """

    def __init__(self, uids: range) -> None:
        """
        :param uids: all uids that bots on this machine may have.
        :raises SandboxError: every block is held by another launcher.
        """
        self._random = random.SystemRandom()
        self._blocks = [uids[i : i + BLOCK_UIDS] for i in range(0, len(uids), BLOCK_UIDS)]
        self._claims: list[socket.socket] = []
        self._free: set[int] = set()
        self.first = self._claim()[0]

    def take(self) -> int:
        """Take a uid that no other process of any launcher has.

        :raises SandboxError: there is none.
        """
        if not self._free:
            self._claim()
        uid = self._random.choice(sorted(self._free))
        self._free.discard(uid)
        return uid

    def give_back(self, uid: int) -> None:
        self._free.add(uid)

    def close(self) -> None:
        for claim in self._claims:
            claim.close()

    def _claim(self) -> range:
        for block in self._blocks:
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                claim.bind(_name(block[0]))
            except OSError:
                claim.close()
                continue
            self._claims.append(claim)
            self._free |= set(block)
            return block
        raise SandboxError("all uids for bots on this machine are in use; wait for a bot to end")


@contextmanager
def held_if_free(first_uid: int) -> Iterator[bool]:
    """Hold the block that begins with this uid, so that no launcher claims it meanwhile.

    Yields false, and holds nothing, if a living launcher has it.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        try:
            claim.bind(_name(first_uid))
        except OSError:
            free = False
        else:
            free = True
        yield free


def _name(first_uid: int) -> str:
    return f"\0stichkampf-uids-{first_uid}"
