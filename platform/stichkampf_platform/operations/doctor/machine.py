"""Checks of the machine that the doctor runs on."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from stichkampf.engine import deal

from stichkampf_platform.operations.doctor.cause import CauseFound
from stichkampf_platform.serving.connections import CONNECTIONS

LEAST_MEMORY = 2 * 1024**3
LEAST_AVAILABLE = 256 * 1024**2
MEGABYTE = 1024**2


def _open_files() -> int:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return hard if hard != resource.RLIM_INFINITY else 2**31


@dataclass(frozen=True)
class Machine:
    """The machine, as its files tell.

    :ivar root: below which `/proc` and `/sys` are.
    :ivar open_files: the most that a process may open.
    :ivar rules: the file from which the rules are loaded.
    """

    root: Path = Path("/")
    open_files: int = field(default_factory=_open_files)
    rules: Path = field(default_factory=lambda: Path(deal.__file__))

    def text(self, path: str) -> str:
        """Return the text of a file, empty where there is none."""
        try:
            return (self.root / path).read_text().strip()
        except OSError:
            return ""


def check_machine(machine: Machine) -> Iterator[CauseFound]:
    yield from _disk()
    yield from _memory(machine)
    yield from _namespaces(machine)
    yield from _control_groups(machine)
    if machine.open_files < 2 * CONNECTIONS:
        yield CauseFound(
            "low limit of open files",
            f"a process may open {machine.open_files}, and the site may need {2 * CONNECTIONS}.",
            "Raise it: LimitNOFILE= in a systemd unit, `ulimits` in Compose, `ulimit -n` in a shell.",
        )
    if machine.rules.suffix == ".py":
        yield CauseFound(
            "interpreted rules",
            f"the rules are loaded from {machine.rules}, 20 to 50 times slower than compiled ones.",
            "Compile them: `make engine` in a checkout, or install the wheel of `make wheel`.",
        )
    if not (settings.STATIC_ROOT / "staticfiles.json").exists() and _wants_manifest():
        yield CauseFound(
            "no static files",
            f"{settings.STATIC_ROOT} has no staticfiles.json, so pages fail.",
            "Run `manage.py upgrade`, or `manage.py collectstatic --no-input`.",
        )


def _wants_manifest() -> bool:
    return "Manifest" in settings.STORAGES["staticfiles"]["BACKEND"]


def _disk() -> Iterator[CauseFound]:
    free = shutil.disk_usage(settings.STATE_DIR).free
    if free < settings.FREE_DISK_BYTES:
        yield CauseFound(
            "full disk",
            f"{free // MEGABYTE} MB are free for {settings.STATE_DIR}, less than"
            f" {settings.FREE_DISK_BYTES // MEGABYTE} MB (STICHKAMPF_FREE_DISK_MB); no archive is taken in.",
            "Make room there, or move STICHKAMPF_STATE_DIR to a larger disk.",
        )


def _memory(machine: Machine) -> Iterator[CauseFound]:
    sizes = {
        words[0].rstrip(":"): int(words[1]) * 1024
        for words in map(str.split, machine.text("proc/meminfo").splitlines())
        if len(words) > 1
    }
    limit = machine.text("sys/fs/cgroup/memory.max")
    total = min(
        sizes.get("MemTotal", LEAST_MEMORY), int(limit) if limit.isdigit() else sizes.get("MemTotal", 2**62)
    )
    available = sizes.get("MemAvailable", LEAST_AVAILABLE)
    if total < LEAST_MEMORY or available < LEAST_AVAILABLE:
        yield CauseFound(
            "too little memory",
            f"{total // MEGABYTE} MB in all, {available // MEGABYTE} MB available; all programs need"
            f" {LEAST_MEMORY // MEGABYTE} MB, and 25 MB more for each bot at once.",
            "Add memory, or lower STICHKAMPF_ARBITER_PROCESSES and STICHKAMPF_SITE_PROCESSES.",
        )


def _namespaces(machine: Machine) -> Iterator[CauseFound]:
    for path in ("proc/sys/user/max_user_namespaces", "proc/sys/kernel/unprivileged_userns_clone"):
        if machine.text(path) == "0":
            yield CauseFound(
                "no user namespaces",
                f"/{path} is 0, so no sandbox can be made.",
                f"As root: sysctl --write {path.removeprefix('proc/sys/').replace('/', '.')}="
                f"{'1' if path.endswith('clone') else '15000'}, and the same in /etc/sysctl.d/.",
            )


def _control_groups(machine: Machine) -> Iterator[CauseFound]:
    if not machine.text("sys/fs/cgroup/cgroup.controllers"):
        yield CauseFound(
            "control groups of version 1",
            "/sys/fs/cgroup has no cgroup.controllers; only an arbiter started as root reaches the level"
            " `hosted` here, and time without a core is measured more roughly.",
            "Start the kernel with systemd.unified_cgroup_hierarchy=1, or keep the arbiter's launcher root.",
            grave=False,
        )
