"""A launcher with protections taken away, so that a test can see what each of them holds.

What is taken away is named, or is a weakening in a file: the path of a Python file that defines `weaken()`,
which replaces what it likes in the modules of the launcher before that begins.

No self-test stands before it (unless asked for), and its bots share one throwaway uid with a victim that it
starts, where `uid` is taken away. Bots of it are never uid 0, on the machine or inside.
"""

from __future__ import annotations

import argparse
import atexit
import ctypes
import dataclasses
import functools
import os
import runpy
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyseccomp
from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.cgroups import v1, v2
from stichkampf_arbiter.sandbox.cgroups.files import CgroupUnusable
from stichkampf_arbiter.sandbox.contract import SandboxError, SandboxLevel
from stichkampf_arbiter.sandbox.isolation import bubblewrap, bubblewrap_options, rlimits, syscalls
from stichkampf_arbiter.sandbox.isolation.asked_calls import StatusProcess
from stichkampf_arbiter.sandbox.isolation.bubblewrap import Bubblewrap
from stichkampf_arbiter.sandbox.isolation.bubblewrap_options import INSIDE_UID
from stichkampf_arbiter.sandbox.isolation.mount_tree import MountTree
from stichkampf_arbiter.sandbox.isolation.runtime import SandboxSpec, StartedSandbox
from stichkampf_arbiter.sandbox.launcher import main as launcher
from stichkampf_arbiter.sandbox.launcher.main import PreparedLauncher
from stichkampf_arbiter.sandbox.programs import images, packed
from stichkampf_arbiter.sandbox.programs.parts import CopiedPath, RuntimePart
from stichkampf_arbiter.sandbox.uids import UidPool

VICTIM_SECONDS = "600"
Arguments = list[str]


def drop(arguments: Arguments, *unwanted: str) -> Arguments:
    """Without the first appearance of these neighbouring arguments."""
    size = len(unwanted)
    for start in range(len(arguments) - size + 1):
        if tuple(arguments[start : start + size]) == unwanted:
            return arguments[:start] + arguments[start + size :]
    raise SystemExit(f"the sandbox is not made with {unwanted}: this test would prove nothing")


def add(arguments: Arguments, *wanted: str) -> Arguments:
    """Before the root is sealed."""
    start = len(arguments) - arguments[::-1].index("--remount-ro") - 1
    return [*arguments[:start], *wanted, *arguments[start:]]


def no_pid_namespace(arguments: Arguments) -> Arguments:
    return add(drop(arguments, "--unshare-pid"), "--ro-bind", "/proc", "/proc")


def writable_bot_folder(arguments: Arguments) -> Arguments:
    start = arguments.index("/bot") - 2
    return [*arguments[:start], "--bind", *arguments[start + 1 :]]


def unsized_tmp(arguments: Arguments) -> Arguments:
    start = arguments.index("/tmp", arguments.index("--perms")) - 3
    assert arguments[start] == "--size"
    return arguments[:start] + arguments[start + 2 :]


def all_bot_folders(arguments: Arguments) -> Arguments:
    bot_folder = arguments[arguments.index("/bot") - 1]
    return add(arguments, "--ro-bind", os.path.dirname(bot_folder), "/bots")


ARGUMENTS: dict[str, Callable[[Arguments], Arguments]] = {
    "pid": no_pid_namespace,
    "net": lambda old: drop(old, "--unshare-net"),
    "ipc": lambda old: drop(old, "--unshare-ipc"),
    "userns": lambda old: drop(old, "--disable-userns"),
    "capabilities": lambda old: [*drop(old, "--cap-drop", "ALL"), "--cap-add", "ALL"],
    "root": lambda old: drop(old, "--remount-ro", "/"),
    "proc": lambda old: add(old, "--proc", "/proc"),
    "files": lambda old: add(old, "--ro-bind", "/var/tmp", "/var/tmp"),
    "machine": lambda old: add(old, "--ro-bind", "/", "/machine"),
    "devices": lambda old: add(old, "--dev-bind", "/dev", "/dev"),
    "tmp": lambda old: add(old, "--bind", "/var/tmp", "/tmp"),
    "size": unsized_tmp,
    "bot folder": writable_bot_folder,
    "bot folders": all_bot_folders,
}


