"""From the page *Download* to a ranked bot, by the pages alone, with each Python that is here."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from documents import ROOT
from stranger_walk import Walk

pytestmark = [pytest.mark.timeout(1800), pytest.mark.xdist_group("end_to_end")]

# benchmarks/first_day.py keeps the ten minutes of a quiet machine; beside other tests it takes longer
PATIENCE = 1500.0
MAKES_ENVIRONMENTS = "import ensurepip, ssl, venv"


def interpreters():
    """Return an interpreter for each version from 3.11 to 3.14 that is here and can make environments."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for minor in range(11, 15):
        for candidate in (*pyenv.glob(f"3.{minor}.*/bin/python"), Path(f"/usr/bin/python3.{minor}")):
            tried = (
                subprocess.run([candidate, "-c", MAKES_ENVIRONMENTS], capture_output=True, check=False)
                if candidate.exists()
                else None
            )
            if tried and tried.returncode == 0:
                found[minor] = str(candidate)
    return list(found.values()) or [sys.executable]


*EARLIER, NEWEST = interpreters()


@pytest.fixture(scope="module")
def site(start_platform):
    """A platform as `make up` starts it: its main ladders play, and it offers the SDK."""
    with (
        tempfile.TemporaryDirectory(prefix="sk-e2e-") as folder,
        start_platform(folder, STICHKAMPF_LADDERS="1") as platform,
    ):
        offered = str(platform.installation.state / "download")
        # other Pythons take the pure wheel, which is there at once
        pure = {**os.environ, "STICHKAMPF_COMPILE": "0"}
        subprocess.run(["sh", "deploy/wheels.sh", "--site", offered], cwd=ROOT, env=pure, check=True)
        yield platform


@pytest.mark.parametrize(
    "python", [NEWEST, *(pytest.param(each, marks=pytest.mark.nightly) for each in EARLIER)]
)
def test_a_stranger_has_a_ranked_bot_by_the_pages_alone(site, python, tmp_path):
    walk = Walk(site.installation.address, python, tmp_path, PATIENCE)
    said = walk.to_a_ranked_bot()
    assert re.search(r"^\S+: Elo \d+ ±\d+; rank \d+", said, re.MULTILINE)
