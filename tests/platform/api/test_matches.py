"""The matches of a bot over the API."""

import pytest
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.models import Tournament

pytestmark = pytest.mark.queries


@pytest.mark.slow
def test_the_matches_of_a_bot_are_chosen_by_what_happened_in_them(client, make_tournament, play_out, house):
    cup = play_out(make_tournament("thumb", "random", "timid", blocks=2), faulting=[house["timid"]])
    told = client.get("/api/v1/bots/house/timid/matches/").json()
    assert told["count"] == 6
    first = told["results"][0]
    assert (first["tournament"], first["game"], first["version"]) == (cup.slug, "stiche-raten", 1)
    assert first["page"] == f"/r/{first['table']}/"
    assert [player["seat"] for player in first["players"]] == [0, 1, 2]
    assert first["players"][first["seat"]]["bot"] == "house/timid"
    assert first["players"][first["seat"]]["rank"] == first["rank"]
    address = "/api/v1/bots/house/timid/matches/"
    assert client.get(f"{address}?faulty=true&game=stiche-raten&version=1").json()["count"] == 6
    assert client.get("/api/v1/bots/house/thumb/matches/?faulty=true").json()["count"] == 0
    lost = client.get(f"{address}?lost=true").json()["results"]
    assert {match["rank"] > 1 for match in lost} == {True}
    assert len(lost) == sum(match["rank"] > 1 for match in told["results"])
    assert client.get(f"{address}?version=7").json()["count"] == 0
    for query, count in {
        "opponent=thumb": 6, "opponent=house/random&result=won": 6 - len(lost), "result=lost": len(lost),
        "fault=any": 6, "fault=timeout": 6, "fault=crashed": 0, "fault=forfeited": 6, "order=costliest": 0,
        "opponent=timid": 0,
    }.items():  # fmt: skip
        assert client.get(f"{address}?{query}").json()["count"] == count, query
    for wrong, complaint in {
        "lost=yes": "lost must be true or false, not 'yes'.",
        "version=x": "version must be a number such as 2, not 'x'.",
        "game=skat": "no game is called 'skat'",
        "opponent=x": "There is no bot 'x'",
        "result=drawn": "result must be one of won, lost, last, not 'drawn'.",
        "fault=sleep": "fault must be one of any, timeout,",
        "order=oldest": "order must be one of newest, costliest, not 'oldest'.",
        "rival=x": "There is no query parameter 'rival' here",
    }.items():
        answer = client.get(f"{address}?{wrong}")
        assert answer.status_code == 400
        assert complaint in answer.json()["detail"]


def test_a_person_lists_the_own_bots_hidden_ones_too(client, person, submitted, token, house):
    mine = token("ann")
    submitted(person("bob"), slug="otto")
    client.post("/api/v1/bots/", {"slug": "karl", "name": "Karl"}, headers=mine)
    told = client.get("/api/v1/me/bots/", headers=mine).json()["results"]
    assert [bot["full_name"] for bot in told] == ["ann/karl"]
    assert client.get("/api/v1/me/bots/").status_code == 401


def test_the_own_matches_are_those_of_all_own_bots(
    client, make_tournament, play_out, house, person, submitted, token
):
    mine = token("ann")
    ann = User.objects.get(username="ann")
    for slug in ("karl", "otto"):
        versions = [submitted(ann, slug), house["thumb"], house["random"]]
        play_out(make_tournament(name=slug, versions=versions, blocks=1))
    told = client.get("/api/v1/me/matches/?opponent=thumb", headers=mine).json()
    assert (told["count"], {match["bot"] for match in told["results"]}) == (6, {"ann/karl", "ann/otto"})
    assert client.get("/api/v1/me/matches/?opponent=ann/karl", headers=mine).json()["count"] == 0
    assert client.get("/api/v1/me/matches/").status_code == 401


def test_a_list_that_is_an_array_comes_whole_or_in_pages(client, token, make_tournament):
    headers = token("ann")
    ann = User.objects.get(username="ann")
    slugs = {make_tournament(name=name).members.create(person=ann).tournament.slug for name in "ABC"}
    Tournament.objects.update(state=Tournament.State.RUNNING)
    address = "/api/v1/me/memberships/"
    whole = client.get(address, headers=headers)
    assert {each["slug"] for each in whole.json()} == slugs
    assert "Link" not in whole
    page = client.get(f"{address}?limit=2&offset=1", headers=headers)
    assert page.json() == whole.json()[1:]
    assert page["X-Total-Count"] == "3"
    assert page["Link"] == f'<http://testserver{address}?limit=2>; rel="prev"'
    wrong = client.get(f"{address}?limit=0", headers=headers)
    assert (wrong.status_code, "from 1 to 1000" in wrong.json()["detail"]) == (400, True)
