"""Tables at which bots only sleep do not delay other tournaments."""

import time

import grpc
import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc
from support import wait_until

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("end_to_end")]

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


def hosted_processes(platform):
    """Ask the arbiter for its number of hosted bots."""
    with grpc.insecure_channel(
        f"unix:{platform.installation.arbiter_socket}", options=[("grpc.enable_http_proxy", 0)]
    ) as channel:
        bots = arbiter_pb2_grpc.ArbiterStub(channel).ListBots(pb.ListBotsRequest(), timeout=60).bots
    return sum(bool(bot.lane) for bot in bots)


def progress_of(platform, slug):
    return platform.progress(slug)["progress"]


def played(platform, slug):
    return progress_of(platform, slug)["tables_done"]


@pytest.mark.parametrize("platform", ["postgresql"], indirect=True)
def test_sixty_four_tables_of_sleeping_bots_do_not_delay_other_tournaments(platform):
    """They use their whole time. Two other tournaments finish a table before one of theirs is over.

    `pytest -s` shows how soon.
    """
    for slugs, seconds in ((SLEEPERS, 2.9), (QUICK, 0)):
        platform.approved(SOURCE.format(seconds=seconds), ["sticheln"], *(f"{slug}/{slug}" for slug in slugs))
    admin = platform.administrator()
    common = {"game": "sticheln", "seats": 4, "options": '{"edition": "short", "length": "deals:4"}'}
    platform.make_tournament(
        admin, name="Sleep", slug="sleep", blocks_planned=BLOCKS, bots=SLEEPERS, **common
    )
    assert progress_of(platform, "sleep")["tables"] == BLOCKS * len(SLEEPERS)
    wait_until(
        lambda: hosted_processes(platform) >= 4 * PROCESSES_A_BLOCK,
        600,
        goal="sleeping bots have all processes that they may have",
    )
    try:
        for slug, bots in (("house", HOUSE), ("quick", QUICK)):
            platform.make_tournament(admin, name=slug, slug=slug, blocks_planned=1, bots=bots, **common)
            begun = time.monotonic()
            wait_until(lambda slug=slug: played(platform, slug), 300, goal=f"{slug} has a table")
            print(f"{slug}: a table was played {time.monotonic() - begun:.1f} s after its start")
            assert played(platform, "sleep") == 0
    finally:
        platform.act(admin, "tournaments/tournament", "cancel", "sleep")
