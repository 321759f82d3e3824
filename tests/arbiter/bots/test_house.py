"""The process of the house bots."""

import os
import subprocess

from stichkampf_arbiter.bots.house import NICENESS, give_way


def test_it_gives_way_to_programs_for_which_people_wait():
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            give_way(process.pid)
            assert os.sched_getscheduler(process.pid) == os.SCHED_BATCH
            assert (
                os.getpriority(os.PRIO_PROCESS, process.pid) == os.getpriority(os.PRIO_PROCESS, 0) + NICENESS
            )
        finally:
            process.kill()
    give_way(process.pid)  # it has ended, which is no error
