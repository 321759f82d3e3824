"""A folder for temporary files is used by one sandbox after the other, and never emptied."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.isolation import bubblewrap_options
from stichkampf_arbiter.sandbox.launcher import sandbox as launched

FREE, USED = [], {}


def weaken():
    strong, discard = bubblewrap_options.arguments, launched.Sandbox.discard
    top = Path(tempfile.mkdtemp(prefix="stichkampf-test-", dir="/var/tmp"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    os.chmod(top, 0o711)

    def free_again(sandbox):
        discard(sandbox)
        if sandbox.folder in USED:
            FREE.append(USED.pop(sandbox.folder))

    def weak(*, bot_folder, **settings):
        made = strong(bot_folder=bot_folder, **settings)
        if not FREE:
            FREE.append(top / str(len(USED)))
            FREE[0].mkdir()
            mounts.mount_tmpfs(FREE[0], size_bytes=24 << 20, mode=0o777)
        USED[bot_folder] = FREE.pop()
        seal = made.index("--remount-ro")
        return [*made[:seal], "--bind", str(USED[bot_folder]), "/tmp", *made[seal:]]

    launched.Sandbox.discard = free_again
    bubblewrap_options.arguments = weak
