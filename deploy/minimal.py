"""Run a command in a minimal Debian system, in a clone of the last commit: `make minimal`, as root.

    python3 deploy/minimal.py [--release bookworm] COMMAND…

Debian's mmdebstrap makes the system of what every Debian has and the packages that README asks for. It is
enclosed, but for this machine's network, and its environment says nothing but how this machine gets packages.
When the command ends, or this program is killed, all of it is gone.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from enclosure import NAMESPACES, enclosed, hierarchies, remove_groups
from image import LOCAL_FOLDER, LOCAL_INDEX, apt_settings, call, step

ROOT = Path(__file__).parents[1]
RELEASES = ("bookworm", "trixie", "unstable")
UNSTABLE = "unstable"
PACKAGES = ("python3", "git", "make", "ca-certificates")
PREFIX = "sk-minimal-"
HOME = "root"
CLONE = f"{HOME}/stichkampf"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PASSED_ON = re.compile(
    r"\w+_PROXY|(PIP|UV|NPM_CONFIG|OPENBLAS)_\w+|SSL_CERT_\w+|\w+_CA_?(CERTS|BUNDLE|INFO)", re.IGNORECASE
)
"""Variables that say how packages come to this machine, and how its processor computes."""
SETTINGS = (
    *("/etc/pip.conf", "/etc/xdg/pip/pip.conf", "~/.config/pip/pip.conf", "~/.pip/pip.conf"),
    *("/etc/npmrc", "/usr/etc/npmrc", "~/.npmrc"),
    *("/etc/apt/auth.conf", "/etc/hosts", "/etc/resolv.conf"),
)
"""Files of this machine that say how packages come to it, as far as they are there."""
NAMED_FILE = re.compile(r"(?<![\w/.:-])/[^\s,;\"']+")
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
ONE_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----\n", re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--release", choices=RELEASES, default=RELEASES[0])
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command to run, in the clone")
    given = parser.parse_args()
    if not given.command:
        parser.error("name the command to run, such as make up")
    if os.geteuid() != 0:
        sys.exit("minimal: only root may make a system with mounts and groups of its own; run this as root")
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    try:
        with own_folder() as folder:
            with step(f"Debian {given.release} of its packages", "minimal"):
                make_system(given.release, folder)
            return run(folder, given.command, environment_here())
    except subprocess.CalledProcessError as error:
        sys.exit(f"minimal: {shlex.join(map(str, error.cmd[:3]))} … ended with {error.returncode}")
    except KeyboardInterrupt:
        return 130


@contextmanager
def own_folder() -> Iterator[Path]:
    """Give a folder that is removed at the end, and remove those of programs that were killed."""
    place = Path(os.environ.get("TMPDIR", "/var/tmp"))
    for left in place.glob(f"{PREFIX}*"):
        with suppress(BlockingIOError), locked(left):
            remove(left)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    folder.chmod(0o755)
    with locked(folder):
        try:
            yield folder
        finally:
            with patience():
                remove(folder)


@contextmanager
def patience() -> Iterator[None]:
    """Ignore what asks this program to end."""
    before = {asked: signal.signal(asked, signal.SIG_IGN) for asked in ENDINGS}
    try:
        yield
    finally:
        for asked, handler in before.items():
            signal.signal(asked, handler)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    file = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(file)


def remove(folder: Path) -> None:
    """Remove a folder and the groups of its name."""
    remove_groups([above / folder.name for *_, above in hierarchies()])
    subprocess.run(["rm", "-rf", "--one-file-system", folder], start_new_session=True, check=False)


def make_system(release: str, root: Path) -> None:
    """Fill a folder with a minimal system that gets packages as this machine does, and a clone."""
    if shutil.which("mmdebstrap") is None:
        if shutil.which("apt-get") is None:
            sys.exit("minimal: this needs Debian's package mmdebstrap, and there is no apt-get to install it")
        call("apt-get", "-qq", "update")
        call("apt-get", "-qq", "install", "--yes", "--no-install-recommends", "mmdebstrap")
    options = [f"--aptopt={line}" for line in apt_settings()]
    words = ["--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", *options]
    call(*isolated(["mmdebstrap", *words, release, str(root), *sources(release)]))
    for name in settings_here():
        inside = root / str(Path(name.replace("~", f"/{HOME}", 1))).lstrip("/")
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.unlink(missing_ok=True)
        shutil.copy(Path(name).expanduser(), inside)
    add_certificates(root)
    if call("git", "-C", ROOT, "status", "--porcelain"):
        print("minimal: what is not committed here is not in it", flush=True)
    call("git", "clone", "--quiet", "--no-hardlinks", ROOT, root / CLONE)


def isolated(words: list[str]) -> list[str]:
    """Have a command and all that it starts end with this program."""
    return [*NAMESPACES, f"mount -t proc proc /proc; {shlex.join(words)}; exit $?"]


def sources(release: str) -> list[str]:
    """Return apt's sources for a release, from the mirrors of Debian that this machine uses."""
    here = re.search(r"^VERSION_CODENAME=(\S+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    told = call("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
    return sources_from(told, here[1] if here else "", release)


def sources_from(told: str, here: str, release: str) -> list[str]:
    """
    :param told: a line for each source of this machine, address and suite.
    :param here: the release that this machine runs, such as `bookworm`; suites like `bookworm-security` are
        its too.
    """
    found = {}
    for line in told.splitlines():
        address, suite = line.split()
        kind = suite.removeprefix(here)
        if suite.startswith(here) and (not kind or (kind.startswith("-") and release != UNSTABLE)):
            found[f"deb {address} {release}{kind} main"] = None
    return list(found)


def settings_here() -> list[str]:
    """Return this machine's files that say how packages come to it."""
    said = [*SETTINGS, *map(str, Path("/etc/apt/auth.conf.d").glob("*")), *environment_here().values()]
    found = [name for name in said if Path(name).expanduser().is_file()]
    texts = [Path(name).expanduser().read_text() for name in found if name.endswith(("pip.conf", "npmrc"))]
    found += [path for text in texts for path in NAMED_FILE.findall(text) if os.path.isfile(path)]
    return [name for name in found if name != f"/{CERTIFICATES}"]


def add_certificates(root: Path) -> None:
    """Have the system trust whom this machine trusts, once `update-ca-certificates` has run in it."""
    inside = set(ONE_CERTIFICATE.findall((root / CERTIFICATES).read_text()))
    here = Path("/", CERTIFICATES)
    for number, one in enumerate(ONE_CERTIFICATE.findall(here.read_text()) if here.exists() else ()):
        if one not in inside:
            (root / f"usr/local/share/ca-certificates/this-machine-{number}.crt").write_text(one)


def environment_here() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}


def folders_of_packages() -> list[Path]:
    """Return this machine's folders from which pip takes packages."""
    told = [value for name, value in environment_here().items() if name.startswith(("PIP_", "UV_"))]
    told += [Path(name).expanduser().read_text() for name in settings_here() if name.endswith("pip.conf")]
    text = " ".join(told)
    # an index of files lies beside the folder with the files that it names
    folders = {Path(path).parent for path in LOCAL_INDEX.findall(text)}
    return sorted(folders | {Path(path) for path in LOCAL_FOLDER.findall(text) if Path(path).is_dir()})


def run(root: Path, command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command in the clone; return its exit status."""
    said = {"PATH": PATH, "HOME": f"/{HOME}", "TERM": os.environ.get("TERM", "dumb"), **environment}
    words = ["env", "-i", *(f"{name}={value}" for name, value in said.items()), "sh", "-c"]
    inner = f"update-ca-certificates >/dev/null 2>&1; cd /{CLONE} && {shlex.join(command)}; exit $?"
    return enclosed(root, shlex.join([*words, inner]), shown=folders_of_packages())


if __name__ == "__main__":
    sys.exit(main())
