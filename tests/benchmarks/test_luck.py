"""The luckiest of thirty equal versions, in a small form of `benchmarks/collusion/luck.py`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "collusion" / "luck.py"


def test_the_luckiest_of_thirty_equal_versions_does_not_stay_above_its_strength():
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), "--runs", "80"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for frozen, alone, shared in re.findall(r"([+-][\d.]+) \| ([+-][\d.]+) \| ([+-][\d.]+)", ran.stdout):
        assert float(frozen) >= 40  # where it is drawn no more
        assert float(shared) < float(alone) < float(frozen)
    assert ran.stdout.count("| 40 |") == 2
