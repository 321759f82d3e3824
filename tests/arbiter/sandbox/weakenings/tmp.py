"""All sandboxes have one `/tmp`."""

import os
import tempfile

from stichkampf_arbiter.sandbox.isolation import bubblewrap_options


def weaken():
    strong = bubblewrap_options.arguments
    shared = tempfile.mkdtemp(prefix="stichkampf-test-tmp-", dir="/var/tmp")
    os.chmod(shared, 0o1777)

    def weak(**settings):
        made = strong(**settings)
        seal = made.index("--remount-ro")
        return [*made[:seal], "--bind", shared, "/tmp", *made[seal:]]

    bubblewrap_options.arguments = weak
