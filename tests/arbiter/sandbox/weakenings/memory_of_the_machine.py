"""A bot may ask how much memory and how many processes the machine has."""

from stichkampf_arbiter.sandbox.isolation import syscalls


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "sysinfo"]
