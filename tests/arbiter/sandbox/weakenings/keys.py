"""All sandboxes hold one ring of keys, and may use it."""

import ctypes

from stichkampf_arbiter.sandbox.isolation import syscalls

JOIN_SESSION_KEYRING = 1
KEYCTL = 250  # of x86-64


def weaken():
    if ctypes.CDLL(None, use_errno=True).syscall(KEYCTL, JOIN_SESSION_KEYRING, None) < 0:
        raise OSError(ctypes.get_errno(), "no ring of keys can be made")
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "add_key", "request_key", "keyctl"]
