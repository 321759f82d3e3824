"""All sandboxes are started with a descriptor of one counter."""

import os
import subprocess

from stichkampf_arbiter.sandbox.isolation import bubblewrap

COUNTER = os.eventfd(0, 0)
strong = subprocess.Popen


def weak(*arguments, pass_fds=(), **options):
    return strong(*arguments, pass_fds=(*pass_fds, COUNTER), **options)


def weaken():
    bubblewrap.subprocess.Popen = weak
