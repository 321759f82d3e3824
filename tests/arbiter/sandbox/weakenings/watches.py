"""Files can be watched, and all sandboxes see the same ones."""

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.isolation import syscalls
from stichkampf_arbiter.sandbox.programs import packed


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "inotify_init", "inotify_init1", "inotify_add_watch"]

    def refuse(*_):
        raise SandboxError("taken away")

    packed.pack = refuse
