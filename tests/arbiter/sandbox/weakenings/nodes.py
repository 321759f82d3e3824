"""The devices are made once, and stand writable in every sandbox."""

import tempfile
from pathlib import Path

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.isolation import mount_tree

MADE = []


def weaken():
    strong = mount_tree._make_devices
    mounts.make_read_only = lambda *_: None

    def weak(folder):
        if not MADE:
            MADE.append(Path(tempfile.mkdtemp(dir=folder.parents[1])))
            strong(MADE[0])
        mounts.bind(MADE[0], folder)

    mount_tree._make_devices = weak
