"""Conditional requests: 304 for what has not changed, and never for another reader's answer."""

import pytest
from stichkampf_platform.bots.models import Version
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.models import Table

pytestmark = pytest.mark.queries


@pytest.fixture
def cup(make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    ratings.publish(ladder=tournament.ladder)
    return tournament


@pytest.mark.slow
def test_an_answer_that_has_not_changed_is_not_sent_again(client, cup, token):
    mine = token()
    table = Table.objects.filter(block__tournament=cup).first()
    ladder = f"/api/v1/ladders/{cup.ladder.slug}"
    addresses = [
        f"{ladder}/", f"{ladder}.csv", f"{ladder}/pairs/", f"/api/v1/tables/{table.pk}/record/",
        f"/api/v1/deals/{table.block_id}/0/",
    ]  # fmt: skip
    for address in addresses:
        for who, kept in ({}, "no-cache"), (mine, "private, no-cache"):
            whole = client.get(address, headers=who)
            assert whole.status_code == 200, address
            assert whole["Cache-Control"] == kept
            assert {"Authorization", "Cookie"} <= {name.strip() for name in whole["Vary"].split(",")}
            again = client.get(address, headers=who | {"if-none-match": whole["ETag"]})
            assert (again.status_code, again.content) == (304, b""), address
            assert again["ETag"] == whole["ETag"]
            assert client.get(address, headers=who | {"if-none-match": '"other"'}).status_code == 200
    assert client.get("/api/v1/me/", headers=mine)["Cache-Control"] == "private, no-store"


def test_the_key_of_a_ladder_changes_with_the_holders_of_its_places(client, cup, house):
    address = f"/api/v1/ladders/{cup.ladder.slug}/"
    before = client.get(address)["ETag"]
    Version.objects.filter(pk=house["timid"].pk).update(state=Version.State.SUSPENDED)
    assert client.get(address, headers={"if-none-match": before}).status_code == 200


def test_a_key_opens_nothing(client, cup):
    table = Table.objects.filter(block__tournament=cup).first()
    address = f"/api/v1/tables/{table.pk}/record/"
    key = client.get(address)["ETag"]
    cup.private = True
    cup.save()
    assert client.get(address, headers={"if-none-match": key}).status_code == 404
