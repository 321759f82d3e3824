"""Each part of the runtime is mounted once, and that mount is shown in every sandbox."""

import tempfile
from pathlib import Path

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.programs import packed

MOUNTED = {}


def weaken():
    strong = packed.mount

    def weak(image, target):
        if image not in MOUNTED:
            MOUNTED[image] = Path(tempfile.mkdtemp(dir=image.parent))
            strong(image, MOUNTED[image])
        mounts.bind(MOUNTED[image], target)

    packed.mount = weak
