"""Attacks of a hostile bot on the kernel."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

RAW = {
    "keyctl": "call('keyctl', 0, -3, 0)",
    "userfaultfd": "call('userfaultfd', 1)",
    "memfd": "works(os.memfd_create, 'canary')",
    "io_uring": "call('io_uring_setup', 1, ctypes.create_string_buffer(256))",
    "inotify": "call('inotify_init1', 0)",
    "System V memory": "call('shmget', 0, 4096, 0o600)",
    "netlink": "works(socket.socket, 16, socket.SOCK_RAW, 0)",
    "another scheduling class": "works(os.sched_setscheduler, 0, os.SCHED_BATCH, os.sched_param(0))",
    "a larger pipe": "works(fcntl.fcntl, os.pipe()[1], 1031, 1 << 17)",
    "a lease": "works(fcntl.fcntl, os.open('/tmp/x', os.O_CREAT | os.O_RDONLY), 1024, 0)",
    "personality": "libc.personality(0x0040000) != -1",
    "a barrier for all processors": "call('membarrier', 1, 0, 0)",
    "a barrier for all that want one": "call('membarrier', 4, 0, 0) and call('membarrier', 2, 0, 0)",
    "a time slice": "call('sched_rr_get_interval', 0, ctypes.create_string_buffer(16))",
}


@pytest.mark.held_by("seccomp")
@pytest.mark.parametrize("ask", RAW.values(), ids=RAW.keys())
def test_a_bot_is_refused(attack, weakened, ask):
    assert attack(f"end({ask})") == weakened


CAPABLE = {
    "chroot": "call('chroot', b'/tmp')",
    "mount": "call('mount', b'tmpfs', b'/tmp', b'tmpfs', 0, None)",
    # That the kernel, and not the filter, says no to these arguments shows that it was asked.
    "pivot_root": "call('pivot_root', b'/tmp', b'/tmp') or ctypes.get_errno() != errno.EPERM",
    "setns": "works(os.pidfd_open, os.getpid()) and call('setns', os.pidfd_open(os.getpid()), 0x04000000)",
    "sethostname": "works(socket.sethostname, 'canary')",
    "unshare": "call('unshare', 0x04000000)",
    "chown": "works(os.chown, os.path.join('/tmp', os.path.basename(os.mkdir('/tmp/a') or 'a')), 1000, 1000) "
    "and libc.prctl(23, 0, 0, 0, 0) == 1",
}


@pytest.mark.held_by("seccomp", "capabilities", "userns")
@pytest.mark.parametrize("ask", CAPABLE.values(), ids=CAPABLE.keys())
def test_a_bot_has_no_power_over_its_own_sandbox(attack, weakened, ask):
    assert attack(f"end({ask})") == weakened


NEW_USER = 0x10000000


@pytest.mark.held_by("seccomp", "userns")
@pytest.mark.parametrize(
    "ask", [f"call('unshare', {NEW_USER})", f"libc.syscall(56, {NEW_USER} | 17, 0, 0, 0, 0) >= 0"]
)
def test_a_bot_makes_no_namespace(attack, weakened, ask):
    assert attack(f"end({ask})") == weakened


def test_a_bot_holds_no_capability_and_can_gain_none(arena, until):
    bot = arena.start("import time; print('ready', flush=True); time.sleep(600)")
    assert until(lambda: "ready" in bot.stderr)
    (pid,) = map(int, Path(f"/proc/{bot.pid}/task/{bot.pid}/children").read_text().split())
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    arena.kill(bot)
    wanted = ("Cap", "NoNewPrivs", "Seccomp:", "Groups", "Uid")
    uid = lines[[line.startswith("Uid") for line in lines].index(True)].split()[1]
    assert uid != "0"
    assert [" ".join(line.split()) for line in lines if line.startswith(wanted)] == [
        f"Uid: {uid} {uid} {uid} {uid}",
        "Groups:",
        *[f"{name}: 0000000000000000" for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
        "NoNewPrivs: 1",
        "Seccomp: 2",
    ]


def test_a_bot_does_not_become_root(arena):
    # The next two tests see a bot take another uid, a throwaway one: a weakened sandbox never holds uid 0.
    code = """
