"""Who a bot process is: a uid of its own, that no other living process has."""

from __future__ import annotations

import random
import socket
from collections.abc import Sequence

from stichkampf_arbiter.sandbox.contract import SandboxError

UIDS_PER_LAUNCHER = 1000


class UidPool:
    """A block of uids that this launcher holds alone on the machine while it lives.

    RLIMIT_NPROC counts per uid, so two bots, or two launchers, must never share one. The block is claimed
    with an abstract socket, which the kernel frees when the launcher dies, however it dies. A uid is drawn
    at random, so that a bot learns nothing from the one it sees itself run under.
    """

    def __init__(self, uids: range) -> None:
        """
        :param uids: all uids that bots on this machine may have.
        :raises SandboxError: every block is held by another launcher.
        """
        self._random = random.SystemRandom()
        blocks = [uids[i : i + UIDS_PER_LAUNCHER] for i in range(0, len(uids), UIDS_PER_LAUNCHER)]
        self._claim, self.block = _claim_one(blocks)
        self._taken: set[int] = set()

    def take(self) -> int:
        """A uid that no other process of this launcher has."""
        free = [uid for uid in self.block if uid not in self._taken]
        if not free:
            raise SandboxError(f"all {len(self.block)} uids for bots are in use; wait for a bot to end")
        uid = self._random.choice(free)
        self._taken.add(uid)
        return uid

    def give_back(self, uid: int) -> None:
        self._taken.discard(uid)

    def close(self) -> None:
        self._claim.close()


def is_claimed(first_uid: int) -> bool:
    """Whether a living launcher holds the block that begins with this uid."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        try:
            claim.bind(_name(first_uid))
        except OSError:
            return True
    return False


def _name(first_uid: int) -> str:
    return f"\0stichkampf-uids-{first_uid}"


def _claim_one(blocks: Sequence[range]) -> tuple[socket.socket, range]:
    for block in blocks:
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(_name(block[0]))
        except OSError:
            claim.close()
            continue
        return claim, block
    raise SandboxError("every block of bot uids is held by another launcher on this machine")
