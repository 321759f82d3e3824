"""Attacks of a hostile bot on the machine's files."""

from __future__ import annotations

import os
import sys

import pytest


@pytest.mark.held_by("files")
def test_a_bot_reads_no_file_of_the_machine(attack, weakened, public_folder):
    secret = public_folder / "secret"
    secret.write_text("a seed")
    secret.chmod(0o644)
    assert attack("end(works(open, sys.argv[1]))", secret) == weakened


@pytest.mark.held_by("machine")
@pytest.mark.parametrize(
    "read",
    [
        "any('root:' in open(root + '/etc/passwd').read() for root in roots)",
        "any(os.path.isdir(root + '/root') or os.path.isdir(root + '/home') for root in roots)",
        "any(os.listdir(root + '/sys') for root in roots if os.path.isdir(root + '/sys'))",
    ],
    ids=["the names of users", "homes", "the machine's devices"],
)
def test_a_bot_does_not_read(attack, weakened, read):
    # Without the choice of what is shown, the whole machine stands in a folder, read-only.
    roots = "roots = [root for root in ('', '/machine') if os.path.isdir(root + '/')]"
    assert attack(f"{roots}\nend({read})") == weakened


@pytest.mark.held_by("files")
def test_a_bot_finds_no_foreign_folder_by_walking(attack, weakened, public_folder):
    (public_folder / "needle-in-the-hay").touch()
    walk = "end(any('needle-in-the-hay' in files for _, _, files in os.walk('/')))"
    assert attack(walk) == weakened


def test_a_bot_sees_nothing_of_the_project_the_platform_or_people(arena):
    site = os.path.dirname(os.path.dirname(pytest.__file__))
    code = """
import importlib.util
for path in sys.argv[1:]:
    if os.path.exists(path):
        print(path)
for name in "django celery stichkampf_platform stichkampf_arbiter psycopg redis pytest pip".split():
    if importlib.util.find_spec(name):
        print(name)
with open("/etc/passwd") as file:
    print(file.read().count(":x:"))
"""
    paths = [
        site,
        __file__,
        sys.prefix,
        "/home",
        "/root",
        "/var",
        "/run",
        "/sys",
        "/etc/shadow",
        "/etc/hostname",
        "/boot",
    ]
    assert arena.run("import os, sys\n" + code, *paths).stderr == "1\n"


@pytest.mark.held_by("devices")
def test_a_bot_has_five_harmless_devices(attack, weakened):
    code = """
import stat
nodes = [name for name in os.listdir("/dev") if stat.S_ISCHR(os.lstat("/dev/" + name).st_mode)]
end(sorted(nodes) != ["full", "null", "random", "urandom", "zero"])
"""
    assert attack(code) == weakened


@pytest.mark.held_by("root")
def test_a_bot_writes_nowhere_but_in_tmp(attack, weakened):
    code = """
def opens(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
open("/tmp/allowed", "w").close()
folders = {folder for folder, _, _ in os.walk("/") if not folder.startswith(("/tmp", "/dev/shm", "/proc"))}
end(any(works(opens, folder + "/canary") for folder in folders))
"""
    assert attack(code) == weakened


@pytest.mark.held_by("bot folder")
def test_a_bot_cannot_change_what_lies_beside_its_archive(attack, weakened):
    code = """
def change():
    os.chmod("/bot", 0o700)
    os.rename("/bot/archive", "/bot/old")
end(works(change))
"""
    assert attack(code) == weakened


UNLINK = """
works(os.chmod, "/bot", 0o700)
end(works(os.unlink, sys.argv[1]))
"""


@pytest.mark.held_by("bot folder")
def test_a_bot_cannot_unlink_its_archive(attack, weakened):
    assert attack(UNLINK, "/bot/archive") == weakened


@pytest.mark.held_by("bot folder", "mount")
def test_a_bot_cannot_unlink_its_socket(attack, arenas, weakened):
    assert attack(UNLINK, "/bot/arbiter.sock") == weakened
    # Each of the two is enough.
    assert not arenas("bot folder").gets_through(UNLINK, "/bot/arbiter.sock")
    assert not arenas("mount").gets_through(UNLINK, "/bot/arbiter.sock")


@pytest.mark.held_by("proc", "capabilities")
def test_a_bot_changes_no_setting_of_the_kernel(attack, weakened):
    code = """
def opens(path):
    os.close(os.open(path, os.O_WRONLY))
settings = [os.path.join(folder, name) for folder, _, files in os.walk("/proc/sys") for name in files]
settings += ["/proc/sysrq-trigger", "/proc/1/oom_score_adj"]
end(any(works(opens, path) for path in settings))
"""
    assert attack(code) == weakened


@pytest.mark.held_by("tmp")
def test_files_of_a_bot_are_gone_with_it(here, attack, weakened, public_folder):
    # Without a /tmp of its own, the bot's is the machine's /var/tmp, where this folder lies.
    mark = f"/tmp/{public_folder.name}/mark"
    here.run(f"import os; os.makedirs({os.path.dirname(mark)!r}, exist_ok=True); open({mark!r}, 'w').close()")
    assert attack(f"end(os.path.exists({mark!r}))") == weakened


@pytest.mark.held_by("size")
def test_a_bot_cannot_fill_the_disk(attack, weakened, small_tmp):
    code = """
def fill():
    for number in range(4):
        with open(f"/tmp/{number}", "wb") as file:
            file.write(bytes(1 << 20))
end(works(fill))
"""
    assert attack(code, limits=small_tmp) == weakened


@pytest.mark.held_by("cgroup")
def test_a_bot_cannot_fill_memory_with_empty_files(attack, here, weakened, small_memory):
    code = """
for number in range(40_000):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT))
end(True)
"""
    if weakened:
        assert attack(code, limits=small_memory)
    else:
        report = here.run("import os\ndef end(through): print('through')\n" + code, limits=small_memory)
        assert (report.kind, report.limit) == ("limit", "memory")


@pytest.mark.held_by("seccomp")
def test_a_bot_cannot_hide_memory_in_extended_attributes(attack, weakened):
    code = """
open("/tmp/file", "w").close()
end(works(os.setxattr, "/tmp/file", "user.canary", b"x"))
"""
    assert attack(code) == weakened
