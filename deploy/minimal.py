"""Run a command in a minimal Debian system, in a clone of the last commit: `make minimal`, as root.

    python3 deploy/minimal.py [--release bookworm] COMMAND…

Debian's mmdebstrap makes the system of what every Debian has and the packages that README asks for. It has its
own root, mounts, processes, devices, shared memory and control groups, this machine's network, and an environment
of nothing but how this machine gets packages. When the command ends, or this program is killed, all of it is gone.
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
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

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
SETTINGS = ("/etc/pip.conf", "/etc/xdg/pip/pip.conf", "~/.config/pip/pip.conf", "~/.pip/pip.conf")
SETTINGS += (
    "/etc/npmrc",
    "/usr/etc/npmrc",
    "~/.npmrc",
    "/etc/apt/auth.conf",
    "/etc/hosts",
    "/etc/resolv.conf",
)
NAMED_FILE = re.compile(r"(?<![\w/.:-])/[^\s,;\"']+")
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
ONE_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----\n", re.DOTALL)
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "fd/0",
    "stdout": "fd/1",
    "stderr": "fd/2",
    "ptmx": "pts/ptmx",
}
ENCLOSE = "setpriv --pdeathsig KILL unshare --mount --pid --ipc --cgroup --fork --kill-child sh -c".split()
"""Makes the namespaces, which end with the process that made them."""
LAST_SECONDS = 60.0
"""Time that a command has to end after Ctrl-C, and its processes and groups to vanish."""


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
            remove(folder)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    file = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(file)


def remove(folder: Path) -> None:
    """Remove a folder and the groups of its name, even when Ctrl-C is pressed again."""
    remove_groups([Path(mounted) / folder.name for mounted, *_ in hierarchies()])
    subprocess.run(["rm", "-rf", "--one-file-system", folder], start_new_session=True, check=False)


# The system -----------------------------------------------------------------------------------------


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
    return [*ENCLOSE, f"mount -t proc proc /proc; {shlex.join(words)}; exit $?"]


def sources(release: str) -> list[str]:
    """Return apt's sources for a release, from the mirrors of Debian that this machine uses."""
    here = re.search(r"^VERSION_CODENAME=(\S+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    told = call("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
    return sources_from(told, here[1] if here else "", release)


def sources_from(told: str, here: str, release: str) -> list[str]:
    """
    :param told: a line for each source of this machine, address and suite.
    :param here: the release that this machine runs, such as `bookworm`, of which there is `bookworm-security` too.
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


# The enclosure --------------------------------------------------------------------------------------


def run(root: Path, command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command in the clone; return its exit status."""
    said = {"PATH": PATH, "HOME": f"/{HOME}", "TERM": os.environ.get("TERM", "dumb"), **environment}
    words = ["env", "-i", *(f"{name}={value}" for name, value in said.items()), "sh", "-c"]
    inner = f"update-ca-certificates >/dev/null 2>&1; cd /{CLONE} && {shlex.join(command)}; exit $?"
    return enclosed(root, shlex.join([*words, inner]), shown=folders_of_packages())


def enclosed(root: Path, line: str, *, shown: Sequence[Path] = ()) -> int:
    """Run a line of shell in a root and groups of its own, and return its exit status.

    Ctrl-C reaches the command too, which has a minute to end by itself.

    :param shown: folders of this machine that it sees at the same place, read-only.
    """
    groups = make_groups(root.name)
    child = None
    try:
        joins = [f"echo $$ >{shlex.quote(str(group / 'cgroup.procs'))}" for group in groups]
        script = "\n".join(["set -e", *mounting(root, shown), f"exec {line}"])
        outer = "\n".join(["set -e", *joins, f"exec {shlex.join([*ENCLOSE, script])}"])
        child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "sh", "-c", outer])
        try:
            status = child.wait()
        except KeyboardInterrupt:
            status = child.wait(LAST_SECONDS)
        return status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        return 130
    finally:
        if child is not None:
            child.kill()
        remove_groups(groups)
        if child is not None:
            child.wait()


def mounting(root: Path, shown: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of shell that make a folder the root of a mount namespace, and mount what a system has."""
    yield f"mount --bind {shlex.quote(str(root))} {shlex.quote(str(root))}"
    yield f"cd {shlex.quote(str(root))}"
    yield "mkdir -p proc sys dev run"
    yield "mount -t proc proc proc"
    yield "mount -t sysfs sysfs sys"
    found = list(hierarchies())
    if all(mounted != "/sys/fs/cgroup" for mounted, *_ in found):
        yield "mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup"
    for mounted, kind, names, _ in found:
        yield f"mkdir -p .{mounted}"
        yield f"mount -t {kind} {f'-o {names} ' if names else ''}{kind} .{mounted}"
    yield "mount -t tmpfs -o mode=755 tmpfs dev"
    yield "mkdir dev/pts dev/shm"
    yield "mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts"
    yield "mount -t tmpfs -o mode=1777 tmpfs dev/shm"
    for name in DEVICES:
        yield f"touch dev/{name}; mount --bind /dev/{name} dev/{name}"
    for name, text in DEVICE_LINKS.items():
        yield f"ln -s {text} dev/{name}"
    for folder in map(str, shown):
        yield f"mkdir -p {shlex.quote(f'.{folder}')}"
        yield f"mount --bind {shlex.quote(folder)} {shlex.quote(f'.{folder}')}"
        yield f"mount -o remount,bind,ro {shlex.quote(f'.{folder}')}"
    yield "pivot_root . ."
    yield "umount -l ."
    yield "cd /"


def hierarchies() -> Iterator[tuple[str, str, str, Path]]:
    """Yield the control groups of this machine: mount point, file system, controllers, where own groups go."""
    own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        above, mounted = left.split()[3:5]
        kind, _, options = right.split()[:3]
        if kind == "cgroup2":
            # in a group that holds processes too, no controller is handed down
            yield mounted, kind, "", Path(mounted)
        elif kind == "cgroup":
            given = set(options.split(","))
            for names, path in own.items():
                if names and "=" not in names and set(names.split(",")) <= given:
                    yield mounted, kind, names, Path(mounted, os.path.relpath(path, above))


def make_groups(name: str) -> list[Path]:
    """Make a group in each hierarchy."""
    groups = []
    for _, kind, _, above in hierarchies():
        if kind == "cgroup2":
            with suppress(OSError):
                (above / "cgroup.subtree_control").write_text("+cpu +memory +pids")
        group = above / name
        group.mkdir()
        for file in ("cpuset.cpus", "cpuset.mems"):
            if kind == "cgroup" and (above / file).exists():
                (group / file).write_text((above / file).read_text())
        groups.append(group)
    return groups


def remove_groups(groups: Sequence[Path]) -> None:
    """Remove groups and all below them, as soon as their processes, which frozen do not die, are gone."""
    deadline = time.monotonic() + LAST_SECONDS
    while (left := [group for group in groups if group.exists()]) and time.monotonic() < deadline:
        for group in left:
            with suppress(OSError):
                for folder, _, files in os.walk(group):
                    if "freezer.state" in files:
                        Path(folder, "freezer.state").write_text("THAWED")
            for folder, _, _ in os.walk(group, topdown=False):
                with suppress(OSError):
                    os.rmdir(folder)
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
