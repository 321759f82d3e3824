"""The launcher and what it leaves behind: nothing."""

from __future__ import annotations

import array
import asyncio
import dataclasses
import glob
import hashlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from stichkampf.limits import WEIGHT_CLASSES, WeightClass
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import BotSpec, ExitKind, SandboxError, SandboxLevel
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.preconditions import missing_for_ordinary_user, why_it_ended
from stichkampf_arbiter.sandbox.uids import BLOCK_UIDS


def groups(uid: int) -> list[str]:
    """The control groups of bots of the launcher that has claimed the block of this uid."""
    # Not Path.rglob: it raises where a folder vanishes on the way.
    return glob.glob(f"/sys/fs/cgroup/**/stichkampf-{uid - uid % BLOCK_UIDS}/bot-*", recursive=True)


def test_a_program_that_ends_itself_is_reported_with_its_status(arena):
    report = arena.run("print('bye'); raise SystemExit(3)")
    assert (report.kind, report.code, report.signal, report.stderr) == (ExitKind.EXITED, 3, None, "bye\n")


def test_a_crash_is_reported_with_its_last_output(arena):
    report = arena.run("1 / 0")
    assert (report.kind, report.code) == (ExitKind.EXITED, 1)
    assert "ZeroDivisionError" in report.stderr


def test_a_signal_is_reported(arena):
    report = arena.run("import os; os.abort()")
    assert (report.kind, report.code, report.signal) == (ExitKind.SIGNALLED, None, signal.SIGABRT)


def test_what_a_bot_prints_can_be_read_while_it_runs(arena, until):
    bot = arena.start("import time; print('hello', flush=True); time.sleep(600)")
    assert until(lambda: bot.stderr == "hello\n")
    arena.kill(bot)


def test_a_long_output_keeps_its_beginning_and_its_last_lines(arena):
    code = "print('first')\nfor number in range(20000): print('number', number)\nprint('last')"
    report = arena.run(code, limits=Limits(output_bytes=4096, wall_seconds=20))
    assert report.stderr.startswith("first\nnumber 0\n")
    assert report.stderr.endswith("number 19999\nlast\n")
    assert len(report.stderr) < 24 << 10


BUSY = """
import time
while time.process_time() < 0.3:
    pass
print("done", flush=True)
time.sleep(600)
"""


def test_cpu_time_is_seen_while_a_bot_runs_and_ends_with_the_report(arena, until):
    bot = arena.start(BUSY)
    assert until(lambda: "done" in bot.stderr)
    seen = bot.cpu_seconds()
    report = arena.kill(bot)
    assert 0.3 <= seen <= report.cpu_seconds < 1.0
    assert bot.cpu_seconds() == report.cpu_seconds


def test_a_bot_that_ends_at_once_is_reported_like_any_other(loop, arena, until):
    """A busy arbiter reads the launcher's answer when process and control group are gone."""
    spec = arena.spec("raise SystemExit(3)")

    async def launch():
        launching = asyncio.ensure_future(arena.launcher.launch(spec))
        await asyncio.sleep(0)
        # From here on this loop stands still, and reads nothing.
        control = arena.launcher._control
        select.select([control], [], [], 60)
        text, extras, _, _ = control.recvmsg(1 << 16, socket.CMSG_LEN(32), socket.MSG_PEEK)
        answer, fds = json.loads(text), array.array("i", extras[0][2])
        select.select([fds[0]], [], [], 60)
        for fd in fds:
            os.close(fd)
        assert until(
            lambda: not [name for name in groups(answer["uid"]) if name.endswith(f"-{answer['sandbox']}")]
        )
        async with asyncio.timeout(60):
            bot = await launching
            return await bot.wait()

    report = loop.run(launch())
    assert (report.kind, report.code) == (ExitKind.EXITED, 3)


def test_an_arbiter_without_room_for_open_files_ends_the_bot_and_says_so(loop, arena, until, monkeypatch):
    uid = arena.start("pass").uid
    before = set(groups(uid))
    monkeypatch.setattr("stichkampf_arbiter.sandbox.client.ANSWER_FDS", 0)
    with pytest.raises(SandboxError, match="too many open files"):
        loop.run(arena.launcher.launch(arena.spec("import time; time.sleep(600)")))
    monkeypatch.undo()
    assert until(lambda: before.issuperset(groups(uid)))
    assert arena.run("print('the next one')").stderr == "the next one\n"


