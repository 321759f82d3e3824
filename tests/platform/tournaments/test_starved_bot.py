"""A bot that really gets no processor core, at a real arbiter: nobody's fault, and set aside in the end.

Its control group is given next to no share of cores that are busy, as soon as it shows by a crowd of threads
that it has begun to think. The longest time of a question is short at this arbiter.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from stichkampf.archives import check_archive
from stichkampf_arbiter.sandbox.cgroups import PREFIX, hierarchies
from stichkampf_platform.arbiter import Arbiter
from stichkampf_platform.tournaments import busy_node, play, services
from stichkampf_platform.tournaments.models import Fault, Result, Table, Tournament

pytestmark = pytest.mark.timeout(1200)

ORDINARY_UID = 54_321
THREADS = 40
BOT = f"""
import threading, time
from stichkampf import Bot

class Thinks(Bot):
    def choose(self, table):
        while time.process_time() < 0.8:
            pass
        for _ in range({THREADS}):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        while True:
            pass
"""
ARBITER = """
import runpy
from stichkampf import limits

limits.HARD_END_FACTOR, limits.HARD_END_SECONDS = 2, 2
runpy.run_module("stichkampf_arbiter", run_name="__main__")
"""
BURN = "while True: pass"


@pytest.fixture
def arbiter_process():
    """An arbiter at which a question ends after 2 seconds and twice its limit; the process and its address."""
    folder = Path(tempfile.mkdtemp(prefix="sk-"))
    if os.getuid() == 0:
        os.chown(folder, ORDINARY_UID, ORDINARY_UID)
    address = f"unix:{folder / 'arbiter.sock'}"
    environment = {
        "PATH": os.environ["PATH"],
        "ARBITER_ADDRESS": address,
        "STICHKAMPF_STATE_DIR": str(folder),
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-c", ARBITER], env=environment, stdout=log, stderr=log)
    yield process, address
    process.terminate()
    assert process.wait(60) == 0, (folder / "log").read_text()
    shutil.rmtree(folder)


@pytest.fixture
def arbiter(arbiter_process):
    door = Arbiter(arbiter_process[1])
    door.status(seconds=120)
    yield door
    door.close()


@pytest.fixture
def no_core(arbiter_process):
    """Keeps all cores busy, and bots that have begun to think from them."""
    process, _ = arbiter_process
    over = threading.Event()
    starver = threading.Thread(target=starve, args=(process.pid, over))
    with ExitStack() as stack:
        for _ in range(2 * len(os.sched_getaffinity(0))):
            stack.callback(stack.enter_context(subprocess.Popen([sys.executable, "-I", "-c", BURN])).kill)
        starver.start()
        yield
        over.set()
        starver.join()


def starve(arbiter_pid, over):
    mounted = next(each.own for each in hierarchies() if each.version == 2 or "cpu" in each.controllers)
    while not over.wait(0.02):
        for group in mounted.glob(f"{PREFIX}*"):
            with suppress(OSError):  # gone meanwhile
                pids = [pid for bot in group.glob("*/cgroup.procs") for pid in bot.read_text().split()]
                if any(descends(pid, arbiter_pid) for pid in pids):
                    thinking = any(threads(pid) > THREADS for pid in pids)
                    (group / "cpu.idle").write_text(str(int(thinking)))


def descends(pid, ancestor):
    with suppress(OSError):
        while int(pid) > 1:
            pid = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
            if int(pid) == ancestor:
                return True
    return False


def threads(pid):
    with suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/task"))
    return 0


@pytest.fixture
def tournament(make_tournament, submitted, person, house):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("bot.py", BOT)
    version = submitted(person("ann"))
    version.digest = check_archive(content.getvalue()).sha256
    version.archive.save(version.digest, ContentFile(content.getvalue()))
    version.save()
    made = make_tournament(
        versions=[version, house["thumb"], house["random"]],
        blocks=2, move_seconds=1.5, bank_seconds=0, cap_seconds=1.5,
    )  # fmt: skip
    services.start(tournament=made)
    return made


def test_a_bot_that_gets_no_core_is_tried_three_times_alone_then_set_aside_without_a_fault(
    tournament, arbiter, no_core
):
    block = tournament.blocks.order_by("number").first()
    for kept in range(1, 1 + busy_node.TIMES_ALONE):
        assert play.play_block(block_id=block.pk, arbiter=arbiter) == 0
        assert set(block.tables.values_list("kept", "state")) == {(kept, Table.State.OPEN)}
        assert not tournament.entrants.filter(set_aside=True).exists()
    play.play_block(block_id=block.pk, arbiter=arbiter)
    (out,) = tournament.entrants.filter(set_aside=True)
    assert out.version.bot.slug == "karl"
    assert "without a fault" in out.disqualified_for
    assert not Fault.objects.exists()
    assert not Result.objects.exists()
    tournament.refresh_from_db()
    assert tournament.state != Tournament.State.PAUSED
