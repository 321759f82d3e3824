"""Files can be locked, also those that others see."""

from stichkampf_arbiter.sandbox.isolation import syscalls


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "flock"]