def test_sleeping_costs_no_cpu_time(arena):
    assert arena.run("import time; time.sleep(0.5)").cpu_seconds < 0.3


def test_only_its_own_bot_reaches_a_socket(arena, until):
    code = """
import socket
with socket.socket(socket.AF_UNIX) as arbiter:
    arbiter.connect("/bot/arbiter.sock")
    arbiter.send(b"hello")
"""
    spec = arena.spec(code)
    spec.socket_path.unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(spec.socket_path))
        listener.listen()
        listener.settimeout(20)
        bot = arena.launch(spec)
        with listener.accept()[0] as connection:
            assert connection.recv(100) == b"hello"
        found = spec.socket_path.stat()
        assert found.st_mode & 0o777 == 0o600
        assert found.st_uid not in (os.getuid(), 0)
        arena.wait(bot)


def test_the_archive_is_read_only_and_the_one_that_was_announced(arena):
    code = "import os\nprint(open('/bot/archive', 'rb').read(), os.access('/bot/archive', os.W_OK))"
    assert arena.run(code).stderr == "b'an archive that no test opens' False\n"


def test_an_archive_with_another_digest_is_refused_and_leaves_nothing(arena):
    bot = arena.start("pass")
    arena.wait(bot)
    assert "announced was 0000" in arena.refusal(dataclasses.replace(arena.spec("print()"), digest="0" * 64))
    assert groups(bot.uid) == []


def test_an_archive_that_is_not_there_is_refused(arena, tmp_path):
    spec = dataclasses.replace(arena.spec("print()"), archive_path=tmp_path / "none")
    assert "cannot open" in arena.refusal(spec)


def test_a_socket_that_was_given_to_one_bot_is_not_given_to_another(arena):
    spec = arena.spec("pass")
    arena.wait(arena.launch(spec))
    assert "belongs to uid" in arena.refusal(spec)


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch], ids=["folder", "file"])
def test_a_file_that_is_no_socket_is_refused(arena, tmp_path, make):
    make(tmp_path / "thing")
    spec = dataclasses.replace(arena.spec("pass"), socket_path=tmp_path / "thing")
    assert "is no socket" in arena.refusal(spec)


def test_limits_that_no_interpreter_can_live_with_are_refused():
    with pytest.raises(ValueError, match="memory_bytes=1024 is too small"):
        Limits(memory_bytes=1024)


def test_nothing_is_left_of_a_bot(arena, processes_of):
    mounted = Path("/proc/self/mountinfo").read_text()
    bot = arena.start("import time; time.sleep(600)")
    uid = Path(f"/proc/{bot.pid}").stat().st_uid
    assert uid != 0
    assert processes_of(uid) != []
    arena.kill(bot)
    assert processes_of(uid) == []
    assert not Path(f"/proc/{bot.pid}").exists()
    assert groups(bot.uid) == []
    assert Path("/proc/self/mountinfo").read_text() == mounted


def test_the_launcher_has_one_thread_and_no_grpc(arena, number_of):
    proc = Path(f"/proc/{number_of(arena.launcher)}")
    assert len(list((proc / "task").iterdir())) == 1
    assert "grpc" not in (proc / "maps").read_text()


ARBITER = """
import asyncio, os, sys, json
from pathlib import Path
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import PYTHON, BotSpec
from stichkampf_arbiter.sandbox.settings import SandboxSettings

async def main():
    launcher = await Launcher.start(SandboxSettings(first_uid=int(sys.argv[5]), uids=250))
    command = (PYTHON, "-I", "-S", "-c", sys.argv[4])
    spec = BotSpec(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), command=command)
    bot = await launcher.launch(spec)
    number = launcher._process.pid
    for _ in range(2):
        number = int(Path(f"/proc/{number}/task/{number}/children").read_text())
    print(json.dumps([bot.pid, number, bot.uid]), flush=True)
    print(await bot.wait(), flush=True)

asyncio.run(main())
"""
ORDINARY_ARBITER = """
import asyncio, os, signal, sys
from dataclasses import replace
from pathlib import Path
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import PYTHON, BotSpec
from stichkampf_arbiter.sandbox.settings import SandboxSettings
from stichkampf_arbiter.sandbox import client
from stichkampf_arbiter.sandbox.privileges.drop import give_up_root

async def main():
    launcher = await Launcher.start(SandboxSettings(warm=0))
    command = (PYTHON, "-I", "-S", "-c", "import time; time.sleep(600)")
    bot = await launcher.launch(BotSpec(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), command=command))
    number = launcher._process.pid
    for _ in range(2):
        number = int(Path(f"/proc/{number}/task/{number}/children").read_text())
    os.kill(number, signal.SIGSTOP)
    if os.getuid() == 0:
        give_up_root(uid=61234)
    client.ANSWER_SECONDS = 0.5
    print((await bot.kill()).kind, end=" ")
    await launcher.close()
    print(not Path(f"/proc/{number}").exists())

asyncio.run(main())
"""
DYING = """
import os, sys, tempfile
from pathlib import Path
from stichkampf_arbiter.sandbox.launcher import main as launcher, selftest

def die(trial, *waits_for):
    folder = tempfile.gettempdir()
    told.write_text("\\n".join([folder, *os.listdir(folder)]))
    os._exit(1)

told = Path(sys.argv.pop(1))
selftest._Trial._await_end = die
launcher.main()
"""
STUBBORN = """
import os, signal, time
for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
time.sleep(600)
"""


