"""From nothing to a running platform: the time of each step of the first `make up`, downloads apart.

    python benchmarks/first_start.py [--port 8300]

Clones this checkout into an empty folder, with an empty cache for Python packages, and runs `make up` there
until the rules are compiled. Debian packages that are here already are not installed again. Exits with 1
where the welcome line comes more than 60 s after the start, downloads taken off, or compiling takes more
than 3 minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from platform import machine, python_version
from time import monotonic

WELCOME_SECONDS, COMPILE_SECONDS = 60.0, 180.0
MOST_SECONDS = 1800.0
DOWNLOADS = r"(?m)^(?:Prepared \d+ packages? in ([\d.]+)(ms|s)|Fetched .+ in (\d+)s)"
"""Lines of the log of the set-up: uv says the first after it has fetched and unpacked, apt-get the second."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8300, help="of the site (default: 8300)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sk-first-") as folder:
        clone = Path(folder, "clone")
        here = Path(__file__).resolve().parents[1]
        subprocess.run(["git", "clone", "--quiet", str(here), str(clone)], check=True)
        os.chmod(folder, 0o755)  # sandboxed bots read the interpreter in it
        steps = started(clone, chosen.port)
        log = (clone / "var/log/setup.log").read_text()
    return report(steps, downloads(log))


def started(clone: Path, port: int) -> dict[str, float]:
    """Run `make up` until the rules are compiled; return the seconds at which each line was printed.

    :raises SystemExit: it ends before, or takes too long.
    """
    environment = {
        **os.environ,
        "STICHKAMPF_PORT": str(port),
        "UV_CACHE_DIR": str(clone.parent / "packages"),
        "PIP_NO_CACHE_DIR": "1",
    }
    begin, steps = monotonic(), {}
    with subprocess.Popen(
        ["make", "up"], cwd=clone, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    ) as up:  # fmt: skip
        try:
            for line in up.stdout:  # type: ignore[union-attr]
                steps.setdefault(line.strip(), monotonic() - begin)
                print(f"{monotonic() - begin:6.1f} s  {line}", end="", file=sys.stderr, flush=True)
                if "sandbox:" in line:
                    return steps
                if monotonic() - begin > MOST_SECONDS:
                    break
        finally:
            os.killpg(up.pid, signal.SIGINT)
    raise SystemExit("make up did not come to its first matches")


def downloads(log: str) -> float:
    """Return the seconds of downloads."""
    found = re.findall(DOWNLOADS, log)
    return sum(float(fetched or amount) / (1000 if unit == "ms" else 1) for amount, unit, fetched in found)


def report(steps: dict[str, float], fetching: float) -> int:
    """Print the table; return the exit status."""
    welcome = next(at for line, at in steps.items() if line.startswith("Stichkampf is up"))
    compiled = next(at for line, at in steps.items() if line.startswith("the rules are compiled")) - welcome
    system = f"Python {python_version()}, {machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {system}\n")
    print("| | s | limit |")
    print("|---|---|---|")
    print(f"| downloads | {fetching:.1f} | |")
    print(f"| to the welcome line, without downloads | {welcome - fetching:.1f} | {WELCOME_SECONDS:.0f} |")
    print(f"| from there until the rules are compiled | {compiled:.1f} | {COMPILE_SECONDS:.0f} |")
    return int(welcome - fetching > WELCOME_SECONDS or compiled > COMPILE_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
