"""gVisor as the runtime: what it is told, and, where a machine has it, that it runs bots."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import PYTHON, ExitKind, SandboxLevel
from stichkampf_arbiter.sandbox.isolation.gvisor import KERNEL_BYTES, KERNEL_THREADS, Gvisor
from stichkampf_arbiter.sandbox.isolation.runtime import SandboxSpec
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.programs.images import BindMount
from stichkampf_arbiter.sandbox.settings import SandboxSettings

LIMITS = Limits(memory_bytes=100 << 20, processes=10, open_files=32, tmp_bytes=1 << 20)


SHOWN = (BindMount(Path("/tree/1"), Path("/usr")), BindMount(Path("/tree/2"), Path("/etc")))


@pytest.fixture
def gvisor():
    return Gvisor(Path("/usr/bin/runsc"), mount_tree=None)


@pytest.fixture
def config(gvisor):
    spec = SandboxSpec(7, 200_007, LIMITS, True, Path("/tree/bots/7"), (PYTHON, "-c", "pass"))
    return json.loads(json.dumps(gvisor.config(spec, SHOWN)))


def test_the_bot_has_its_own_uid_and_no_power(config):
    process = config["process"]
    assert process["user"] == {"uid": 200_007, "gid": 200_007}
    assert process["capabilities"] == {}
    assert process["noNewPrivileges"] is True
    assert process["args"] == [PYTHON, "-c", "pass"]


def test_the_bot_has_the_same_environment_as_in_any_sandbox(config):
    names = [line.partition("=")[0] for line in config["process"]["env"]]
    assert "HOME" in names
    assert not any("STICHKAMPF" in name for name in names)


def test_every_mount_is_read_only(config):
    assert config["root"] == {"path": "rootfs", "readonly": True}
    binds = {mount["destination"]: mount for mount in config["mounts"] if mount["type"] == "bind"}
    assert set(binds) == {"/usr", "/etc", "/bot"}
    assert all("ro" in mount["options"] for mount in binds.values())


def test_what_can_be_written_has_a_size(config):
    sizes = {
        mount["destination"]: mount["options"][0] for mount in config["mounts"] if mount["type"] == "tmpfs"
    }
    assert sizes == dict.fromkeys(("/tmp", "/dev/shm"), f"size={1 << 20}")


def test_every_namespace_is_its_own(config):
    assert {each["type"] for each in config["linux"]["namespaces"]} == {
        "pid",
        "network",
        "ipc",
        "uts",
        "mount",
    }


def test_limits_of_one_process_are_passed_on(config):
    ceilings = {each["type"]: each["hard"] for each in config["process"]["rlimits"]}
    assert ceilings == {"RLIMIT_NOFILE": 32, "RLIMIT_FSIZE": 1 << 20, "RLIMIT_CORE": 0}


def test_the_control_group_leaves_room_for_gvisors_own_kernel(gvisor):
    group = gvisor.group_limits(LIMITS)
    assert (group.memory_bytes, group.processes) == ((100 << 20) + KERNEL_BYTES, 10 + KERNEL_THREADS)


def test_a_wrong_path_to_gvisor_is_refused_and_named(loop):
    launcher = loop.run(Launcher.start(SandboxSettings(runsc=Path("/no/such/runsc"))))
    loop.run(launcher.close())
    assert launcher.level is SandboxLevel.REFUSED
    assert "STICHKAMPF_RUNSC=/no/such/runsc is not a program" in launcher.reason


GREEDY = f"memory = bytearray({LIMITS.memory_bytes + KERNEL_BYTES})"


def below(pid: int) -> set[int]:
    """Return a process and all that it and its threads have started."""
    started = [
        int(one) for file in Path(f"/proc/{pid}/task").glob("*/children") for one in file.read_text().split()
    ]
    return {pid}.union(*map(below, started))


WAITING = "import time; print('here', flush=True); time.sleep(600)"


def test_where_gvisor_is_installed_two_launchers_make_sandboxes_at_once(loop, arena, until):
    program = shutil.which("runsc")
    settings = SandboxSettings(runsc=Path(program or "runsc"), warm=0)
    launchers = [loop.run(Launcher.start(settings)) for _ in range(2)]
    if program is None:
        assert {each.level for each in launchers} == {SandboxLevel.REFUSED}
    else:
        for each in launchers:
            assert each.level is SandboxLevel.GVISOR or "no control group" in each.reason
        # Both have made as many before, so these have the same number.
        bots = [loop.run(each.launch(arena.spec(WAITING))) for each in launchers]
        assert until(lambda: all(bot.stderr == "here\n" for bot in bots)), [bot.stderr for bot in bots]
        found = {pid for bot in bots for pid in below(bot.pid)}
        assert len(found) > 2 * 2
        assert [loop.run(bot.kill()).kind for bot in bots] == [ExitKind.KILLED] * 2
        assert not any(Path(f"/proc/{pid}").exists() for pid in found)
        greedy = loop.run(launchers[0].launch(arena.spec(GREEDY, limits=LIMITS)))
        held = launchers[0].level is SandboxLevel.GVISOR  # an ordinary user may have no control group
        assert loop.run(greedy.wait()).limit == ("memory" if held else None)
    for each in launchers:
        loop.run(each.close())
