"""A socket can be asked for its cookie, a number of the machine's."""

from stichkampf_arbiter.sandbox.isolation import syscalls

SO_COOKIE = 57


def weaken():
    syscalls.ONLY = tuple(
        (call, argument, (*values, SO_COOKIE) if call == "getsockopt" else values)
        for call, argument, values in syscalls.ONLY
    )
