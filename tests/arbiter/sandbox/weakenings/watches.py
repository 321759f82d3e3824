"""Files can be watched, and all sandboxes see the same ones."""

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.isolation import syscalls
from stichkampf_arbiter.sandbox.programs import packed

CALLS = ("inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch")


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), *CALLS]

    def refuse(*_):
        raise SandboxError("taken away")

    packed.pack = refuse
