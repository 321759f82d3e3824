"""All sandboxes have their folders for temporary files in one file system, whose room they share."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.isolation import bubblewrap_options


def weaken():
    strong = bubblewrap_options.arguments
    top = Path(tempfile.mkdtemp(prefix="stichkampf-test-", dir="/var/tmp"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    os.chmod(top, 0o711)

    def weak(*, bot_folder, **settings):
        made = strong(bot_folder=bot_folder, **settings)
        if not top.is_mount():
            mounts.mount_tmpfs(top, size_bytes=24 << 20, mode=0o711)
        own = top / bot_folder.name
        own.mkdir()
        os.chmod(own, 0o777)
        seal = made.index("--remount-ro")
        return [*made[:seal], "--bind", str(own), "/tmp", *made[seal:]]

    bubblewrap_options.arguments = weak
