"""The set-up script on a small project: its error messages, and that it resumes."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("setup")]

ROOT = Path(__file__).parents[2]
TOOLS = [
    "awk",
    "cat",
    "cut",
    "date",
    "df",
    "dirname",
    "env",
    "flock",
    "grep",
    "id",
    "ls",
    "mkdir",
    "pwd",
    "rm",
    "sed",
    "sh",
    "sha256sum",
    "tail",
    "uname",
    "wc",
    "xargs",
]
NEEDED_BY_TESTS = ("openssl", "curl", "pgrep", "gawk", "ip", "systemd-analyze", "node")
NEEDED_BY_LONG_TESTS = (
    *("java", "g++", "grpc_cpp_plugin", "protoc", "pkg-config", "promtool"),
    *("firefox-esr", "WebKitWebDriver", "Xvfb"),
)
# An editable install needs a wheel with a name; this backend makes the smallest there is.
BACKEND = """
import tomllib, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    with open("pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]["name"]
    name = f"{project}-1-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        metadata = f"Metadata-Version: 2.1\\nName: {project}\\nVersion: 1\\n"
        wheel.writestr(f"{project}-1.dist-info/METADATA", metadata)
        wheel.writestr(f"{project}-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\n")
        wheel.writestr(f"{project}-1.dist-info/RECORD", "")
    return name
"""
COMPILES = """
import pathlib, sys

def sources():
    return ["rules.py"]

if __name__ == "__main__" and sys.argv[1:] != ["--clean"]:
    pathlib.Path("sdk/rules.so").write_text(pathlib.Path("sdk/rules.py").read_text())
    print("compiled")
"""
DOES_NOT_COMPILE = """
import sys

def sources():
    return ["rules.py"]

if __name__ == "__main__" and sys.argv[1:] != ["--clean"]:
    sys.exit("there is no C compiler")
"""


class Checkout:
    """A project small enough to be set up in seconds, on a machine whose commands the test chooses."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        self.commands = folder / "commands"
        self.commands.mkdir()
        self.first_words = ""
        for tool in TOOLS:
            (self.commands / tool).symlink_to(shutil.which(tool))
        for present in ("bwrap", "newuidmap", "mkfs.erofs", "redis-server", "cc", "chromium-headless-shell"):
            self.command(present, "exit 0")
        (self.root / "deploy" / "requirements").mkdir(parents=True)
        for script in ("setup.sh", "uv.py"):
            shutil.copy(ROOT / "deploy" / script, self.root / "deploy")
        for pins in ("setup", "build", "platform", "dev"):
            self.write(f"deploy/requirements/{pins}.txt", "")
        for folder, name in (("", "small"), ("platform/", "smaller")):
            self.write(f"{folder}backend.py", BACKEND)
            self.write(
                f"{folder}pyproject.toml",
                '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
                f'[project]\nname = "{name}"\nversion = "1"\n',
            )
        self.write("sdk/rules.py", "first")
        self.write("sdk/quick_bits.h", "")
        self.write("sdk/build_engine.py", COMPILES)
        self.write("platform/build_messages.py", "open('platform/messages.mo', 'w').close()\n")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def command(self, name: str, script: str) -> None:
        (self.commands / name).unlink(missing_ok=True)  # never through a link into the machine's own
        (self.commands / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.commands / name).chmod(0o755)

    def set_up(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "deploy/setup.sh", *arguments],
            cwd=self.root,
            env={
                "PATH": str(self.commands),
                "STICHKAMPF_PYTHON": sys.executable,
                "HOME": str(self.root),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path):
    """A checkout before any set-up."""
    return Checkout(tmp_path)


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A checkout that is set up once for several tests."""
    checkout = Checkout(tmp_path_factory.mktemp("ready"))
    result = checkout.set_up()
    assert result.returncode == 0, result.stdout + result.stderr
    assert "compiling the rules" in result.stdout
    checkout.first_words = result.stdout
    return checkout


def refusal(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr


def test_translations_are_compiled(ready):
    assert (ready.root / "platform/messages.mo").exists()


def test_a_second_set_up_does_nothing(ready):
    again = ready.set_up()
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_without_uv_pip_installs_the_project(ready):
    """No package is pinned here, uv neither."""
    assert "uv could not install them, so pip does" in ready.first_words
    listed = subprocess.run(
        [ready.root / ".venv/bin/python", "-m", "pip", "list"], check=True, capture_output=True, text=True
    )
    assert {"small", "smaller"} <= set(listed.stdout.split())


def test_changed_rules_are_compiled_again(ready):
    ready.write("sdk/rules.py", "second")
    assert "compiling the rules" in ready.set_up().stdout
    assert (ready.root / "sdk/rules.so").read_text() == "second"


def test_a_command_for_running_does_not_wait_while_the_rules_are_compiled(ready):
    ready.write("sdk/rules.py", "third")
    with (ready.root / "var/rules.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        meanwhile = ready.set_up("--for-running")
    assert (meanwhile.returncode, meanwhile.stdout, meanwhile.stderr) == (0, "", "")
    assert "compiling the rules" in ready.set_up("--rules").stdout
    assert (ready.root / "sdk/rules.so").read_text() == "third"


def test_without_a_compiler_the_rules_stay_interpreted_by_default(ready):
    ready.write("sdk/build_engine.py", DOES_NOT_COMPILE)
    result = ready.set_up()
    assert result.returncode == 0
    assert "the rules stay interpreted, which is right but slow: there is no C compiler" in result.stdout
    assert "there is no C compiler" in refusal(ready.set_up(STICHKAMPF_COMPILE="1"))
    ready.write("sdk/build_engine.py", COMPILES)


def test_an_ordinary_user_without_a_sandbox_gets_a_warning(ready):
    ready.command("id", "echo 1000")
    (ready.commands / "bwrap").unlink()
    result = ready.set_up()
    assert result.returncode == 0
    assert "going on without bubblewrap (no sandbox means no strangers' bots" in result.stdout


def test_running_needs_no_package_of_the_tests_and_leaves_the_rules_for_later(checkout):
    checkout.command("id", "echo 1000")
    (checkout.commands / "chromium-headless-shell").unlink()
    result = checkout.set_up("--for-running")
    assert result.returncode == 0, result.stderr
    assert "chromium" not in result.stdout
    assert "compiling" not in result.stdout
    assert not (checkout.root / "sdk/rules.so").exists()
    later = checkout.set_up("--rules")
    assert later.returncode == 0, later.stderr
    assert "the rules are compiled, after" in later.stdout
    assert checkout.set_up("--for-running").stdout == ""
    assert (checkout.root / "sdk/rules.so").exists()


def test_an_incomplete_environment_is_made_again(checkout):
    checkout.write(".venv/pyvenv.cfg", "half of it")
    checkout.write(".venv/bin/python", "")
    result = checkout.set_up()
    assert result.returncode == 0, result.stdout + result.stderr
    assert (
        subprocess.run([checkout.root / ".venv/bin/python", "-c", "import pip"], check=False).returncode == 0
    )


def test_without_a_suitable_python_the_message_says_how_to_get_one(checkout):
    line = refusal(checkout.set_up(STICHKAMPF_PYTHON="python-of-nowhere"))
    assert "no Python from 3.11 on" in line
    assert "apt-get install python3 python3-venv" in line


def test_an_ordinary_user_learns_what_the_tests_need_from_root(checkout):
    checkout.command("id", "echo 1000")
    (checkout.commands / "chromium-headless-shell").unlink()
    line = refusal(checkout.set_up("--for-tests"))
    packages = "chromium-headless-shell fonts-dejavu-core"
    assert f"as root: apt-get install --no-install-recommends {packages}" in line


def test_an_ordinary_user_is_told_of_all_that_is_missing_at_once(checkout):
    checkout.command("id", "echo 1000")
    checkout.command("python3", f'case "$*" in *ensurepip*) exit 1 ;; esac; exec {sys.executable} "$@"')
    (checkout.commands / "bwrap").unlink()
    line = refusal(checkout.set_up("--for-running", STICHKAMPF_PYTHON="python3"))
    assert "cannot make virtual environments" in line
    assert "as root: apt-get install --no-install-recommends python3-venv bubblewrap" in line


def test_style_is_checked_with_python_packages_alone(checkout):
    checkout.command("id", "echo 1000")
    for absent in ("bwrap", "cc", "chromium-headless-shell", "redis-server"):
        (checkout.commands / absent).unlink()
    result = checkout.set_up("--for-lint")
    assert (result.returncode, result.stderr) == (0, "")
    assert "without" not in result.stdout
    assert not (checkout.root / "sdk/rules.so").exists()


def test_what_only_the_long_part_needs_is_not_asked_for_by_the_short_one(checkout):
    for program in NEEDED_BY_TESTS:
        checkout.command(program, "exit 0")
    result = checkout.set_up("--for-tests")
    assert (result.returncode, result.stderr) == (0, "")
    assert "without" not in result.stdout
    assert "npm default-jre-headless g++" in refusal(checkout.set_up("--for-long-tests"))


def test_what_only_some_tests_need_and_cannot_be_made_does_not_end_it(checkout):
    for program in (*NEEDED_BY_TESTS, *NEEDED_BY_LONG_TESTS):
        checkout.command(program, "exit 0")
    for program in ("npm", "make"):
        checkout.command(program, f"echo {program} cannot; exit 1")
    for example in ("javascript", "cpp"):
        checkout.write(f"examples/{example}/build/bot", "an older one")
    checkout.write("examples/javascript/package.json", "{}")
    result = checkout.set_up("--for-long-tests")
    assert result.returncode == 0, result.stderr
    for named, place, program in (
        ("examples/javascript", "examples/javascript/build", "npm"),
        ("examples/cpp", "examples/cpp/build", "make"),
        ("the HTML validator and pyright", "tests/markup/node_modules", "npm"),
    ):
        assert f"going on without {named}, whose tests fail: {program} cannot" in result.stdout
        assert (checkout.root / place / "failed").read_text() == f"{program} cannot\n"
    assert not (checkout.root / "examples/cpp/build/bot").exists()


def test_a_full_disk_is_reported(checkout):
    checkout.command("df", "echo Filesystem; echo / 1000 990 10 99% /")
    assert "10 MB are free. Make room" in refusal(checkout.set_up())


def test_without_a_network_the_message_says_what_to_check(checkout):
    checkout.write("deploy/requirements/dev.txt", f"a-package-of-nowhere==1 --hash=sha256:{'0' * 64}\n")
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}
    line = refusal(checkout.set_up(**nowhere))
    assert "a package could not be fetched. Check the network" in line
