"""Every sandbox inherits one counter that anybody may read and add to."""

import os
import subprocess

from stichkampf_arbiter.sandbox.isolation import bubblewrap


def weaken():
    counter = os.eventfd(0, os.EFD_NONBLOCK)
    strong = subprocess.Popen

    def weak(*arguments, pass_fds=(), **options):
        return strong(*arguments, pass_fds=(*pass_fds, counter), **options)

    bubblewrap.subprocess.Popen = weak
