"""Machines that die, hang, or are cut off in mid-match cost nothing but time: nothing is lost or doubled.

The hosts are made of network namespaces, by root. Tables last for a quarter of a minute, so that every fault
meets some that have begun. The suite loses a node; `make nightly` loses everything else.
"""

import json
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

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
HOLDER = """
import time
import django
django.setup()
from django.db import connection, transaction
with transaction.atomic(), connection.cursor() as cursor:
    cursor.execute("LOCK TABLE core_node")
    print("held", flush=True)
    time.sleep(90)
print("released", flush=True)
"""
"""A program in the middle of a transaction."""
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
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


@contextmanager
def running_machines(*databases, **settings):
    with Machines(settings=settings) as machines:
        machines.start_head(*databases)
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
def test_a_machine_that_is_cut_off_in_a_transaction_holds_its_locks_for_half_a_minute(machines):
    first, _ = machines.nodes
    log = machines.folder / "holder.log"
    machines.run_python(first, log, "-c", HOLDER)
    machines.wait_for(lambda: "held" in log.read_text(), "the table is locked")
    first.cut_off()
    try:
        machines.sql("SELECT 1 FROM core_node")
        assert "released" not in log.read_text()
    finally:
        first.plug_in()


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
    play.until_done(TABLES_A_BLOCK)
    second.call("rm", state / "ballast")
    play.to_its_end()
    second.kill()
    second.start()
    machines.run_node(second)


@pytest.mark.nightly
@pytest.mark.parametrize("minutes", [5, -5])
def test_a_node_whose_clock_is_wrong_plays_its_share(machines, minutes):
    """The library of Debian's package faketime moves the clock of arbiter and worker, not that of bots."""
    assert FAKETIME.exists(), "install Debian's faketime"
    _, second = machines.nodes
    second.kill()
    second.start()
    machines.run_node(second, LD_PRELOAD=str(FAKETIME), FAKETIME=f"{60 * minutes:+d}s")
    off = "SELECT round(clock_skew_seconds) FROM core_node WHERE name = %s"
    machines.wait_for(lambda: machines.sql(off, second.name) == [(60 * minutes,)], "its clock is named")
    play = Play(machines, f"clock-{'ahead' if minutes > 0 else 'behind'}", 6)
    found = play.to_its_end()
    assert found["nodes"][second.name] >= 2
    assert found["attempts"] == {"1": play.tables}
    second.kill()
    second.start()
    machines.run_node(second)


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_postgresql_that_is_restarted_loses_nothing(machines, how):
    play = Play(machines, f"restart-{how}", 4)
    play.begun_at(machines.nodes[0])
    machines.control_database(machines.database, "stop", "-m", how)
    machines.run_database(machines.database)
    play.to_its_end()


@pytest.mark.nightly
def test_the_store_that_is_away_for_two_minutes_loses_nothing(machines):
    play = Play(machines, "store", 4)
    play.until_done(TABLES_A_BLOCK)
    elsewhere = machines.store.with_name("away")
    machines.store.rename(elsewhere)
    time.sleep(120)
    elsewhere.rename(machines.store)
    play.to_its_end()
    waiting = "SELECT count(*) FROM storage_storedfile WHERE copied_at IS NULL"
    machines.wait_for(lambda: machines.sql(waiting) == [(0,)], "every file is in the store")


@pytest.mark.nightly
def test_a_standby_takes_over_from_a_database_that_vanishes():
    with running_machines("first-database", "second-database") as machines:
        play = Play(machines, "failover", 4)
        play.begun_at(machines.nodes[0])
        vanished, machines.database = machines.databases
        vanished.cut_off()
        machines.control_database(machines.database, "promote")
        play.to_its_end()
