"""Tests of the platform that depend on the database hold on PostgreSQL as they do on SQLite.

Those marked `database` are run in the suite, those marked `queries` by `make nightly` too
(STICHKAMPF_ON_POSTGRESQL). Only files that name a marker are read.
"""

import os
import subprocess
import sys

import pytest
from stichkampf_platform.supervisor.installation import checkout

MARKED = os.environ.get("STICHKAMPF_ON_POSTGRESQL", "database")


def marked_files():
    """List the files of tests that name one of the markers."""
    marks = [f"mark.{name}" for name in MARKED.split(" or ")]
    files = sorted((checkout() / "tests/platform").rglob("test_*.py"))
    return [path for path in files if any(mark in path.read_text() for mark in marks)]


@pytest.mark.timeout(1800)
def test_the_tests_marked_database_pass_on_postgresql(postgresql, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["DATABASE_URL"] = f"{postgresql}postgres"
    command = [sys.executable, "-m", "pytest", "-q", "--timeout=600", "-p", "no:cacheprovider"]
    log = tmp_path / "log"
    with log.open("wb") as output:
        suite = subprocess.run(
            [*command, "-m", MARKED, *marked_files()],
            cwd=checkout(),
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    assert suite.returncode == 0, log.read_text()[-5000:]
