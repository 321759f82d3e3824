"""The tests of the platform that concern the database, on PostgreSQL."""

import os
import subprocess
import sys

import pytest
from stichkampf_platform.supervisor.installation import checkout

AREAS = ("api", "bots", "people", "ratings", "tournaments")


@pytest.mark.timeout(1800)
def test_the_platform_keeps_its_promises_on_postgresql(postgresql, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["DATABASE_URL"] = f"{postgresql}postgres"
    command = [sys.executable, "-m", "pytest", "-q", "--timeout=600", "-p", "no:cacheprovider"]
    # what these say of a real arbiter is the same on any database; test_stranger.py goes all the way on both
    command += ["--ignore", "tests/platform/bots/validation/test_run.py"]
    command += ["--ignore", "tests/platform/tournaments/running/test_starved_bot.py"]
    command += [f"tests/platform/{area}" for area in AREAS]
    said = tmp_path / "said"
    with said.open("wb") as output:
        suite = subprocess.run(
            command, cwd=checkout(), env=environment, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    assert suite.returncode == 0, said.read_text()[-5000:]
