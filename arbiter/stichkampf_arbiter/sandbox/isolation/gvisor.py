"""Sandboxes made by gVisor: a kernel of their own, written in Go, between the bot and the machine's.

An administrator names the program in `STICHKAMPF_RUNSC`; it needs the launcher to be root. Tried with the
`runsc` of Debian 12 (December 2022); a current one takes the same options, and was not tried.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stichkampf_arbiter.sandbox.contract import SandboxError, SandboxLevel
from stichkampf_arbiter.sandbox.isolation.bubblewrap_options import ENVIRONMENT
from stichkampf_arbiter.sandbox.isolation.mount_tree import MountTree
from stichkampf_arbiter.sandbox.isolation.runtime import (
    START_SECONDS,
    SandboxSpec,
    StartedSandbox,
    end,
    last_output,
)
from stichkampf_arbiter.sandbox.limits import MIB, Limits
from stichkampf_arbiter.sandbox.programs.images import BindMount

KERNEL_BYTES = 96 * MIB
"""Memory of gVisor's own processes, beside the bot's."""
KERNEL_THREADS = 256
UP = b"up\n"
# Reads one line, not more, and becomes gVisor: until then it is a plain process that a group can take in.
WAIT = 'echo up; read -r go; exec "$@"'
NAMESPACES = ("pid", "network", "ipc", "uts", "mount")


@dataclass(frozen=True)
class Gvisor:
    """`runsc run` as the first process of a process namespace."""

    program: Path
    mount_tree: MountTree
    level: SandboxLevel = SandboxLevel.GVISOR
    sees_later_mounts: bool = False
    has_own_kernel: bool = True
    vital: int | None = None

    def start(self, spec: SandboxSpec) -> StartedSandbox:
        bundle = self.mount_tree.new_bundle(spec.number)
        shown = self.mount_tree.runtime_mounts(spec.folder, spec.parts)
        _make_root(bundle / "rootfs", [show.target for show in shown])
        (bundle / "config.json").write_text(json.dumps(self.config(spec, shown)))
        namespace = [
            "/usr/bin/unshare",
            "--pid",
            "--fork",
            "--kill-child=KILL",
            "--mount-proc",
            "--propagation=slave",
            "--",
        ]
        run = [
            str(self.program),
            f"--root={bundle}/state",
            "--network=none",
            "--host-uds=open",
            "--ignore-cgroups",
            "run",
            f"--bundle={bundle}",
            # gVisor names a socket by it, which all launchers of a machine see; the uid is this one's alone.
            f"stichkampf-{spec.uid}-{spec.number}",
        ]
        process = subprocess.Popen(
            [*namespace, "/bin/sh", "-c", WAIT, "sh", *run],
            env={},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            pid = _await_first(process)
        except SandboxError:
            end(process)
            self.clear(spec.number)
            raise
        return StartedSandbox(process, pid, lambda: _release(process))

    def config(self, spec: SandboxSpec, shown: Sequence[BindMount]) -> dict[str, Any]:
        """Describe the sandbox as the OCI runtime specification demands."""
        limits = spec.limits
        ceilings = {"NOFILE": limits.open_files, "FSIZE": limits.tmp_bytes, "CORE": 0}
        mounts = [{"destination": "/proc", "type": "proc", "source": "proc"}]
        mounts += [_bind(show.source, show.target) for show in shown]
        mounts += [_bind(spec.folder, Path("/bot")), _tmpfs(Path("/tmp"), limits.tmp_bytes, "1777")]
        mounts.append(_tmpfs(Path("/dev/shm"), limits.tmp_bytes, "1777"))
        return {
            "ociVersion": "1.0.0",
            "process": {
                "user": {"uid": spec.uid, "gid": spec.uid},
                "args": list(spec.command),
                "env": [f"{name}={value}" for name, value in ENVIRONMENT.items()],
                "cwd": "/tmp",
                "capabilities": {},
                "noNewPrivileges": True,
                "rlimits": [
                    {"type": f"RLIMIT_{name}", "soft": value, "hard": value}
                    for name, value in ceilings.items()
                ],
            },
            "root": {"path": "rootfs", "readonly": True},
            "hostname": "bot",
            "mounts": mounts,
            "linux": {"namespaces": [{"type": name} for name in NAMESPACES]},
        }

    def group_limits(self, limits: Limits) -> Limits:
        return replace(
            limits,
            memory_bytes=limits.memory_bytes + KERNEL_BYTES,
            processes=limits.processes + KERNEL_THREADS,
        )

    def clear(self, number: int) -> None:
        shutil.rmtree(self.mount_tree.bundle(number), ignore_errors=True)


def _bind(source: Path, target: Path) -> dict[str, Any]:
    return {"destination": str(target), "type": "bind", "source": str(source), "options": ["ro", "rbind"]}


def _tmpfs(target: Path, size_bytes: int, mode: str) -> dict[str, Any]:
    options = [f"size={size_bytes}", f"mode={mode}"]
    return {"destination": str(target), "type": "tmpfs", "source": "tmpfs", "options": options}


def _make_root(root: Path, targets: list[Path]) -> None:
    """Make an empty root with the links; gVisor makes the targets of its mounts itself."""
    for name in ("bin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    for target in targets:
        (root / target.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)


def _await_first(process: subprocess.Popen[bytes]) -> int:
    """Return the first process of the namespace, once it waits for the line `go`."""
    assert process.stdout is not None
    deadline = time.monotonic() + START_SECONDS
    said = b""
    while said != UP:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        part = os.read(process.stdout.fileno(), len(UP) - len(said)) if ready else b""
        if not part or not UP.startswith(said + part):
            raise SandboxError(f"gVisor did not start: {(said + part).decode()}{last_output(process)}")
        said += part
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())


def _release(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        os.write(process.stdin.fileno(), b"go\n")
