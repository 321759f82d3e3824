"""The launcher process, the only part of the platform that keeps root.

It is small, holds no gRPC and no thread, and listens to the arbiter over one socket pair. It is the first
process of a process namespace that holds all sandboxes: when it is gone, so are they, and it goes when the
arbiter does. It trusts the arbiter with little: the archive comes as an open file, and of paths it takes only
that of a socket which belongs to the arbiter.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stichkampf_arbiter.sandbox.cgroups.driver import CgroupDriver, open_driver
from stichkampf_arbiter.sandbox.cgroups.files import CgroupUnusable, group_name
from stichkampf_arbiter.sandbox.cgroups.freezer import register
from stichkampf_arbiter.sandbox.contract import MESSAGE_BYTES, SandboxError, SandboxLevel
from stichkampf_arbiter.sandbox.isolation import asked_calls
from stichkampf_arbiter.sandbox.isolation.bubblewrap import Bubblewrap
from stichkampf_arbiter.sandbox.isolation.gvisor import Gvisor
from stichkampf_arbiter.sandbox.isolation.mount_tree import MountTree
from stichkampf_arbiter.sandbox.isolation.runtime import Runtime
from stichkampf_arbiter.sandbox.launcher.loop import LauncherLoop
from stichkampf_arbiter.sandbox.launcher.sandbox import SandboxFactory
from stichkampf_arbiter.sandbox.launcher.selftest import can_freeze, find_holes
from stichkampf_arbiter.sandbox.launcher.speculation import hold_back_large_pages, hold_back_speculation
from stichkampf_arbiter.sandbox.uids import UidPool


@dataclass(frozen=True, slots=True)
class PreparedLauncher:
    """Result of the self-test, and everything a launcher needs to run."""

    level: SandboxLevel
    reason: str
    factory: SandboxFactory | None = None
    uids: UidPool | None = None


def prepare(settings: dict[str, Any]) -> PreparedLauncher:
    """Build the factory of sandboxes and run its self-test."""
    try:
        factory, uids, reason = make_factory(settings)
        holes = find_holes(factory, uids)
    except (SandboxError, OSError) as error:
        return PreparedLauncher(SandboxLevel.REFUSED, str(error))
    if holes:
        return PreparedLauncher(
            SandboxLevel.REFUSED, f"the sandbox does not hold on this machine: {', '.join(holes)}"
        )
    level = factory.runtime.level
    if factory.groups is None:
        level = SandboxLevel.DEVELOPMENT
    elif not can_freeze(factory, uids):
        level, reason = SandboxLevel.DEVELOPMENT, "a bot that is not asked cannot be frozen"
    reasons = [reason] * bool(reason)
    if why_shared := factory.mount_tree.why_shared:
        reasons.append(f"sandboxes have the files of the runtime in common: {why_shared}")
    if factory.runtime.vital is None and not factory.runtime.has_own_kernel:
        reasons.append(
            "sandboxes see numbers of pipes and sockets that all of them move: this kernel tells them"
        )
    return PreparedLauncher(level, "; ".join(reasons), factory, uids)


def make_factory(settings: dict[str, Any]) -> tuple[SandboxFactory, UidPool, str]:
    """Make the factory of this machine, untried; with its uids, and the reason if it has no control groups.

    :raises SandboxError: something is missing; the message says what to install.
    :raises OSError: this process may not mount.
    """
    uids = UidPool(range(settings["first_uid"], settings["first_uid"] + settings["uids"]))
    groups: CgroupDriver | None = None
    reason = ""
    try:
        parent = Path(settings["cgroup"]) if settings["cgroup"] else None
        groups = open_driver(group_name(uids.first), parent)
        if groups.freezer is not None:
            register(groups.freezer)
    except CgroupUnusable as error:
        reason = f"no control group holds a bot's memory and CPU: {error}"
    mount_tree = MountTree()
    return SandboxFactory(_runtime(settings["runsc"], mount_tree), mount_tree, groups), uids, reason


def _runtime(runsc: str | None, mount_tree: MountTree) -> Runtime:
    if runsc is not None:
        if not os.access(runsc, os.X_OK):
            raise SandboxError(f"STICHKAMPF_RUNSC={runsc} is not a program: install gVisor, or unset it")
        return Gvisor(Path(runsc), mount_tree)
    bwrap = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if bwrap is None:
        raise SandboxError("bubblewrap is not installed: apt-get install bubblewrap")
    return Bubblewrap(Path(bwrap), mount_tree, asked_calls.start())


def serve(control: socket.socket, prepare: Callable[[dict[str, Any]], PreparedLauncher] = prepare) -> None:
    """Run the launcher at this end of a socket pair."""
    # A terminal's Ctrl-C reaches the whole group; the arbiter decides when this ends. Handled, not ignored:
    # bots would inherit that, and could not end their own children.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    os.umask(0o022)
    hold_back_speculation()
    hold_back_large_pages()
    settings = json.loads(control.recv(MESSAGE_BYTES))
    ready = prepare(settings)
    missing = [] if ready.factory is None else ready.factory.mount_tree.missing_parts
    control.send(json.dumps({"level": ready.level, "reason": ready.reason, "missing": missing}).encode())
    if ready.factory is None or ready.uids is None:
        return
    owner, warm = settings["owner_uid"], settings["warm"]
    LauncherLoop(control, ready.factory, ready.uids, owner_uid=owner, warm=warm).run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket-fd", type=int, required=True)
    with socket.socket(fileno=parser.parse_args().socket_fd) as control:
        serve(control)
