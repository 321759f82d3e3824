"""Control groups: version 1 as the machine has it, version 2 on a tree of plain files."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.cgroups import files
from stichkampf_arbiter.sandbox.cgroups.driver import empty_own_group, hierarchies, open_driver, own_groups
from stichkampf_arbiter.sandbox.cgroups.files import CgroupUnusable, group_name
from stichkampf_arbiter.sandbox.cgroups.v1 import V1Driver
from stichkampf_arbiter.sandbox.cgroups.v2 import V2Driver, V2Group
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.cpu import CpuMeter, open_files
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.uids import BLOCK_UIDS, UidPool

NAME = group_name(1000)
LIMITS = Limits(memory_bytes=100 << 20, processes=10, cores=0.5)
V1 = """9:name=systemd:/
8:pids:/here
4:memory:/here/too
2:cpu,cpuacct:/
0::/
"""


def fake_proc(folder: Path, groups: str, mounts: list[tuple[str, Path, str, str]]) -> Path:
    """A /proc/self of plain files; mounts are (root, mount point, type, super options)."""
    folder.mkdir()
    (folder / "cgroup").write_text(groups)
    lines = [
        f"{number} 1 0:{number} {root} {place} rw,relatime - {kind} {kind} rw,{options}"
        for number, (root, place, kind, options) in enumerate(mounts, 30)
    ]
    (folder / "mountinfo").write_text("\n".join(["22 1 254:0 / / rw - ext4 /dev/vda rw", *lines]) + "\n")
    return folder


@pytest.fixture
def v2(tmp_path):
    """A delegated group of version 2, as files."""
    parent = tmp_path / "delegated"
    parent.mkdir()
    (parent / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (parent / "cgroup.procs").write_text("")
    (parent / "cgroup.subtree_control").write_text("")
    return parent


def test_the_folders_of_version_1_are_found_by_controller(tmp_path):
    mounts = [
        ("/", tmp_path / "pids", "cgroup", "pids"),
        ("/", tmp_path / "memory", "cgroup", "memory"),
        ("/", tmp_path / "cpu", "cgroup", "cpu,cpuacct"),
        ("/", tmp_path / "unified", "cgroup2", "nsdelegate"),
    ]
    found = hierarchies(fake_proc(tmp_path / "self", V1, mounts))
    own = {name: each.own for each in found for name in each.controllers}
    assert own == {
        "pids": tmp_path / "pids/here",
        "memory": tmp_path / "memory/here/too",
        "cpu": tmp_path / "cpu",
        "cpuacct": tmp_path / "cpu",
    }
    assert [each.own for each in found if each.version == 2] == [tmp_path / "unified"]


def test_in_a_container_the_mounted_root_is_the_own_group(tmp_path):
    mounts = [("/docker/abc", tmp_path / "memory", "cgroup", "memory")]
    found = hierarchies(fake_proc(tmp_path / "self", "4:memory:/docker/abc\n", mounts))
    assert found[0].own == tmp_path / "memory"


def test_version_1_gets_every_limit(tmp_path):
    folders = {name: tmp_path / name for name in ("memory", "pids", "cpu", "cpuacct", "freezer")}
    for folder in folders.values():
        folder.mkdir()
    group = V1Driver(NAME, folders).make("bot-1", LIMITS)
    group.add(4711)

    def written(controller: str, file: str) -> str:
        return (folders[controller] / NAME / "bot-1" / file).read_text()

    assert written("memory", "memory.limit_in_bytes") == str(100 << 20)
    assert written("pids", "pids.max") == "11"
    assert (written("cpu", "cpu.cfs_period_us"), written("cpu", "cpu.cfs_quota_us")) == ("100000", "50000")
    assert [written(name, "cgroup.procs") for name in folders] == ["4711"] * 5


def test_version_2_gets_every_limit(v2):
    group = V2Driver(NAME, v2).make("bot-1", LIMITS)
    group.add(4711)
    folder = v2 / NAME / "bot-1"
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "memory.max": str(100 << 20),
        "memory.oom.group": "1",
        "pids.max": "11",
        "cpu.max": "50000 100000",
        "cgroup.procs": "4711",
    }
    assert (v2 / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    assert (v2 / NAME / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"


def test_version_2_accounts_are_read(v2):
    folder = v2 / NAME / "bot-1"
    folder.mkdir(parents=True)
    (folder / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n")
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 1\n")
    (folder / "pids.events").write_text("max 3\n")
    group = V2Group(folder, LIMITS)
    assert (group.memory_kills(), group.refused_processes()) == (1, 3)
    meter = CpuMeter(os.getpid(), open_files(group.cpu_files))
    assert meter.read() == 1.5
    meter.close()


def test_version_2_without_a_controller_is_unusable_and_says_which(v2):
    (v2 / "cgroup.controllers").write_text("cpu pids\n")
    with pytest.raises(CgroupUnusable, match="lacks the controllers memory"):
        V2Driver(NAME, v2)


def test_a_folder_that_is_no_group_of_version_2_is_unusable(tmp_path):
    with pytest.raises(CgroupUnusable, match="is no cgroup of version 2"):
        open_driver(NAME, tmp_path)


def test_a_machine_without_control_groups_says_so(tmp_path):
    with pytest.raises(CgroupUnusable, match="no cgroup file system is mounted"):
        open_driver(NAME, proc=fake_proc(tmp_path / "self", "0::/\n", []))


def test_version_2_is_taken_where_version_1_lacks_a_controller(tmp_path, v2):
    mounts = [("/", tmp_path / "none", "cgroup", "cpu"), ("/", v2, "cgroup2", "nsdelegate")]
    driver = open_driver(NAME, proc=fake_proc(tmp_path / "self", "1:cpu:/\n0::/\n", mounts))
    assert isinstance(driver, V2Driver)


def test_version_1_is_taken_where_it_is_whole_and_version_2_stays_as_it_is(tmp_path, v2):
    names = ("memory", "pids", "cpu", "cpuacct", "freezer")
    groups = "".join(f"{number}:{name}:/\n" for number, name in enumerate(names, 2)) + "0::/\n"
    mounts = [("/", v2, "cgroup2", "nsdelegate")] + [("/", tmp_path / name, "cgroup", name) for name in names]
    proc = fake_proc(tmp_path / "self", groups, mounts)
    assert own_groups(proc) == {name: tmp_path / name for name in names}
    empty_own_group(proc)
    assert (v2 / "cgroup.subtree_control").read_text() == ""


def test_groups_of_version_2_stand_beside_the_leaf_that_holds_the_platform(tmp_path, v2):
    (v2 / "platform").mkdir()
    proc = fake_proc(tmp_path / "self", "0::/platform\n", [("/", v2, "cgroup2", "nsdelegate")])
    driver = open_driver(NAME, proc=proc)
    driver.make("bot-1", LIMITS)
    assert (v2 / NAME / "bot-1" / "memory.max").exists()


@pytest.fixture
def base():
    """The first of a few thousand uids that no launcher, and no other run of these tests, claims."""
    return random.randrange(10_000_000, 2_000_000_000, 10_000)


def test_groups_of_a_launcher_that_has_ended_are_removed(v2, base):
    alive, dead = group_name(base), group_name(base + 1000)
    for name in (NAME, alive, dead, "stichkampf.service", "system.slice"):
        (v2 / name / "bot-1").mkdir(parents=True)
    living = UidPool(range(base, base + 1000))
    V2Driver(NAME, v2)
    living.close()
    left = {folder.name for folder in v2.iterdir() if folder.is_dir()}
    assert left == {NAME, alive, "stichkampf.service", "system.slice"}
    assert not (v2 / NAME / "bot-1").exists()


def test_a_launcher_that_begins_while_old_groups_are_removed_takes_others(v2, base, monkeypatch):
    group = v2 / group_name(base)
    group.mkdir()
    begun = []

    def remove(folder):
        begun.append(UidPool(range(base, base + 2 * BLOCK_UIDS)))
        assert group_name(begun[0].first) != folder.name

    monkeypatch.setattr(files, "remove_tree", remove)
    V2Driver(group_name(base + 900), v2)
    begun.pop().close()
    assert not begun


def test_two_launchers_never_share_a_uid(base):
    uids = range(base, base + 3 * BLOCK_UIDS)
    first, second = UidPool(uids), UidPool(uids)
    taken = [pool.take() for pool in (first, second) for _ in range(BLOCK_UIDS)]
    # A launcher that runs out of uids claims more of them.
    taken += [first.take() for _ in range(BLOCK_UIDS)]
    assert sorted(taken) == list(uids)
    for pool in (first, second):
        with pytest.raises(SandboxError, match="all uids for bots on this machine are in use"):
            pool.take()
    first.close()
    third = UidPool(uids)
    assert third.first == first.first
    second.close()
    third.close()


def test_a_uid_that_was_given_back_is_drawn_again(base):
    pool = UidPool(range(base, base + 10))
    assert sorted(pool.take() for _ in range(10)) == list(range(base, base + 10))
    pool.give_back(base + 3)
    assert pool.take() == base + 3
    pool.close()


def test_without_groups_the_meter_adds_up_living_processes_and_those_waited_for(arenas, until):
    weak = arenas("cgroup")
    code = """
import os, time
for _ in range(2):
    if os.fork() == 0:
        while time.process_time() < 0.15:
            pass
        os._exit(0)
    os.wait()
if os.fork() == 0:
    while time.process_time() < 0.15:
        pass
    print("ready", flush=True)
time.sleep(600)
"""
    bot = weak.start(code)
    assert until(lambda: "ready" in bot.stderr)
    seen = bot.cpu_seconds()
    report = weak.kill(bot)
    assert 0.4 < seen < 1.0
    assert report.cpu_seconds == pytest.approx(seen, abs=0.2)


def test_a_machine_without_the_freezer_has_no_usable_groups_of_version_1(tmp_path):
    names = ("memory", "pids", "cpu", "cpuacct")
    groups = "".join(f"{number}:{name}:/\n" for number, name in enumerate(names, 2))
    mounts = [("/", tmp_path / name, "cgroup", name) for name in names]
    with pytest.raises(CgroupUnusable, match="version 1 lacks the controllers freezer"):
        open_driver(NAME, proc=fake_proc(tmp_path / "self", groups, mounts))
