import csv
import json
import re
from hashlib import sha256
from itertools import pairwise

import pytest
from stichkampf_platform.ratings import services
from stichkampf_platform.ratings.standings import COLUMNS, standings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Result
from stichkampf_platform.tournaments.organising import lifecycle as tournaments
from stichkampf_platform.tournaments.running import due_steps

pytestmark = pytest.mark.database


def text_of(answer):
    """Return a page without the white space around its elements."""
    return re.sub(r"\s*(<[^>]*>)\s*", r"\1", answer.content.decode())


SIX = ("thumb", "random", "timid", "bold", "flat", "rival")


@pytest.fixture
def played(make_tournament, land):
    """Play a tournament of six to its end, and publish its ratings."""

    def play(**fields):
        tournament = make_tournament(*SIX, **{"blocks": 1, **fields})
        tournaments.start(tournament=tournament)
        while tournament.blocks.filter(over_at=None).exists():
            for block in tournament.blocks.filter(over_at=None):
                for table in leases.take(block_id=block.pk, owner="w1"):
                    assert land(table)
            due_steps.advance_tournaments()
        tournament.refresh_from_db()
        services.publish(ladder=tournament.ladder, tournament=tournament)
        return tournament

    return play


def assert_places(places):
    """Check that equals share a place, and that the next one counts all of them."""
    assert all(place in (before, at) for at, (before, place) in enumerate(pairwise([1, *places]), start=1))


def test_swiss_standings_are_in_the_order_of_points_with_elo_beside(played):
    lines = standings(played(format="swiss", rounds=3))
    assert_places([line.place for line in lines])
    points = [line.entrant.points for line in lines]
    assert points == sorted(points, reverse=True)
    assert all(line.rating.version_id == line.entrant.version_id for line in lines)


def test_a_round_robin_is_ranked_by_elo(played):
    lines = standings(played(blocks=10))
    assert_places([line.place for line in lines])
    elo = [round(line.rating.elo, 4) for line in lines]
    assert elo == sorted(elo, reverse=True)


def test_equal_results_of_a_round_robin_share_a_place_and_the_sentence_says_so(make_tournament, land):
    tournament = make_tournament(*SIX[:3], blocks=2)
    tournaments.start(tournament=tournament)
    for block in tournament.blocks.all():
        assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    Result.objects.update(score=0)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    services.publish(ladder=tournament.ladder, tournament=tournament)
    assert [line.place for line in standings(tournament)] == [1, 1, 1]
    assert "share the first place: their results are equal" in tournament.outcome


def test_page_api_and_export_show_one_order(played, client, person):
    tournament = played(format="swiss", rounds=3)
    order = [line.entrant.version.bot.full_name for line in standings(tournament)]
    answer = client.get("/api/v1/tournaments/a-test/standings/").json()
    assert [line["bot"] for line in answer["standings"]] == order
    assert_places([line["place"] for line in answer["standings"]])
    assert set(answer["standings"][0]["tie_breaks"]) == {"direct", "buchholz", "sonneborn_berger"}
    assert answer["rounds_over"] == 3
    assert sum(line["points"] for line in answer["standings"]) == pytest.approx(9)
    page = text_of(client.get("/tournaments/a-test/"))
    table = page[page.index('id="standings"') : page.index("</tbody>")]
    shown = [re.search(rf'href="/bots/{name}/v/\d+/"', table).start() for name in order]
    assert shown == sorted(shown)
    assert "Points<small>of 3 rounds" in table
    client.force_login(person("chief", is_staff=True, is_superuser=True))
    path = f"/admin/tournaments/tournament/{tournament.pk}/export/"
    content = b"".join(client.get(path + "standings.csv").streaming_content).decode()
    rows = list(csv.DictReader(content.splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert [row["bot"] for row in rows] == order
    everything = json.loads(b"".join(client.get(path + "tournament.json").streaming_content))
    assert_places(sorted(entrant["place"] for entrant in everything["entrants"]))
    assert everything["lot_seed_sha256"] == sha256(bytes.fromhex(everything["lot_seed"])).hexdigest()


def test_the_page_of_a_knock_out_says_the_round_reached(played, client):
    played(format="knock-out", seats=3)
    page = text_of(client.get("/tournaments/a-test/"))
    assert page.count(">final<") == 3
    assert page.count(">round 1<") == 3
    assert "Points<small>" not in page