def weaken(taken: set[str]) -> None:
    """Replace what is named in the modules that make sandboxes."""
    strong = bubblewrap_options.arguments

    def weak(**settings: Any) -> Arguments:
        arguments = strong(**settings)
        for name in sorted(taken & ARGUMENTS.keys()):
            arguments = ARGUMENTS[name](arguments)
        return arguments

    bubblewrap_options.arguments = weak
    files = {name for name in taken if name.endswith(".py")}
    for path in sorted(files):
        runpy.run_path(path)["weaken"]()
    unknown = taken - ARGUMENTS.keys() - OTHERS.keys() - files
    if unknown:
        raise SystemExit(f"no such protection: {unknown}")
    for name in taken & OTHERS.keys():
        OTHERS[name]()


def no_seccomp() -> None:
    wall = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    # Without this, a foreign architecture would still be answered with the end of the process.
    wall.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.ALLOW)
    syscalls.make_filter = lambda: wall


def no_cgroup() -> None:
    def refuse(*_: object) -> None:
        raise CgroupUnusable("taken away")

    launcher.open_driver = refuse


def no_rlimits() -> None:
    rlimits.options = lambda limits, *, in_group: []


def no_empty_environment() -> None:
    strong = subprocess.Popen

    def weak(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        return strong(*arguments, **{**options, "env": {**os.environ, "ARBITERS_OWN": "secret"}})

    bubblewrap.subprocess.Popen = weak


def one_uid() -> None:
    UidPool.take = lambda pool: shared_uid()


def one_user_namespace() -> None:
    """Bots live in the user namespace of the victim, which maps a second throwaway uid beside theirs."""
    proc, uid = Path(f"/proc/{victim().pid}"), shared_uid()
    for kind in ("uid_map", "gid_map"):
        (proc / kind).write_text(f"{INSIDE_UID} {uid} 1\n{INSIDE_UID + 1} {uid + 1} 1\n")
    namespace = os.open(proc / "ns/user", os.O_RDONLY)
    strong, popen = bubblewrap_options.arguments, subprocess.Popen

    def weak(**settings: Any) -> Arguments:
        alone = drop(drop(strong(**settings), "--unshare-user"), "--disable-userns")
        return [*alone, "--userns", str(namespace)]

    def inherited(*arguments: Any, pass_fds: tuple[int, ...] = (), **options: Any) -> subprocess.Popen[bytes]:
        return popen(*arguments, pass_fds=(*pass_fds, namespace), **options)

    bubblewrap_options.arguments = weak
    bubblewrap.subprocess.Popen = inherited


class Plain(Bubblewrap):
    """A process of the bot's uid without namespaces, mounts and filter, which cannot gain privileges."""

    first: tuple[str, ...] = ("/usr/bin/setpriv", "--no-new-privs", "--")

    def start(self, spec: SandboxSpec) -> StartedSandbox:
        limits = rlimits.options(spec.limits, in_group=spec.in_group)
        wait = ("/bin/sh", "-c", 'read go; exec "$@"', "sh")
        process = subprocess.Popen(
            ["/usr/bin/prlimit", *limits, "--", *self.first, *wait, *spec.command],
            env={},
            cwd="/",
            user=spec.uid,
            group=spec.uid,
            extra_groups=[],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        return StartedSandbox(process, process.pid, lambda: os.write(process.stdin.fileno(), b"\n"))


class Gaining(Plain):
    """The same, and set-uid bits count. Bubblewrap itself cannot be asked for that."""

    first = ()


def plain() -> None:
    launcher.Bubblewrap = Plain


def plain_and_gaining() -> None:
    launcher.Bubblewrap = Gaining


class UnmountedTree(MountTree):
    """A socket of the bot's lies in the sandbox's folder itself, and is not mounted there."""

    def put_socket(self, bot_folder: Path, path: Path, *, owner_uid: int, uid: int) -> None:
        place = bot_folder / "arbiter.sock"
        place.unlink()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(place))
        os.chown(place, uid, uid)


def no_mounted_socket() -> None:
    launcher.MountTree = UnmountedTree


def no_deadline() -> None:
    launcher.LauncherLoop._end_overdue = lambda loop: None


def no_join() -> None:
    v1.V1Group.add = v2.V2Group.add = lambda group, pid: None


def sdk_in_a_closed_folder() -> None:
    """Not a protection: the SDK lies where no bot's uid may go."""
    strong = images.python_part
    closed = Path(tempfile.mkdtemp(prefix="stichkampf-test-closed-"))
    atexit.register(shutil.rmtree, closed)

    def weak() -> RuntimePart:
        part = strong()
        sdk = next(copied for copied in part.copies if copied.target.endswith("/stichkampf"))
        shutil.copytree(sdk.source, closed / "stichkampf")
        moved = CopiedPath(closed / "stichkampf", sdk.target)
        return dataclasses.replace(
            part, copies=tuple(moved if copied == sdk else copied for copied in part.copies)
        )

    images.python_part = weak


def nothing_read_only() -> None:
    """Devices and sockets stand in a sandbox as they stand outside."""
    mounts._set_read_only = lambda *_: None


def shared_files() -> None:
    """All sandboxes show the same files of the runtime."""

    def refuse(*_: object) -> None:
        raise SandboxError("taken away")

    packed.pack = refuse


def unbounded_speculation() -> None:
    launcher.hold_back_speculation = list


def large_pages() -> None:
    launcher.hold_back_large_pages = lambda: None


def kernel_answers() -> None:
    """No call is asked outside."""
    StatusProcess.installer = lambda process: lambda: None


def no_bubblewrap() -> None:
    launcher.shutil.which = lambda name, path=None: None


OTHERS: dict[str, Callable[[], None]] = {
    "seccomp": no_seccomp,
    "cgroup": no_cgroup,
    "rlimits": no_rlimits,
    "environment": no_empty_environment,
    "uid": one_uid,
    "user": one_user_namespace,
    "walls": plain,
    "privileges": plain_and_gaining,
    "mount": no_mounted_socket,
    "deadline": no_deadline,
    "bubblewrap": no_bubblewrap,
    "join": no_join,
    "closed": sdk_in_a_closed_folder,
    "still": nothing_read_only,
    "own files": shared_files,
    "speculation": unbounded_speculation,
    "small pages": large_pages,
    "answers": kernel_answers,
}


def welcome_tracers() -> None:
    """Let any process look into the victim, where the kernel (Yama) allows only its ancestors."""
    ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1))


