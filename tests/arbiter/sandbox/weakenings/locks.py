"""Files can be locked, and all sandboxes see the same ones."""

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.isolation import syscalls
from stichkampf_arbiter.sandbox.programs import packed


def weaken():
    strong = syscalls.free_calls
    syscalls.free_calls = lambda: [*strong(), "flock"]

    def refuse(*_):
        raise SandboxError("taken away")

    packed.pack = refuse
