"""The priority of work that leaves the processor to all other programs."""

import subprocess
import sys

LOWERED = """
import os
from stichkampf_platform.core.queue import yield_processor
yield_processor()
print(os.getpriority(os.PRIO_PROCESS, 0))
"""


def test_a_process_that_yields_has_the_lowest_priority():
    ran = subprocess.run([sys.executable, "-c", LOWERED], check=True, capture_output=True, text=True)
    assert ran.stdout == "19\n"
