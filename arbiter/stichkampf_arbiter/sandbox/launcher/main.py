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

from stichkampf_arbiter.sandbox.cgroups.driver import CgroupUnusable, Driver, group_name, open_driver
from stichkampf_arbiter.sandbox.cgroups.freezer import register
from stichkampf_arbiter.sandbox.contract import Level, SandboxError
from stichkampf_arbiter.sandbox.isolation.bubblewrap import Bubblewrap
from stichkampf_arbiter.sandbox.isolation.gvisor import Gvisor
from stichkampf_arbiter.sandbox.isolation.mount_tree import Stage
from stichkampf_arbiter.sandbox.isolation.runtime import Runtime
from stichkampf_arbiter.sandbox.isolation.uids import UidPool
from stichkampf_arbiter.sandbox.launcher.manager import MESSAGE_BYTES, Warden
from stichkampf_arbiter.sandbox.launcher.sandbox import Workshop
from stichkampf_arbiter.sandbox.launcher.selftest import can_freeze, find_holes


@dataclass(frozen=True, slots=True)
class Ready:
    """What a launcher found when it tried this machine."""

    level: Level
    reason: str
    workshop: Workshop | None = None
    uids: UidPool | None = None


def prepare(settings: dict[str, Any]) -> Ready:
    """Build the workshop and try it."""
    try:
        workshop, uids, reason = make_workshop(settings)
        holes = find_holes(workshop, uids)
    except (SandboxError, OSError) as error:
        return Ready(Level.REFUSED, str(error))
    if holes:
        return Ready(Level.REFUSED, f"the sandbox does not hold on this machine: {', '.join(holes)}")
    if workshop.groups is None:
        return Ready(Level.DEVELOPMENT, reason, workshop, uids)
    if not can_freeze(workshop, uids):
        return Ready(Level.DEVELOPMENT, "a bot that is not asked cannot be frozen", workshop, uids)
    return Ready(workshop.runtime.level, reason, workshop, uids)


def make_workshop(settings: dict[str, Any]) -> tuple[Workshop, UidPool, str]:
    """The workshop of this machine, untried, and why it has no control groups if it has none.

    :raises SandboxError: something is missing; the message says what to install.
    :raises OSError: this process may not mount.
    """
    uids = UidPool(range(settings["first_uid"], settings["first_uid"] + settings["uids"]))
    groups: Driver | None = None
    reason = ""
    try:
        parent = Path(settings["cgroup"]) if settings["cgroup"] else None
        groups = open_driver(group_name(uids.first), parent)
        if groups.unkillable is not None:
            register(groups.unkillable)
    except CgroupUnusable as error:
        reason = f"no control group holds a bot's memory and CPU: {error}"
    stage = Stage()
    return Workshop(_runtime(settings["runsc"], stage), stage, groups), uids, reason


def _runtime(runsc: str | None, stage: Stage) -> Runtime:
    if runsc is not None:
        if not os.access(runsc, os.X_OK):
            raise SandboxError(f"STICHKAMPF_RUNSC={runsc} is no program: install gVisor, or unset it")
        return Gvisor(Path(runsc), stage)
    bwrap = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if bwrap is None:
        raise SandboxError("bubblewrap is not installed: apt-get install bubblewrap")
    return Bubblewrap(Path(bwrap), stage)


def serve(control: socket.socket, prepare: Callable[[dict[str, Any]], Ready] = prepare) -> None:
    """Be the launcher at this end of a socket pair."""
    # A terminal's Ctrl-C reaches the whole group; the arbiter decides when this ends.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.umask(0o022)
    settings = json.loads(control.recv(MESSAGE_BYTES))
    ready = prepare(settings)
    control.send(json.dumps({"level": ready.level, "reason": ready.reason}).encode())
    if ready.workshop is None or ready.uids is None:
        return
    owner, warm = settings["owner_uid"], settings["warm"]
    Warden(control, ready.workshop, ready.uids, owner_uid=owner, warm=warm).run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket-fd", type=int, required=True)
    with socket.socket(fileno=parser.parse_args().socket_fd) as control:
        serve(control)
