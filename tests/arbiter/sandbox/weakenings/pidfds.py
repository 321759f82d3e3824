"""Processes are given descriptors of processes."""

from stichkampf_arbiter.sandbox.isolation import syscalls


def weaken():
    syscalls.UNKNOWN = tuple(name for name in syscalls.UNKNOWN if not name.startswith("pidfd"))
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "pidfd_open", "pidfd_send_signal"]
