"""The benchmark of the arbiter: its measurements, its bots' quiet end, and its report of missed goals."""

import asyncio
import shutil
import tempfile
from pathlib import Path

import pytest
from stichkampf_arbiter.connection.lateness import new_loop

from benchmarks.arbiter.figures import Figure, quantile, table_row
from benchmarks.arbiter.goals import Goal, goals_of
from benchmarks.arbiter.rows import matches, raw, unbatched, wire
from benchmarks.arbiter.trials import beside_floods, two_arbiters

pytestmark = pytest.mark.machine

NAMES = {raw: "raw gRPC", wire: "wire", unbatched: "unbatched", matches: "matches"}


@pytest.fixture
def short_folder():
    """A folder whose path leaves room for the name of a socket."""
    folder = Path(tempfile.mkdtemp(prefix="sk-"))
    yield folder
    shutil.rmtree(folder)


def run(trial, *arguments):
    """Run a trial on the loop of an arbiter."""
    loop, selector = new_loop()
    try:
        found = loop.run_until_complete(trial(*arguments, selector))
        if ending := asyncio.all_tasks(loop):  # gRPC's own tasks end after its server
            loop.run_until_complete(asyncio.wait(ending, timeout=30))
        return found
    finally:
        loop.close()


def figure(name, tables, wait, *, decisions=100, played=0):
    return Figure(
        name,
        tables,
        waits=[wait] * decisions,
        charges=[wait] * decisions,
        seconds=1.0,
        cpu_seconds=wait * decisions,
        played=played,
    )


@pytest.mark.parametrize("row", NAMES, ids=NAMES.values())
def test_a_row_measures_all_tables_and_its_bots_end_quietly(row, short_folder, capfd):
    found = run(row, 3, 0.1, short_folder / row.__name__)
    assert (found.name, found.tables) == (NAMES[row], 3)
    assert found.rate * found.seconds == pytest.approx(len(found.waits))
    assert 0 < found.cpu_seconds <= 1.5 * found.seconds
    assert found.played == 3
    assert len(found.charges) == (0 if row in (raw, matches) else len(found.waits))
    assert "Traceback" not in capfd.readouterr().err


def test_an_honest_bot_is_measured_beside_floods(short_folder):
    ratios, floods = run(beside_floods, 1, 0.3, short_folder)
    assert len(ratios) == 1
    assert floods >= 1


def test_two_arbiters_play_at_the_same_time(short_folder):
    assert two_arbiters(0.1, short_folder / "arbiters") > 0


def test_a_row_shows_the_medians_of_the_rounds():
    rounds = [figure("wire", 32, wait, decisions=int(1 / wait)) for wait in (0.001, 0.01, 0.0001)]
    assert table_row(rounds).split() == ["wire", "32", "1,000", "1000.0", "1,000", "1,000"]


def test_a_quantile_is_one_of_the_values():
    assert [quantile([3.0, 1.0, 2.0], share) for share in (0.0, 0.5, 0.99, 1.0)] == [1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("found", "sign", "bound", "met"),
    [
        ([1.0, 9.0, 1.2], "<=", 1.2, True),
        ([1.0, 9.0, 1.3], "<=", 1.2, False),
        ([8.0], ">=", 8.0, True),
        ([7.9], ">=", 8.0, False),
    ],
)
def test_the_median_decides_whether_a_goal_is_met(found, sign, bound, met):
    goal = Goal("a goal", found, sign, bound)
    assert goal.met is met
    assert goal.summary().endswith("met" if met else "MISSED")


def test_ratios_are_taken_within_a_round():
    rounds = {
        (name, tables): [figure(name, tables, wait, played=tables), figure(name, tables, 10 * wait)]
        for name, wait in (("raw gRPC", 1e-4), ("wire", 1.2e-4), ("unbatched", 2e-4), ("matches", 3e-4))
        for tables in (1, 32, 256)
    }
    goals = {goal.name: goal for goal in goals_of(rounds)}
    assert goals["p50, tables: 1 / raw gRPC"].found == pytest.approx([1.2, 1.2])
    assert goals["CPU a decision, tables: 256 / one raw stream"].found == pytest.approx([1.2, 1.2])
    assert goals["decisions/s, tables: 32, batched / unbatched"].found == pytest.approx([1.0, 1.0])
    assert goals["tables that play at once, of 256"].found == [256.0, 0.0]
    assert not goals["tables that play at once, of 256"].met


def test_goals_need_their_measurements():
    rounds = {(name, 1): [figure(name, 1, 1e-4)] for name in ("raw gRPC", "wire", "unbatched", "matches")}
    assert [goal.name for goal in goals_of(rounds)] == [
        "p50, tables: 1 / raw gRPC",
        "CPU a decision, tables: 1 / one raw stream",
    ]
