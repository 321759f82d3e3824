"""A bot that really gets no processor core, at a real arbiter: no fault, and set aside in the end.

Busy processes stand beside the sandboxes of this arbiter. Once a bot has used as much CPU time as its start
and the begin of a decision take, its control group gets next to no share beside them. The longest time of a
question is short at this arbiter. The busy processes rest while no bot is to be kept from a core.

The suite plays such a table once, `make nightly` until the bot is set aside; `test_busy_node.py` shows the
same of an arbiter that says so.
"""

import os
import signal
import threading
from contextlib import ExitStack, suppress

import pytest
from django.core.files.base import ContentFile
from stichkampf.packaging.archive import check_archive
from stichkampf_arbiter.sandbox.cgroups.driver import hierarchies
from stichkampf_arbiter.sandbox.cgroups.files import PREFIX
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.tournaments.models import Fault, Result, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import busy_node, play_block
from support import archive, busy_cores, running_arbiter, stat_of, wait_until

pytestmark = pytest.mark.timeout(1200)

BEGUN_SECONDS = 1.2
LIMIT_SECONDS = 2.5
BOT = """
from stichkampf import Bot

class Thinks(Bot):
    def choose(self, table):
        while True:
            pass
"""
ARBITER = """
import runpy
from stichkampf import limits

limits.HARD_END_FACTOR, limits.HARD_END_SECONDS = 1, 1
runpy.run_module("stichkampf_arbiter", run_name="__main__")
"""


@pytest.fixture
def arbiter_process():
    """An arbiter at which a question ends a second after its limit; the program and its address."""
    with running_arbiter("-c", ARBITER) as running:
        yield running


@pytest.fixture
def arbiter(arbiter_process):
    client = ArbiterClient(arbiter_process[1])
    client.status(seconds=120)
    yield client
    client.close()


@pytest.fixture
def no_core(arbiter, arbiter_process):
    """Keeps bots that have begun to think from all cores."""
    pid = arbiter_process[0].pid
    group = wait_until(lambda: group_of(pid), goal="the arbiter has made a sandbox")
    neighbours = group / "neighbours"
    neighbours.mkdir()
    over = threading.Event()
    with ExitStack() as stack:
        stack.callback(neighbours.rmdir)
        busy = stack.enter_context(busy_cores(2))
        for process in busy:
            (neighbours / "cgroup.procs").write_text(str(process.pid))
        starver = threading.Thread(target=starve, args=(group, busy, over))
        starver.start()
        yield
        over.set()
        starver.join()


def group_of(arbiter_pid):
    """The control group that holds those of all sandboxes of an arbiter."""
    mounted = next(each.own for each in hierarchies() if each.version == 2 or "cpu" in each.controllers)
    for group in mounted.glob(f"{PREFIX}*"):
        if any(descends(pid, arbiter_pid) for bot in group.glob("bot-*") for pid in processes(bot)):
            return group
    return None


def starve(group, busy, over):
    """Give bots that have begun next to no share; the neighbours run only while there is one."""
    while not over.wait(0.02):
        starved = False
        for bot in group.glob("bot-*"):
            with suppress(OSError):  # it is gone meanwhile
                if sum(map(cpu_seconds, processes(bot))) > BEGUN_SECONDS:
                    (bot / "cpu.idle").write_text("1")
                    starved = True
        for process in busy:
            process.send_signal(signal.SIGCONT if starved else signal.SIGSTOP)


def processes(group):
    with suppress(OSError):
        return (group / "cgroup.procs").read_text().split()
    return []


def descends(pid, ancestor):
    with suppress(OSError):
        while int(pid) > 1:
            pid = stat_of(pid)[1]
            if int(pid) == ancestor:
                return True
    return False


def cpu_seconds(pid):
    return sum(map(int, stat_of(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def tournament(make_tournament, submitted, person, house):
    content = archive(BOT)
    version = submitted(person("ann"))
    version.digest = check_archive(content).sha256
    version.archive.save(version.digest, ContentFile(content))
    version.save()
    made = make_tournament(
        versions=[version, house["thumb"], house["random"]],
        blocks=2, move_seconds=LIMIT_SECONDS, bank_seconds=0, cap_seconds=LIMIT_SECONDS,
    )  # fmt: skip
    lifecycle.start(tournament=made)
    return made


def test_the_table_of_a_bot_without_a_core_is_kept_for_later_without_a_fault(tournament, arbiter, no_core):
    block = tournament.blocks.order_by("number").first()
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 0
    assert set(block.tables.values_list("kept", "state")) == {(1, Table.State.PENDING)}
    assert not Fault.objects.exists()
    assert not Result.objects.exists()


@pytest.mark.nightly
def test_a_bot_without_a_core_plays_alone_three_times_and_is_then_set_aside(tournament, arbiter, no_core):
    block = tournament.blocks.order_by("number").first()
    for kept in range(1, 1 + busy_node.TIMES_ALONE):
        assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 0
        assert set(block.tables.values_list("kept", "state")) == {(kept, Table.State.PENDING)}
        assert not tournament.entrants.filter(out_as="set aside").exists()
    play_block.play_block(block_id=block.pk, arbiter=arbiter)
    (out,) = tournament.entrants.filter(out_as="set aside")
    assert out.version.bot.slug == "karl"
    assert "without a fault" in out.out_for
    assert not Fault.objects.exists()
    assert not Result.objects.exists()
    tournament.refresh_from_db()
    assert tournament.state != Tournament.State.PAUSED