import os, subprocess
for attempt in (lambda: os.setuid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0])):
    try:
        attempt()
        print("through")
    except OSError:
        pass
for program in ("/usr/bin/su", "/usr/bin/newgrp", "/usr/bin/mount"):
    if os.path.exists(program):
        done = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True)
        print(done.returncode != 0 or program == "/usr/bin/mount")
print(os.getuid(), os.geteuid())
"""
    assert set(arena.run(code).stderr.split()) <= {"True", "1000"}


@pytest.mark.held_by("seccomp", "capabilities", "user", "uid")
@pytest.mark.parametrize(
    "become", ["os.setuid, 1001", "os.setresuid, 1001, 1001, 1001", "os.setgroups, [1001]"]
)
def test_a_bot_takes_no_other_uid(attack, weakened, become):
    # Without a user namespace of the bot's own, 1001 is a second throwaway uid.
    assert attack(f"end(works({become}))") == weakened


@pytest.mark.held_by("privileges")
def test_a_program_with_a_set_uid_bit_that_another_bot_left_gives_a_bot_no_uid(
    here, arenas, weakened, public_folder
):
    assert not os.statvfs(public_folder).f_flag & os.ST_NOSUID, "/var/tmp is mounted nosuid"
    program = public_folder / "id"
    # Its /tmp is the machine's /var/tmp, so that it can leave the program there.
    copying = arenas("tmp").spec(
        f"""
import os, shutil
shutil.copy("/usr/bin/id", "/tmp/{public_folder.name}/id")
os.chmod("/tmp/{public_folder.name}/id", 0o4755)
"""
    )
    maker = arenas("tmp").launch(dataclasses.replace(copying, parts=("sh",)))
    assert arenas("tmp").wait(maker).code == 0
    assert program.stat().st_mode & 0o4777 == 0o4755

    def run(place) -> tuple[str, str]:
        """The uid of a bot that starts the program, and what the program says of its own."""
        command = ("/bin/sh", "-c", '"$0" -u', str(program))
        bot = place.launch(dataclasses.replace(place.spec(""), command=command, parts=("sh",)))
        return str(bot.uid), place.wait(bot).stderr.strip()

    uid, said = run(here)
    if weakened:
        assert said == str(maker.uid) != uid
    else:
        assert "not found" in said
        # In its sight; and with nothing of the sandbox left but that no program gains privileges.
        assert run(arenas("files"))[1] == "1000"
        uid, said = run(arenas("walls"))
        assert said == uid


@pytest.mark.held_by("seccomp")
def test_a_bot_makes_no_32_bit_call(here, weakened):
    if os.uname().machine != "x86_64":
        return
    code = """
import ctypes, mmap
# mov eax, 20 (getpid); int 0x80; ret
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("through" if ctypes.CFUNCTYPE(ctypes.c_int)(start)() > 0 else "held")
"""
    report = here.run(code)
    if weakened:
        assert report.stderr == "through\n"
    else:
        assert (report.kind, report.signal) == ("signalled", 31)


@pytest.mark.held_by("seccomp")
def test_a_bot_types_nothing_into_a_terminal(attack, weakened):
    tiocsti = 0x5412
    code = f"""
end(libc.ioctl(0, {tiocsti}, b"x") == -1 and ctypes.get_errno() != errno.EPERM)
"""
    # Sandboxes have no terminal at all: that the call reached the kernel is what a test can see.
    assert attack(code) == weakened


@pytest.mark.held_by("rlimits")
def test_a_bot_dumps_no_core(attack, weakened):
    assert (
        attack(
            "end(works(lambda: resource.setrlimit(resource.RLIMIT_CORE, (4096, 4096))) "
            "if resource.getrlimit(resource.RLIMIT_CORE)[1] else False)"
        )
        == weakened
    )
