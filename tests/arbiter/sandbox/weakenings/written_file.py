"""All sandboxes show one file that they may write."""

import tempfile

from stichkampf_arbiter.sandbox.isolation import bubblewrap_options


def weaken():
    strong = bubblewrap_options.arguments
    _, path = tempfile.mkstemp(dir="/dev/shm")
    with open(path, "r+b") as file:
        file.truncate(1 << 16)

    def weak(**settings):
        arguments = strong(**settings)
        seal = len(arguments) - arguments[::-1].index("--remount-ro") - 1
        return [*arguments[:seal], "--bind", path, "/opt/common", *arguments[seal:]]

    bubblewrap_options.arguments = weak
