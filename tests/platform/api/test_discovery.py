"""Kinds that pages show and the API too: people, searches, rules, blocks, ratings by version, pairs."""

import pytest
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.tournaments.models import Block

pytestmark = pytest.mark.queries

API = "/api/v1"


@pytest.fixture
def cup(make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    ratings.publish(ladder=tournament.ladder)
    return tournament


def test_people_and_bots_are_found_as_on_the_pages(client, person, submitted, house):
    submitted(person("ann"))
    person("bob")
    told = client.get(f"{API}/people/?q=AN").json()
    assert told["results"] == [{"name": "ann", "bots": 1}]
    assert client.get(f"{API}/people/ann/").json() == {"name": "ann", "bots": 1}
    assert client.get(f"{API}/people/bob/").status_code == 404
    found = client.get(f"{API}/bots/?q=kar&game=stiche-raten").json()["results"]
    assert [bot["full_name"] for bot in found] == ["ann/karl"]
    assert "No game is called 'skat'" in client.get(f"{API}/bots/?game=skat").json()["detail"]
    assert client.get(f"{API}/people/?q=%00").status_code == 400
    assert client.get(f"{API}/tournaments/?state=over").status_code == 400


def test_rules_and_facts_are_those_of_the_command(client, db):
    assert "Mü" in client.get(f"{API}/games/mue/rules/?lang=de").content.decode()
    assert client.get(f"{API}/games/mue/rules/?lang=fr").status_code == 400
    assert client.get(f"{API}/games/mue/facts/").json()["view"] == "MueView"
    assert "there are sticheln" in client.get(f"{API}/games/skat/rules/").json()["detail"]


def test_a_block_tells_its_seed_and_its_deals_only_when_it_is_over(client, cup):
    first, second = Block.objects.filter(tournament=cup).order_by("number")
    Block.objects.filter(pk=second.pk).update(over_at=None)
    told = client.get(f"{API}/tournaments/{cup.slug}/blocks/").json()["results"]
    assert [(block["id"], block["seed"] is None) for block in told] == [(first.pk, False), (second.pk, True)]
    assert client.get(f"{API}/blocks/{second.pk}/").json()["seed"] is None
    deals = client.get(f"{API}/deals/{first.pk}/0/").json()
    assert [deal["lane"] for deal in deals] == [0, 1, 2]
    assert len({str(deal["deal"]["hands"]) for deal in deals}) == 1
    for closed in (f"{second.pk}/0", f"{first.pk}/99"):
        assert client.get(f"{API}/deals/{closed}/").status_code == 404


def test_ratings_by_version_their_history_and_two_bots(client, cup):
    ratings.publish(ladder=cup.ladder)
    newest = Snapshot.objects.filter(ladder=cup.ladder, tournament=None).first()
    (rating,) = client.get(f"{API}/bots/house/timid/ratings/").json()["results"]
    assert (rating["ladder"], rating["blocks"]) == (cup.ladder.slug, newest.blocks)
    history = client.get(f"{API}/bots/house/timid/history/?ladder={cup.ladder.slug}").json()
    assert history["count"] == 2
    assert client.get(f"{API}/bots/house/timid/history/?ladder=x").status_code == 400
    versus = client.get(f"{API}/bots/house/timid/vs/house/thumb/").json()
    (meeting,) = versus["ladders"]
    assert (meeting["bot"], meeting["rival"], meeting["blocks"]) == ("house/timid", "house/thumb", 2)
    assert len(versus["blocks"]) == 2
    assert client.get(f"{API}/bots/house/timid/vs/house/timid/").status_code == 400
    assert client.get(f"{API}/ladders/{cup.ladder.slug}/pairs/").status_code == 200
