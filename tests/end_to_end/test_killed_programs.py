"""Killing a program in mid-tournament costs no result and counts none twice."""

import json
from itertools import chain

import pytest
from stichkampf.match.verify import verify
from stichkampf.rating import Results, rate
from support import wait_until

BLOCKS = 15
BOTS = ["random", "timid", "bold", "thumb", "glimpse"]
pytestmark = [
    pytest.mark.timeout(1500),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["sqlite"], indirect=True, scope="package"),
]


@pytest.fixture(scope="package")
def tournament(platform):
    """Play a tournament while arbiter, workers and Redis are killed; yields its slug."""
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="Kills", slug="kills", game="sticheln", seats=4, options='{"length": "deals:3"}',
        blocks_planned=BLOCKS, bots=BOTS,
    )  # fmt: skip
    for share, name in (
        (0.1, "arbiter"),
        (0.25, "workers"),
        (0.4, "redis"),
        (0.6, "arbiter"),
        (0.7, "workers"),
    ):
        wait_until(
            lambda share=share: _done(platform) >= share * BLOCKS * 4,
            300,
            goal=f"{share:.0%} of the tables are played",
        )
        platform.restart(name)
    wait_until(lambda: platform.is_finished("kills"), 300, goal="the tournament is over")
    return "kills"


def _done(platform):
    return platform.progress("kills")["progress"]["tables_done"]


@pytest.fixture(scope="package")
def records(platform, tournament):
    text = platform.visitor().page(f"/api/v1/tournaments/{tournament}/records/")
    return [json.loads(line) for line in text.splitlines()]


def test_every_planned_table_is_played_once(platform, tournament, records):
    progress = platform.progress(tournament)["progress"]
    assert progress["tables_done"] == progress["tables"] == len(records) == 4 * BLOCKS
    tables = platform.visitor().api(f"/api/v1/tournaments/{tournament}/tables/?limit=1000")
    assert tables["count"] == 4 * BLOCKS
    assert all([result["seat"] for result in table["results"]] == [0, 1, 2, 3] for table in tables["results"])
    lanes = {(table["block"], table["lane"]) for table in tables["results"]}
    assert lanes == {(block, lane) for block in range(BLOCKS) for lane in range(4)}


def test_every_record_agrees_with_the_rules(records):
    for record in records:
        verify(record)


def test_the_tables_of_a_block_share_deals_that_no_other_block_has(records):
    deals = [json.dumps([deal["hands"] for deal in record["deals"]]) for record in records]
    blocks = [deals[first : first + 4] for first in range(0, len(deals), 4)]
    assert all(len(set(block)) == 1 for block in blocks)
    assert len(set(chain(*blocks))) == BLOCKS


def test_no_bot_has_a_fault_because_a_program_was_killed(records):
    assert [record["faults"] for record in records if record["faults"]] == []


def test_the_ratings_are_those_of_the_exported_records(platform, tournament, records):
    rows = [
        (number // 4, seat, record["seats"][seat]["bot"], record["scores"][seat])
        for number, record in enumerate(records)
        for seat in range(4)
    ]
    expected = rate(Results.from_rows(rows))

    def final():
        status, text = platform.visitor().get(f"/api/v1/tournaments/{tournament}/standings/")
        return json.loads(text) if status == 200 and json.loads(text)["final"] else None

    standings = wait_until(final, goal="the final ratings are published")
    assert standings["tables"] == 4 * BLOCKS
    assert standings["comparisons"] == int(expected.comparisons.count.sum())
    for line in standings["ratings"]:
        assert line["elo"] == pytest.approx(expected[line["bot"]].elo, abs=1e-6)
        assert line["plus_minus"] == pytest.approx(expected[line["bot"]].plus_minus, abs=1e-6)
