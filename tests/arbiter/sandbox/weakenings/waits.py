"""Words of files may be waited for by processes of others, so that who joins a thread need not look again."""

from stichkampf_arbiter.sandbox.isolation import syscalls


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "futex"]
    syscalls.WITH = syscalls.SHARED_FUTEX_WAITS = syscalls.SHARED_FUTEX_OTHERS = ()
