"""Machines that die, hang, or are cut off in mid-match cost nothing but time: nothing is lost or doubled.

The hosts are made of network namespaces, by root. Tables last for a quarter of a minute, so that every fault
meets some that have begun. The suite loses a node; `make nightly` nodes for a while, a disk, a clock,
a store, databases.
"""

import json
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from stichkampf_platform.supervisor.installation import checkout

from benchmarks.nodes.bucket import names_in_bucket
from benchmarks.nodes.machines import Machines

pytestmark = [pytest.mark.timeout(1800), pytest.mark.xdist_group("supervised")]

WAITING_SECONDS = "0.15"
TABLES_A_BLOCK = 4
RUNNING = (
    "SELECT count(*) FROM tournaments_table t JOIN tournaments_block b ON b.id = t.block_id"
    " JOIN tournaments_tournament o ON o.id = b.tournament_id"
    " WHERE o.slug = %s AND b.node = %s AND t.state <> 'done' AND t.lease_until > clock_timestamp()"
)
DONE = (
    "SELECT count(*) FROM tournaments_table t JOIN tournaments_block b ON b.id = t.block_id"
    " JOIN tournaments_tournament o ON o.id = b.tournament_id WHERE o.slug = %s AND t.state = 'done'"
)
RATED = (
    "SELECT 1 FROM ratings_snapshot s JOIN tournaments_tournament o ON o.id = s.tournament_id"
    " WHERE o.slug = %s AND s.final AND s.published"
)
NOT_COPIED = "SELECT count(*) FROM storage_storedfile WHERE copied_at IS NULL OR deleted"
RECORDS = (
    "SELECT r.file_name FROM tournaments_matchrecord r JOIN tournaments_table t ON t.id = r.table_id"
    " JOIN tournaments_block b ON b.id = t.block_id JOIN tournaments_tournament o ON o.id = b.tournament_id"
    " WHERE o.slug = %s"
)
PLAYED_BY = (
    "SELECT b.node, count(*) FROM tournaments_block b JOIN tournaments_tournament o ON o.id = b.tournament_id"
    " WHERE o.slug = %s GROUP BY b.node"
)
SKEW = "SELECT clock_skew_seconds FROM core_node WHERE name = %s"
CLOCK = Path("benchmarks/nodes/clock.c")
CLOCK_SECONDS = 300
AWAY_SECONDS = 45
"""Longer than a node may be silent and its lease lasts; the others have its blocks by then."""


class Play:
    """A tournament on several nodes, under way."""

    def __init__(self, machines, slug, blocks):
        self.machines, self.slug, self.tables = machines, slug, blocks * TABLES_A_BLOCK
        tournament(machines, "start", slug, str(blocks))

    def begun_at(self, node):
        """Wait until a node plays tables."""
        self.machines.wait_for(lambda: self.running_at(node), f"{node.name} plays", 300)

    def running_at(self, node):
        return self.machines.sql(RUNNING, self.slug, node.name)[0][0]

    @property
    def done(self):
        return self.machines.sql(DONE, self.slug)[0][0]

    def until_done(self, tables):
        self.machines.wait_for(lambda: self.done >= tables, f"{tables} tables are played", 600)

    def to_its_end(self):
        """Play to the end, and compare everything that it has left with the records."""
        self.until_done(self.tables)
        self.machines.wait_for(
            lambda: self.machines.sql(RATED, self.slug), "the final ratings are published", 300
        )
        found = json.loads(tournament(self.machines, "check", self.slug))
        print(self.slug, found)
        expected = {
            "state": "finished",
            "tables": {"done": self.tables},
            "replaced blocks": 0,
            "results a table": {"4": self.tables},
            "rated tables": self.tables,
            "faults": 0,
            "ladder equals the records": True,
            "ladder equals the results": True,
        }
        assert {name: found[name] for name in expected} == expected
        return found


def tournament(machines, *words):
    return machines.call_python("-m", "benchmarks.nodes.tournaments", *words)


def doctor(machines):
    """Return what the doctor says on the head, where it misses the workers of validation."""
    try:
        return machines.manage("doctor")
    except subprocess.CalledProcessError as found:
        return found.stdout


def started_again(machines, node, **settings):
    node.kill()
    node.start()
    machines.run_node(node, **settings)


@contextmanager
def running_machines(*databases, bucket="", **settings):
    with Machines(settings=settings) as machines:
        machines.start_head(*databases, bucket=bucket)
        tournament(machines, "bots", WAITING_SECONDS)
        for name in "ab":
            machines.start_node(name)
        yield machines


