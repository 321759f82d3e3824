"""An enclosure for a command: a root, mounts, processes, devices, shared memory and groups of its own.

Nothing of it is left when the command has ended, or the program that began it.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
LOOP_CONTROL = "/dev/loop-control"
LOOP_DEVICES = 64
LOOP_MAJOR = 7
DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "fd/0",
    "stdout": "fd/1",
    "stderr": "fd/2",
    "ptmx": "pts/ptmx",
}
TIED = ("setpriv", "--pdeathsig", "KILL")
NAMESPACES = (
    *TIED,
    *["unshare", "--mount", "--pid", "--ipc", "--cgroup", "--fork", "--kill-child", "sh", "-c"],
)
"""Namespaces that end with the process that made them."""
LAST_SECONDS = 60
"""Time that a command has to end after Ctrl-C, and its processes and groups to vanish."""


def enclosed(root: Path, line: str, *, shown: Sequence[Path] = ()) -> int:
    """Run a line of shell in a root and groups of its own, and return its exit status.

    Ctrl-C reaches the command too, which has a minute to end by itself.

    :param shown: folders of this machine that it sees at the same place, read-only.
    """
    groups = make_groups(root.name)
    child = None
    # a handler, which unlike a mask or neglect the command does not inherit
    signal.signal(signal.SIGINT, lambda *_: signal.alarm(LAST_SECONDS))
    signal.signal(signal.SIGALRM, lambda *_: child and child.kill())
    try:
        joins = [f"echo $$ >{shlex.quote(str(group / 'cgroup.procs'))}" for group in groups]
        script = "\n".join(["set -e", *mounting(root, shown), f"exec chroot . {line}"])
        outer = "\n".join(["set -e", *joins, f"exec {shlex.join([*NAMESPACES, script])}"])
        child = subprocess.Popen([*TIED, "sh", "-c", outer])
        status = child.wait()
        return status if status >= 0 else 128 - status
    finally:
        if child is not None:
            child.kill()
        remove_groups(groups)
        if child is not None:
            child.wait()


def mounting(root: Path, shown: Sequence[Path]) -> Iterator[str]:
    """Yield lines of shell that make a folder the root of a mount namespace, and mount what a system has."""
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
    if Path(LOOP_CONTROL).exists():
        yield f"touch .{LOOP_CONTROL}; mount --bind {LOOP_CONTROL} .{LOOP_CONTROL}"
        yield from (f"mknod dev/loop{number} b {LOOP_MAJOR} {number}" for number in range(LOOP_DEVICES))
    for name, text in DEVICE_LINKS.items():
        yield f"ln -s {text} dev/{name}"
    for folder in map(str, shown):
        yield f"mkdir -p {shlex.quote(f'.{folder}')}"
        yield f"mount --bind {shlex.quote(folder)} {shlex.quote(f'.{folder}')}"
        yield f"mount -o remount,bind,ro {shlex.quote(f'.{folder}')}"
    # the first leaves no other mount; the second does where util-linux brings no pivot_root
    yield "if command -v pivot_root >/dev/null; then pivot_root . .; umount -l .; cd /"
    yield "else mount --move . /; fi"


def hierarchies() -> Iterator[tuple[str, str, str, Path]]:
    """Yield the control groups of this machine: mounted where, file system, controllers, own place."""
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
