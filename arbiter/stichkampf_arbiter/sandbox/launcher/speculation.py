"""Speculation and large pages, which the launcher holds back for itself and for all that it starts.

The kernel passes both on to children and through `execve`. What is disabled by force stays so
(`Documentation/userspace-api/spec_ctrl.rst` of Linux), and the filter lets no bot ask for large pages again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

PR_GET_SPECULATION_CTRL, PR_SET_SPECULATION_CTRL = 52, 53
STORE_BYPASS, INDIRECT_BRANCH = 0, 1
OFFERED, FORCE_DISABLE = 1 << 0, 1 << 3
"""Bits of the kernel's answer: a process may set this kind itself; it is off for good."""
PR_SET_THP_DISABLE = 41

_prctl = ctypes.CDLL(None).prctl


def hold_back_speculation(prctl: Callable[..., int] = _prctl) -> list[int]:
    """Disable each kind that the kernel lets a process disable; return these kinds."""
    zero = ctypes.c_ulong(0)
    held = []
    for kind in (STORE_BYPASS, INDIRECT_BRANCH):
        state = prctl(PR_GET_SPECULATION_CTRL, ctypes.c_ulong(kind), zero, zero, zero)
        if state > 0 and state & OFFERED:
            arguments = (ctypes.c_ulong(kind), ctypes.c_ulong(FORCE_DISABLE), zero, zero)
            held += [kind] if prctl(PR_SET_SPECULATION_CTRL, *arguments) == 0 else []
    return held


def hold_back_large_pages(prctl: Callable[..., int] = _prctl) -> None:
    """Have no memory put into large pages: the count of page faults tells who got one of those left."""
    zero = ctypes.c_ulong(0)
    prctl(PR_SET_THP_DISABLE, ctypes.c_ulong(1), zero, zero, zero)
