"""Running as an unprivileged uid, with folders in reach that lie below a closed one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

UID = "61234"


@pytest.fixture
def closed():
    """A folder that only its owner may enter, with a checkout and a secret in it."""
    with tempfile.TemporaryDirectory(prefix="stichkampf-test-") as text:
        folder = Path(text)
        (folder / "deep").mkdir()
        checkout = folder / "deep" / "checkout"
        checkout.mkdir()
        (checkout / "file").write_text("in sight")
        (folder / "secret").write_text("out of sight")
        (folder / "deep" / "secret").write_text("out of sight")
        yield folder


def run_as(*arguments: object, cwd: Path = Path("/")) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-I",
        "-m",
        "stichkampf_arbiter.sandbox.run_as",
        "--uid",
        UID,
        *map(str, arguments),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=60)


@pytest.fixture
def seen(closed):
    """Run a command as an ordinary uid with a view into the closed folder; return its output."""

    def see(*command: object, view: Path = closed / "deep" / "checkout", cwd: Path = Path("/")) -> str:
        done = run_as("--view", view, "--", *command, cwd=cwd)
        if os.getuid() != 0:
            assert "only root can become another uid" in done.stderr
            return os.fsdecode(
                subprocess.run(list(map(str, command)), capture_output=True, check=False, cwd=cwd).stdout
            )
        return done.stdout

    return see


def test_a_file_below_a_closed_folder_is_read_under_its_own_path(seen, closed):
    assert seen("cat", closed / "deep" / "checkout" / "file") == "in sight"


def test_the_working_folder_stays_the_same(seen, closed):
    checkout = closed / "deep" / "checkout"
    assert seen("cat", "file", cwd=checkout) == "in sight"


def test_the_interpreter_and_its_packages_stay_in_reach(seen):
    code = "import stichkampf, stichkampf_arbiter, grpc; print('here')"
    assert seen(sys.executable, "-I", "-c", code) == "here\n"


def test_nothing_else_of_the_closed_folder_comes_into_sight(closed):
    checkout = closed / "deep" / "checkout"
    done = run_as("--view", checkout, "--", "find", closed)
    if os.getuid() == 0:
        assert set(done.stdout.split()) == {
            str(path) for path in (closed, closed / "deep", checkout, checkout / "file")
        }
    else:
        assert done.returncode == 2


def test_without_a_view_the_closed_folder_stays_closed(closed):
    done = run_as("--", "cat", closed / "deep" / "checkout" / "file")
    assert done.returncode != 0
    assert done.stdout == ""


def test_no_other_process_sees_the_view(closed):
    mounted = Path("/proc/self/mountinfo").read_text()
    run_as("--view", closed / "deep" / "checkout", "--", "true")
    assert Path("/proc/self/mountinfo").read_text() == mounted
    assert (closed / "secret").read_text() == "out of sight"


def test_a_view_that_is_closed_itself_is_opened_with_its_contents(seen, closed):
    assert seen("cat", closed / "secret", view=closed) == "out of sight"


def test_root_is_given_up_for_good():
    code = "import os; print(os.getresuid(), os.getresgid(), os.getgroups()); os.setuid(0)"
    done = run_as("--", sys.executable, "-I", "-c", code)
    if os.getuid() == 0:
        assert done.stdout == f"({UID}, {UID}, {UID}) ({UID}, {UID}, {UID}) []\n"
        assert "PermissionError" in done.stderr
    else:
        assert done.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--view", "/no/such/folder", "--", "true"), 2, "cannot show /no/such/folder: there is no such"),
        (("--", "/no/such/program"), 127, "No such file"),
        (("--", "/etc"), 126, "Permission denied"),
    ],
)
def test_a_command_that_cannot_be_run_is_named_in_one_line(arguments, status, words):
    done = run_as(*arguments)
    if os.getuid() == 0:
        assert done.returncode == status
        assert words in done.stderr
    assert done.stderr.startswith("run_as: ")
    assert done.stderr.count("\n") == 1


def test_no_command_runs_as_root():
    command = [sys.executable, "-I", "-m", "stichkampf_arbiter.sandbox.run_as", "--uid", "0", "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "run_as: " in done.stderr
