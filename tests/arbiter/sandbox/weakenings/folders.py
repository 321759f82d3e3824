"""Each sandbox has a folder of its own for what it writes, in one file system that all of them fill."""

import atexit
import os
import shutil
import tempfile

from stichkampf_arbiter.sandbox.isolation import bubblewrap_options


def weaken():
    strong = bubblewrap_options.arguments
    everybody = tempfile.mkdtemp(prefix="stichkampf-test-", dir="/var/tmp")
    atexit.register(shutil.rmtree, everybody, ignore_errors=True)
    os.chmod(everybody, 0o711)

    def weak(**settings):
        made = strong(**settings)
        own = tempfile.mkdtemp(dir=everybody)
        os.chmod(own, 0o777)
        seal = made.index("--remount-ro")
        return [*made[:seal], "--bind", own, "/srv/own", *made[seal:]]

    bubblewrap_options.arguments = weak