@functools.cache
def victim() -> subprocess.Popen[bytes]:
    """A process that attacks may aim at, in a user namespace of its own; it dies with the launcher."""
    command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--user", "sleep", VICTIM_SECONDS]
    ids: dict[str, Any] = {"user": shared_uid(), "group": shared_uid(), "extra_groups": []}
    process = subprocess.Popen(command, env={}, cwd="/", preexec_fn=welcome_tracers, **ids)
    while Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":
        assert process.poll() is None, "the victim could not be started"
        time.sleep(0.005)
    return process


def prepare_untested(settings: dict[str, Any]) -> PreparedLauncher:
    try:
        factory, uids, _ = launcher.make_factory(settings)
    except (SandboxError, OSError) as error:
        return PreparedLauncher(SandboxLevel.REFUSED, str(error))
    return PreparedLauncher(SandboxLevel.DEVELOPMENT, str(victim().pid), factory, uids)


@functools.cache
def chosen() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--without", default="")
    parser.add_argument("--tested", action="store_true")
    parser.add_argument("--uid", type=int, required=True, help="throwaway, as is the next one")
    parser.add_argument("--socket-fd", type=int, required=True)
    return parser.parse_args()


def shared_uid() -> int:
    """The uid of all bots, where that protection is taken away, and of the victim."""
    return int(chosen().uid)


def main() -> None:
    weaken(set(chosen().without.split(",")) - {""})
    with socket.socket(fileno=chosen().socket_fd) as control:
        launcher.serve(control, launcher.prepare if chosen().tested else prepare_untested)


if __name__ == "__main__":
    main()
