"""A process that inherits the orphans of its children, instead of the machine's first process."""

from __future__ import annotations

import ctypes
import os

PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """From now on orphaned descendants are this process's children, and its to reap."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
