"""Sandboxes made by bubblewrap, which an unprivileged uid may start."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stichkampf_arbiter.sandbox.contract import SandboxError, SandboxLevel
from stichkampf_arbiter.sandbox.isolation import bubblewrap_options, rlimits, syscalls
from stichkampf_arbiter.sandbox.isolation.asked_calls import StatusProcess
from stichkampf_arbiter.sandbox.isolation.mount_tree import MountTree
from stichkampf_arbiter.sandbox.isolation.runtime import (
    START_SECONDS,
    SandboxSpec,
    StartedSandbox,
    end,
    last_output,
)
from stichkampf_arbiter.sandbox.limits import Limits


@dataclass(frozen=True)
class Bubblewrap:
    """bubblewrap with a seccomp filter, as the bot's own uid.

    :ivar answers: the process that answers what the kernel is not to answer; None where it answers all.
    """

    program: Path
    mount_tree: MountTree
    answers: StatusProcess | None
    level: SandboxLevel = SandboxLevel.HOSTED
    sees_later_mounts: bool = True
    has_own_kernel: bool = False

    @property
    def vital(self) -> int | None:
        return None if self.answers is None else self.answers.pidfd

    def start(self, spec: SandboxSpec) -> StartedSandbox:
        tree = self.mount_tree
        shown = tree.runtime_mounts(spec.folder, spec.parts)
        info_read, info_write = os.pipe2(os.O_CLOEXEC)
        block_read, block_write = os.pipe2(os.O_CLOEXEC)
        fds = bubblewrap_options.InheritedDescriptors(syscalls.write_program(), info_write, block_read)
        options = bubblewrap_options.arguments(
            shown=shown,
            devices=tree.devices(spec.folder),
            bot_folder=spec.folder,
            limits=spec.limits,
            fds=fds,
        )
        args = bubblewrap_options.write_arguments(options)
        inherited = (args, fds.seccomp, fds.info, fds.block)
        limits = rlimits.options(spec.limits, in_group=spec.in_group)
        try:
            process = subprocess.Popen(
                ["/usr/bin/prlimit", *limits, "--", self.program, "--args", str(args), "--", *spec.command],
                env={},
                cwd="/",
                user=spec.uid,
                group=spec.uid,
                extra_groups=[],
                pass_fds=inherited,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=None if self.answers is None else self.answers.installer(),
            )
        except (OSError, subprocess.SubprocessError) as error:
            os.close(block_write)
            os.close(info_read)
            raise SandboxError(f"bubblewrap did not start: {error}") from None
        finally:
            for fd in inherited:
                os.close(fd)
        try:
            pid = _await_pid(info_read, process)
        except SandboxError:
            os.close(block_write)
            end(process)
            raise
        return StartedSandbox(process, pid, lambda: _release(block_write))

    def group_limits(self, limits: Limits) -> Limits:
        return limits

    def clear(self, number: int) -> None:
        return


def _await_pid(info: int, process: subprocess.Popen[bytes]) -> int:
    text = b""
    deadline = time.monotonic() + START_SECONDS
    with open(info, "rb", buffering=0) as said:
        while not text.rstrip().endswith(b"}"):
            ready, _, _ = select.select([said], [], [], max(0.0, deadline - time.monotonic()))
            part = said.read(4096) if ready else b""
            if not part:
                raise SandboxError(f"bubblewrap did not start: {last_output(process) or 'no answer in 10 s'}")
            text += part
    return int(json.loads(text)["child-pid"])


def _release(block: int) -> None:
    """Write the byte on which bubblewrap waits, and close the pipe; it may have ended."""
    with suppress(BrokenPipeError), open(block, "wb", buffering=0) as pipe:
        pipe.write(b"x")