@pytest.fixture(scope="module")
def machines():
    """A head and two nodes."""
    with running_machines() as machines:
        yield machines


def test_a_node_that_dies_loses_its_tables_to_another_one(machines):
    first, _ = machines.nodes
    play = Play(machines, "death", 3)
    play.begun_at(first)
    first.kill()
    play.to_its_end()
    first.start()
    machines.run_node(first)


@pytest.mark.nightly
@pytest.mark.parametrize(("away", "back"), [("hang", "go_on"), ("cut_off", "plug_in")])
def test_a_node_that_hangs_or_is_cut_off_for_a_while_doubles_nothing(machines, away, back):
    first, _ = machines.nodes
    play = Play(machines, away.replace("_", "-"), 8)
    play.begun_at(first)
    getattr(first, away)()
    try:
        time.sleep(AWAY_SECONDS)
        assert play.running_at(first) == 0
    finally:
        getattr(first, back)()
    play.begun_at(first)
    play.to_its_end()


@pytest.mark.nightly
def test_a_node_with_a_full_disk_blames_no_bot(machines):
    _, second = machines.nodes
    second.kill()
    second.start()
    state = machines.folder / second.name / "state"
    second.call("mount", "-t", "tmpfs", "-o", "size=2m,mode=777", "tmpfs", state)
    second.call("chown", f"--reference={machines.folder / second.name / 'run'}", state)
    machines.run_node(second)
    second.call("sh", "-c", f"cat /dev/zero > {state}/ballast || true")
    play = Play(machines, "full-disk", 4)
    play.to_its_end()
    second.call("rm", state / "ballast")
    play = Play(machines, "room-again", 4)
    play.begun_at(second)
    play.to_its_end()
    started_again(machines, second)


@pytest.mark.nightly
@pytest.mark.parametrize("seconds", [CLOCK_SECONDS, -CLOCK_SECONDS])
def test_a_node_with_a_wrong_clock_plays_as_all_others_and_is_named(machines, seconds):
    _, second = machines.nodes
    clock = machines.folder / "clock.so"
    flags = ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", clock, checkout() / CLOCK], check=True)
    started_again(machines, second, LD_PRELOAD=str(clock), CLOCK_SECONDS=str(seconds))
    machines.wait_for(lambda: abs(machines.sql(SKEW, "b")[0][0] - seconds) < 2, "b says how its clock is")
    play = Play(machines, "clock-ahead" if seconds > 0 else "clock-behind", 8)
    play.begun_at(second)
    found = play.to_its_end()
    assert found["attempts"] == {"1": play.tables}
    assert min(dict(machines.sql(PLAYED_BY, play.slug)).values()) >= 2
    assert f"that of b is off by {seconds:+d} s" in doctor(machines)
    started_again(machines, second)


@pytest.mark.nightly
def test_postgresql_that_crashes_and_starts_again_loses_nothing(machines):
    play = Play(machines, "crash", 4)
    play.begun_at(machines.nodes[0])
    machines.control_database(machines.database, "stop", "-m", "immediate")
    machines.run_database(machines.database)
    play.to_its_end()


@pytest.mark.nightly
def test_a_standby_takes_over_from_a_database_that_vanishes():
    with running_machines("first-database", "second-database") as machines:
        play = Play(machines, "failover", 4)
        play.begun_at(machines.nodes[0])
        vanished, machines.database = machines.databases
        vanished.cut_off()
        machines.control_database(machines.database, "promote")
        play.to_its_end()


@pytest.mark.nightly
def test_a_store_that_is_away_costs_no_match_and_gets_everything_later():
    with running_machines(bucket="bucket") as machines:
        play = Play(machines, "store-away", 6)
        play.begun_at(machines.nodes[0])
        done = play.done
        machines.bucket.cut_off()
        until = time.monotonic() + AWAY_SECONDS
        machines.wait_for(
            lambda: play.done >= done + 2 * TABLES_A_BLOCK, "tables land without the store", 300
        )
        time.sleep(max(0, until - time.monotonic()))
        assert machines.sql(NOT_COPIED)[0][0]
        machines.bucket.plug_in()
        machines.wait_for(lambda: not machines.sql(NOT_COPIED)[0][0], "all files are in the store", 300)
        play.to_its_end()
        machines.wait_for(lambda: not machines.sql(NOT_COPIED)[0][0], "the last ones too", 300)
        names = {name for (name,) in machines.sql(RECORDS, play.slug)}
        assert len(names) == play.tables
        assert names <= set(names_in_bucket(machines.bucket))
