"""The machine's memory, load and number of processes can be asked for."""

from stichkampf_arbiter.sandbox.isolation import syscalls


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "sysinfo"]