@pytest.fixture
def arbiter(arena):
    """A process that holds a launcher with one stubborn bot: it, the sandbox's first process and the
    launcher."""
    spec = arena.spec(STUBBORN)
    # Uids of its own: its groups are named after them, and no other launcher takes the name meanwhile.
    first_uid = 600_000 + os.getpid() % 1000 * BLOCK_UIDS
    arguments = [spec.digest, spec.archive_path, spec.socket_path, STUBBORN, str(first_uid)]
    with subprocess.Popen(
        [sys.executable, "-I", "-c", ARBITER, *arguments], stdout=subprocess.PIPE, text=True
    ) as process:
        yield process, *json.loads(process.stdout.readline())
        process.kill()


def test_with_the_arbiter_killed_every_sandbox_is_gone(arbiter, processes_of, until):
    process, first, launcher, claimed = arbiter
    uid = Path(f"/proc/{first}").stat().st_uid
    assert until(lambda: len(processes_of(uid)) > 16)
    process.kill()
    assert until(lambda: processes_of(uid) == [])
    assert until(lambda: not Path(f"/proc/{launcher}").exists())
    assert until(lambda: groups(claimed) == [])


def test_with_the_launcher_killed_every_sandbox_is_gone_and_reported_lost(
    arbiter, processes_of, until, start
):
    process, first, launcher, claimed = arbiter
    uid = Path(f"/proc/{first}").stat().st_uid
    os.kill(launcher, signal.SIGKILL)
    assert "ExitKind.LOST" in process.stdout.readline()
    assert until(lambda: processes_of(uid) == [])
    # What is left of its groups is swept by the next launcher.
    assert start().level is not SandboxLevel.REFUSED
    assert groups(claimed) == []


def test_with_the_arbiter_killed_a_stopped_launcher_is_ended_with_every_sandbox(
    arbiter, processes_of, until, start
):
    process, first, launcher, claimed = arbiter
    uid = Path(f"/proc/{first}").stat().st_uid
    os.kill(launcher, signal.SIGSTOP)
    process.kill()
    assert until(lambda: processes_of(uid) == [])
    assert until(lambda: not Path(f"/proc/{launcher}").exists())
    assert start().level is not SandboxLevel.REFUSED
    assert groups(claimed) == []


def test_a_launcher_that_ends_before_it_reads_its_settings_is_refused(loop):
    launcher = loop.run(Launcher.start(program=("-I", "-c", "pass")))
    loop.run(launcher.close())
    assert launcher.level is SandboxLevel.REFUSED
    assert "ended before it was ready" in launcher.reason


def test_a_launcher_that_dies_in_its_self_test_leaves_no_file(loop, tmp_path):
    told = tmp_path / "told"
    launcher = loop.run(Launcher.start(program=("-I", "-c", DYING, str(told))))
    loop.run(launcher.close())
    assert launcher.level is SandboxLevel.REFUSED
    folder, *content = told.read_text().splitlines()
    assert content
    assert not Path(folder).exists()


