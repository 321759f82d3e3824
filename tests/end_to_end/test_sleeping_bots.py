"""Tables at which bots only wait hold no other tournament up."""

import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc
from stichkampf_platform.supervisor.launch import launch

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("road")]

BLOCKS = 16
PROCESSES_A_BLOCK = 16
SLEEPERS = [f"sleeper-{number}" for number in range(4)]
QUICK = [f"quick-{number}" for number in range(4)]
HOUSE = ["thumb", "random", "timid", "bold"]
SOURCE = """
import time
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        time.sleep({seconds})
        return table.legal[0]
"""


def approve(installation, slugs, source):
    command = [sys.executable, str(Path(__file__).with_name("approve.py")), source, *slugs]
    with launch(installation.place, command, subprocess.PIPE, secrets=True) as process:
        output = process.communicate()[0].decode()
    assert process.returncode == 0, output


def hosted_processes(installation):
    """How many hosted bots are there, as the arbiter says."""
    with grpc.insecure_channel(
        f"unix:{installation.place.arbiter_socket}", options=[("grpc.enable_http_proxy", 0)]
    ) as channel:
        bots = arbiter_pb2_grpc.ArbiterStub(channel).ListBots(pb.ListBotsRequest(), timeout=60).bots
    return sum(bool(bot.lane) for bot in bots)


def told(installation, slug):
    return installation.progress(slug)["progress"]


def played(installation, slug):
    return told(installation, slug)["tables_done"]


@pytest.mark.parametrize("installation", ["postgresql"], indirect=True)
def test_sixty_four_tables_of_bots_that_sleep_hold_no_other_tournament_up(installation):
    """They sleep for as long as they may. Two other tournaments have a whole table played before one of these
    is over."""
    approve(installation, SLEEPERS, SOURCE.format(seconds=2.9))
    approve(installation, QUICK, SOURCE.format(seconds=0))
    admin = installation.administrator()
    common = {"game": "sticheln", "seats": 4, "options": '{"edition": "short", "length": "deals:4"}'}
    installation.make_tournament(
        admin, name="Sleep", slug="sleep", blocks_planned=BLOCKS, bots=SLEEPERS, **common
    )
    assert told(installation, "sleep")["tables"] == BLOCKS * len(SLEEPERS)
    installation.wait_until(
        "bots that sleep fill the room that they may have",
        lambda: hosted_processes(installation) >= 4 * PROCESSES_A_BLOCK,
        seconds=600,
    )
    try:
        for slug, bots in (("house", HOUSE), ("quick", QUICK)):
            installation.make_tournament(admin, name=slug, slug=slug, blocks_planned=1, bots=bots, **common)
            installation.wait_until(
                f"{slug} has a table", lambda slug=slug: played(installation, slug), seconds=300
            )
            assert played(installation, "sleep") == 0
    finally:
        installation.act(admin, "tournaments/tournament", "cancel", "sleep")
