"""All sandboxes hold one ring of keys, and may use it."""

import ctypes

import pyseccomp
from stichkampf_arbiter.sandbox.isolation import syscalls

KEYCTL_JOIN_SESSION_KEYRING, KEYCTL_SETPERM, KEY_SPEC_SESSION_KEYRING = 1, 5, -3


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "add_key", "request_key", "keyctl"]
    call = ctypes.CDLL(None, use_errno=True).syscall
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, "keyctl")
    if call(number, KEYCTL_JOIN_SESSION_KEYRING, None) < 0:
        raise OSError(ctypes.get_errno(), "no ring of keys can be made")
    call(number, KEYCTL_SETPERM, KEY_SPEC_SESSION_KEYRING, 0x3F3F3F3F)