def test_a_launcher_is_ended_by_an_arbiter_that_has_given_up_root(arena):
    spec = arena.spec("import time; time.sleep(600)")
    arguments = [spec.digest, spec.archive_path, spec.socket_path]
    done = subprocess.run(
        [sys.executable, "-I", "-c", ORDINARY_ARBITER, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "lost True\n", done.stderr


def test_a_launcher_that_has_ended_starts_no_bot(start, loop, arena, number_of):
    launcher = start()
    os.kill(number_of(launcher), signal.SIGKILL)
    loop.run(asyncio_wait(launcher))
    with pytest.raises(SandboxError, match="launcher process has ended"):
        loop.run(launcher.launch(arena.spec("pass")))


def test_a_launcher_that_does_not_answer_is_ended_with_its_bots(
    start, loop, arena, number_of, monkeypatch, until
):
    launcher = start()
    bot = loop.run(launcher.launch(arena.spec("import time; time.sleep(600)")))
    monkeypatch.setattr("stichkampf_arbiter.sandbox.client.ANSWER_SECONDS", 0.5)
    os.kill(number_of(launcher), signal.SIGSTOP)
    assert loop.run(bot.kill()).kind is ExitKind.LOST
    assert until(lambda: not Path(f"/proc/{bot.pid}").exists())
    with pytest.raises(SandboxError, match="launcher process has ended"):
        loop.run(launcher.launch(arena.spec("pass")))


def test_a_launcher_that_may_not_make_namespaces_says_so(loop):
    async def why() -> str:
        return await why_it_ended(["--user", "--map-root-user", "--no-such-option"])

    reason = loop.run(why())
    assert reason.startswith("this process may not make namespaces (")
    assert "unrecognized option '--no-such-option'" in reason


def test_sockets_where_sandboxes_are_put_together_are_refused(arena):
    spec = arena.spec("pass")
    error = arena.refusal(dataclasses.replace(spec, socket_path=Path("/dev/shm/arbiter.sock")))
    assert "cannot lie in /dev/shm: choose another folder" in error


@pytest.mark.parametrize("weight", WEIGHT_CLASSES.values(), ids=WEIGHT_CLASSES.keys())
def test_an_archive_above_the_published_size_is_refused(arena, tmp_path, weight: WeightClass):
    content = bytes(weight.archive_bytes + 1)
    (tmp_path / "archive").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    spec = arena.spec("pass", limits=Limits.of(weight))
    spec = dataclasses.replace(spec, archive_path=tmp_path / "archive", digest=digest)
    assert f"the archive is larger than {weight.archive_bytes:,} bytes" in arena.refusal(spec)


async def asyncio_wait(launcher: Launcher) -> None:
    await launcher.gone


def test_closing_ends_every_bot(start, loop, arena, processes_of):
    launcher = start()
    bots = [loop.run(launcher.launch(arena.spec("import time; time.sleep(600)"))) for _ in range(3)]
    uids = [Path(f"/proc/{bot.pid}").stat().st_uid for bot in bots]
    loop.run(launcher.close())
    assert [processes_of(uid) for uid in uids] == [[], [], []]
    assert {loop.run(bot.wait()).kind for bot in bots} == {ExitKind.LOST}


def test_an_ordinary_user_is_told_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("stichkampf_arbiter.sandbox.preconditions.shutil.which", lambda name: None)
    assert "apt-get install uidmap" in missing_for_ordinary_user(tmp_path)
    monkeypatch.setattr(
        "stichkampf_arbiter.sandbox.preconditions.shutil.which", lambda name: f"/usr/bin/{name}"
    )
    (tmp_path / "subuid").write_text("someone:1:2\n")
    assert f"to {tmp_path}/subuid" in missing_for_ordinary_user(tmp_path)
    for name in ("subuid", "subgid"):
        (tmp_path / name).write_text(f"{os.getuid()}:100000:65536\n")
    assert missing_for_ordinary_user(tmp_path) is None


def test_an_ordinary_user_without_uids_for_bots_is_refused():
    code = textwrap.dedent("""
        import asyncio
        from stichkampf_arbiter.sandbox.client import Launcher
        async def main():
            launcher = await Launcher.start()
            print(launcher.level, launcher.reason)
        asyncio.run(main())
    """)
    run_as = ["-m", "stichkampf_arbiter.sandbox.run_as", "--uid", "61234", "--", sys.executable, "-I"]
    done = subprocess.run(
        [sys.executable, "-I", *run_as, "-c", code], capture_output=True, text=True, check=False
    )
    if os.getuid() == 0:
        assert done.stdout.startswith("refused bots need uids of their own"), done
    else:
        assert "only root can become another uid" in done.stderr


def test_a_spec_names_the_client_as_its_command():
    spec = BotSpec("0" * 64, Path("archive"), Path("socket"))
    assert spec.command[1:4] == ("-I", "-m", "stichkampf.client")
