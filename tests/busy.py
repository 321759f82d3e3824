"""Run tests several times in a row beside processes that keep every core busy.

    python tests/busy.py --runs 20 --processes 8 -- -m machine tests/contract

Everything after `--` goes to pytest. Ends at the first run that fails, with its exit status.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from contextlib import ExitStack

from support import BURN


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1, help="how many times the tests run (default: 1)")
    parser.add_argument("--processes", type=int, default=4, help="busy processes beside them (default: 4)")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        for _ in range(arguments.processes):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-I", "-c", BURN]))
            stack.callback(busy.kill)
        for run in range(1, arguments.runs + 1):
            begin = time.monotonic()
            status = subprocess.run([sys.executable, "-m", "pytest", *arguments.pytest]).returncode
            print(f"run {run} of {arguments.runs}: {time.monotonic() - begin:.0f} s", flush=True)
            if status != 0:
                return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
