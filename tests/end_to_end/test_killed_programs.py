"""Killing a program in mid-tournament costs no result and counts none twice."""

import json
from itertools import chain

import pytest
from stichkampf.match.verify import verify
from stichkampf.rating import Results, rate

BLOCKS = 15
BOTS = ["random", "timid", "bold", "thumb", "glimpse"]
pytestmark = [
    pytest.mark.timeout(1500),
    pytest.mark.xdist_group("road"),
    pytest.mark.parametrize("installation", ["sqlite"], indirect=True, scope="package"),
]


@pytest.fixture(scope="package")
def tournament(installation):
    """A tournament in which arbiter, workers and Redis were killed; its slug."""
    admin = installation.administrator()
    installation.make_tournament(
        admin, name="Kills", slug="kills", game="sticheln", seats=4, options='{"length": "deals:3"}',
        blocks_planned=BLOCKS, bots=BOTS,
    )  # fmt: skip
    for share, name in (
        (0.1, "arbiter"),
        (0.25, "worker"),
        (0.4, "redis"),
        (0.6, "arbiter"),
        (0.7, "maintenance"),
    ):
        installation.wait_until(
            f"{share:.0%} of the tables are played",
            lambda share=share: _done(installation) >= share * BLOCKS * 4,
            seconds=300,
        )
        installation.restart(name)
    installation.wait_until(
        "the tournament is over", lambda: installation.progress("kills")["state"] == "finished", seconds=300
    )
    return "kills"


def _done(installation):
    return installation.progress("kills")["progress"]["tables_done"]


@pytest.fixture(scope="package")
def records(installation, tournament):
    text = installation.visitor().page(f"/api/tournaments/{tournament}/records/")
    return [json.loads(line) for line in text.splitlines()]


def test_every_planned_table_is_played_once(installation, tournament, records):
    progress = installation.progress(tournament)["progress"]
    assert progress["tables_done"] == progress["tables"] == len(records) == 4 * BLOCKS
    tables = installation.visitor().api(f"/api/tournaments/{tournament}/tables/?limit=1000")
    assert tables["count"] == 4 * BLOCKS
    assert all([result["seat"] for result in table["results"]] == [0, 1, 2, 3] for table in tables["results"])
    places = {(table["block"], table["lane"]) for table in tables["results"]}
    assert places == {(block, lane) for block in range(BLOCKS) for lane in range(4)}


def test_every_record_is_borne_out_by_the_rules(records):
    for record in records:
        verify(record)


def test_the_tables_of_a_block_play_the_same_deals_and_no_other_block_does(records):
    deals = [json.dumps([deal["hands"] for deal in record["deals"]]) for record in records]
    blocks = [deals[first : first + 4] for first in range(0, len(deals), 4)]
    assert all(len(set(block)) == 1 for block in blocks)
    assert len(set(chain(*blocks))) == BLOCKS


def test_no_bot_is_charged_with_what_the_platform_did(records):
    assert [record["faults"] for record in records if record["faults"]] == []


def test_the_ratings_are_those_of_the_exported_records(installation, tournament, records):
    rows = [
        (place // 4, seat, record["seats"][seat]["bot"], record["scores"][seat])
        for place, record in enumerate(records)
        for seat in range(4)
    ]
    expected = rate(Results.from_rows(rows))

    def final():
        status, text = installation.visitor().open(f"/api/tournaments/{tournament}/standings/")
        return json.loads(text) if status == 200 and json.loads(text)["final"] else None

    standings = installation.wait_until("the final ratings are published", final)
    assert standings["tables"] == 4 * BLOCKS
    assert standings["comparisons"] == int(expected.comparisons.count.sum())
    for line in standings["ratings"]:
        assert line["elo"] == pytest.approx(expected[line["bot"]].elo, abs=1e-6)
        assert line["plus_minus"] == pytest.approx(expected[line["bot"]].plus_minus, abs=1e-6)
