"""Processes can be opened, which number those of the whole machine."""

from stichkampf_arbiter.sandbox.isolation import syscalls


def weaken():
    strong = syscalls.free_calls
    syscalls.UNKNOWN = tuple(call for call in syscalls.UNKNOWN if call != "pidfd_open")
    syscalls.free_calls = lambda: [*strong(), "pidfd_open"]
