"""The minimal Debian system in which README's commands are tried: how it gets packages, and its enclosure."""

from __future__ import annotations

import importlib
import os
import secrets
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from support import SECONDS, wait_until

DEPLOY = Path(__file__).parents[2] / "deploy"
ENCLOSE = """
import pathlib, sys
from enclosure import enclosed
sys.exit(enclosed(pathlib.Path(sys.argv[1]), sys.argv[2], shown=[pathlib.Path("/usr")]))
"""
SOURCES = """http://127.0.0.1:1/debian/ bookworm
http://127.0.0.1:1/debian/ bookworm-updates
http://127.0.0.1:2/security/ bookworm-security
http://127.0.0.1:3/tools/ stable
"""
CERTIFICATE = "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n"
LOOK = """
ls -d /proc/[0-9]* | wc -l
ls /dev/shm | wc -l
grep -vc :/$ /proc/self/cgroup
echo here >/file
mkdir "$(ls -d /sys/fs/cgroup/* | head -n 1)/below"
touch /usr/file 2>/dev/null || exit 7
"""
STAYS = "trap 'exit 5' INT; echo ready; while :; do sleep 0.1; done"


@pytest.fixture
def minimal(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program with its neighbours, which are modules only for programs of that folder."""
    monkeypatch.syspath_prepend(DEPLOY)
    return importlib.import_module("minimal")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that is a whole system where the programs of this machine are shown in it."""
    made = tmp_path / f"sk-minimal-{secrets.token_hex(8)}"
    (made / "usr").mkdir(parents=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        (made / name).symlink_to(f"usr/{name}")
    return made


@contextmanager
def enclosed(root: Path, line: str) -> Iterator[subprocess.Popen[str]]:
    """Run a line in the enclosure, and wait for its end; it is killed where a test fails."""
    command = [sys.executable, "-c", ENCLOSE, root, f"sh -c {shlex.quote(line)}"]
    run = subprocess.Popen(command, cwd=DEPLOY, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield run
        run.communicate(timeout=SECONDS)
    finally:
        run.kill()
        run.communicate()


def groups_of(root: Path) -> list[Path]:
    return [Path(folder) for folder, _, _ in os.walk("/sys/fs/cgroup") if Path(folder).name == root.name]


def processes_in(root: Path) -> list[str]:
    return [pid for group in groups_of(root) for pid in (group / "cgroup.procs").read_text().split()]


def test_an_enclosed_command_sees_its_own_system_and_gives_its_exit_status(root):
    with enclosed(root, LOOK) as run:
        processes, shared, foreign = map(int, run.stdout.read().split())
    assert (run.returncode, shared, foreign) == (7, 0, 0)
    assert processes < 6
    assert (root / "file").read_text() == "here\n"
    assert not Path("/file").exists()
    assert groups_of(root) == []


def test_ctrl_c_reaches_the_command_which_may_end_by_itself(root):
    with enclosed(root, STAYS) as run:
        assert run.stdout.readline() == "ready\n"
        os.killpg(run.pid, signal.SIGINT)
    assert run.returncode == 5
    assert groups_of(root) == []


def test_nothing_outlives_the_program_and_the_next_one_removes_its_files(minimal, root, monkeypatch):
    with enclosed(root, STAYS) as run:
        assert run.stdout.readline() == "ready\n"
        assert processes_in(root)
        run.kill()
    wait_until(lambda: not processes_in(root), goal="the command has ended too")
    monkeypatch.setenv("TMPDIR", str(root.parent))
    with minimal.own_folder() as other:
        assert other.parent == root.parent
        assert not root.exists()
    assert [*root.parent.glob("sk-minimal-*")] == []
    assert groups_of(root) == []


def test_a_folder_in_use_is_left_alone(minimal, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with minimal.own_folder() as one, minimal.own_folder():
        assert one.exists()


def test_signals_mean_after_it_what_they_meant_before(minimal, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = [signal.getsignal(asked) for asked in minimal.ENDINGS]
    with minimal.own_folder():
        pass
    assert [signal.getsignal(asked) for asked in minimal.ENDINGS] == before


@pytest.mark.parametrize(
    ("release", "suites"),
    [
        ("bookworm", ["bookworm", "bookworm-updates", "bookworm-security"]),
        ("trixie", ["trixie", "trixie-updates", "trixie-security"]),
        ("unstable", ["unstable"]),
    ],
)
def test_packages_come_from_this_machines_mirrors_of_debian(minimal, release, suites):
    addresses = ["http://127.0.0.1:1/debian/", "http://127.0.0.1:1/debian/", "http://127.0.0.1:2/security/"]
    wanted = [f"deb {address} {suite} main" for address, suite in zip(addresses, suites, strict=False)]
    assert minimal.sources_from(SOURCES, "bookworm", release) == wanted


def test_without_a_mirror_of_debian_its_own_are_used(minimal):
    assert minimal.sources_from("http://127.0.0.1:1/ noble\n", "noble-is-not-it", "trixie") == []


def test_variables_about_packages_are_passed_on_and_no_others(minimal, monkeypatch):
    passed = {"https_proxy", "NO_PROXY", "PIP_INDEX_URL", "npm_config_registry", "REQUESTS_CA_BUNDLE"}
    passed |= {"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "UV_INDEX"}
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name in (*passed, "PATH", "CI", "PYTHONPATH", "VIRTUAL_ENV", "STICHKAMPF_PORT", "LANG"):
        monkeypatch.setenv(name, "value")
    assert minimal.environment_here().keys() == passed


def test_files_that_settings_name_come_along_and_folders_of_packages_are_shown(
    minimal, tmp_path, monkeypatch
):
    constraints, wheels, index = (
        tmp_path / "constraints.txt",
        tmp_path / "wheels",
        tmp_path / "mirror" / "simple",
    )
    for folder in (wheels, index):
        folder.mkdir(parents=True)
    constraints.touch()
    settings = tmp_path / "pip.conf"
    settings.write_text(f"[global]\nconstraint = {constraints}\nlinks = {wheels}\nindex = file://{index}\n")
    monkeypatch.setattr(minimal, "SETTINGS", (str(settings), "~/.no-such-file"))
    monkeypatch.setattr(minimal, "environment_here", lambda: {"PIP_CERT": str(tmp_path / "absent.pem")})
    assert set(minimal.settings_here()) >= {str(settings), str(constraints)}
    assert minimal.folders_of_packages() == [index.parent, wheels]


def test_only_certificates_that_debian_lacks_are_added(minimal, tmp_path, monkeypatch):
    monkeypatch.setattr(minimal, "CERTIFICATES", f"{tmp_path}/bundle.crt".lstrip("/"))
    Path(tmp_path, "bundle.crt").write_text(CERTIFICATE.format("known") + CERTIFICATE.format("own"))
    root = tmp_path / "root"
    bundle = root / minimal.CERTIFICATES
    bundle.parent.mkdir(parents=True)
    bundle.write_text(CERTIFICATE.format("known"))
    added = root / "usr/local/share/ca-certificates"
    added.mkdir(parents=True)
    minimal.add_certificates(root)
    assert [path.read_text() for path in added.iterdir()] == [CERTIFICATE.format("own")]


def test_without_root_it_says_so_and_fails(minimal, monkeypatch):
    monkeypatch.setattr(minimal.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["minimal.py", "make", "up"])
    with pytest.raises(SystemExit, match="only root may make a system"):
        minimal.main()
