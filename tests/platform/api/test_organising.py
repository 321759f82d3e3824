"""The desk of the organisers by API: create, open, run, rule and export own tournaments with a token."""

import csv
import io
import json
import re

import pytest
from django.contrib.admin.models import LogEntry
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Membership, Tournament
from stichkampf_platform.tournaments.running import due_steps

pytestmark = [pytest.mark.slow, pytest.mark.queries]

DESK = "/api/v1/organiser/tournaments/"
CUP = {
    "name": "Friday cup", "game": "stiche-raten", "seats": 3, "options": {"length": "deals:1"},
    "blocks_planned": 2, "entrants": ["house/thumb", "random", "timid"],
}  # fmt: skip


@pytest.fixture
def desk(client, person, make_organiser, house):
    """An organiser's token; `desk("POST", "start/", slug="friday-cup")` asks and returns the answer."""
    olga = person("olga")
    make_organiser(olga)
    _, text = create_token(owner=olga, name="script", scope=ApiToken.Scope.ORGANISER)

    def ask(method, rest="", fields=None, *, slug="", status=200):
        address = f"{DESK}{slug}/{rest}" if slug else DESK
        sent = {} if fields is None else {"data": json.dumps(fields), "content_type": "application/json"}
        answer = getattr(client, method)(address, headers={"authorization": f"Bearer {text}"}, **sent)
        assert answer.status_code == status, answer.content
        return answer

    ask.olga = olga
    return ask


@pytest.mark.parametrize("name", ["Кубок пятницы", "金曜日", "…!?"])
def test_a_name_without_latin_letters_gets_an_address_of_its_own(desk, name):
    slugs = {desk("post", fields=CUP | {"name": name}, status=201).json()["slug"] for _ in range(2)}
    assert len(slugs) == 2
    assert all(re.fullmatch("tournament-[a-z0-9]{10}", slug) for slug in slugs)


def test_a_tournament_is_made_opened_run_ruled_on_and_exported(desk, land, house):
    made = desk("post", fields=CUP, status=201).json()
    assert made["slug"] == "friday-cup"
    assert made["state"] == "draft"
    names = [f"house/{name} v{house[name].number}" for name in ("thumb", "random", "timid")]
    assert made["entrants"] == names
    assert "tables" in made["estimate"]
    desk("patch", fields={"entrants": names[::-1]}, slug="friday-cup")  # as exports spell them
    changes = {"entry": "members", "with_code": True, "invited": ["olga"], "places": 4}
    opened = desk("patch", fields=changes, slug="friday-cup").json()
    assert len(opened["code"]) == 14
    assert (opened["places"], opened["invited"], len(opened["entrants"])) == (4, ["olga"], 3)
    assert [each["slug"] for each in desk("get").json()["results"]] == ["friday-cup"]

    assert desk("post", "start/", slug="friday-cup").json()["state"] == "running"
    again = desk("post", "start/", slug="friday-cup", status=400).json()
    assert again["detail"] == "Friday cup is running: it is not possible to start it."
    assert (
        "not possible to change it"
        in desk("patch", fields={"places": 3}, slug="friday-cup", status=400).json()["detail"]
    )
    assert desk("post", "pause/", slug="friday-cup").json()["possible"] == [
        "resume", "hide", "announce", "describe", "share", "clone", "cancel"
    ]  # fmt: skip
    desk("post", "resume/", slug="friday-cup")
    cup = Tournament.objects.get()
    for block in cup.blocks.all():
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
    seen = desk("post", "blocks/0/again/", {"reason": "No light."}, slug="friday-cup", status=400).json()
    assert "Name the fault of the platform" in seen["detail"]
    desk("post", "blocks/0/again/", {"reason": "No light.", "fault": "machine"}, slug="friday-cup")
    wrong = desk("post", "disqualify/", {"entrant": "karl", "reason": "x"}, slug="friday-cup", status=400)
    assert "'karl' is no entrant; there are house/timid v" in wrong.json()["detail"]
    desk("post", "disqualify/", {"entrant": names[2], "reason": "slow"}, slug="friday-cup")
    due_steps.advance_tournaments()
    ended = desk("get", slug="friday-cup").json()
    assert ended["state"] == "finished"
    assert ended["progress"]["blocks_over"] == 2

    rows = b"".join(desk("get", "export/results.csv", slug="friday-cup").streaming_content).decode()
    assert {row["bot"] for row in csv.DictReader(io.StringIO(rows))} == set(names)  # one spelling everywhere
    assert (
        "results.csv, tournament.json"
        in desk("get", "export/all.zip", slug="friday-cup", status=404).json()["detail"]
    )
    clone = desk("post", "clone/", slug="friday-cup").json()
    assert clone["entrants"] == names[::-1]
    desk("delete", slug=clone["slug"], status=204)
    told = list(LogEntry.objects.order_by("pk").values_list("change_message", flat=True))
    assert told[0] == "Added."
    assert {"Started.", "Paused.", "Resumed.", "Cloned.", "Disqualified: slow"} <= set(told)


def test_all_that_is_wrong_is_said_at_once_and_quoted_and_nothing_is_saved(desk):
    wrong = {**CUP, "seats": 9, "blocks_planned": "many", "entrants": ["thumb", "nemo"], "rated": "yes",
             "options": {"length": "ages"}, "starts_at": "yesterday", "blocks": 3}  # fmt: skip
    told = desk("post", fields=wrong, status=400).json()
    assert set(told) == {"detail", *wrong} - {"name", "game"}
    assert 'Enter a whole number. Given: "many"' in told["blocks_planned"][0]
    assert "there is no bot 'nemo'" in told["entrants"][0]
    assert "There is no such field; there are preset, name, slug" in told["blocks"][0]
    assert "true or false" in told["rated"][0]
    assert "9" in told["seats"][0]
    assert not Tournament.objects.exists()
    assert "JSON object" in desk("post", fields=[1], status=400).json()["detail"]
    assert "required" in desk("post", fields={}, status=400).json()["name"][0]


def test_calls_on_the_desk_say_all_that_is_wrong_too_and_pass_no_field_over(desk, client):
    desk("post", fields=CUP, status=201)
    desk("post", "start/", slug="friday-cup")

    def told(action, **fields):
        return desk("post", action, fields, slug="friday-cup", status=400).json()

    wrong = told("disqualify/", entrant="karl", why="slow")
    assert set(wrong) == {"detail", "entrant", "reason", "why"}
    assert "'karl' is no entrant; there are house/" in wrong["detail"]
    assert 'There is no such field; there are entrant, reason. Given: "slow"' in wrong["why"][0]
    wrong = told("final/", best="all", beste=4)
    assert (set(wrong), 'integer is required. Given: "all"' in wrong["best"][0]) == (
        {"detail", "best", "beste"},
        True,
    )
    assert 'Given: "perhaps"' in told("cancel/", confirmed="perhaps", certain=True)["confirmed"][0]
    assert Tournament.objects.get().state == "running"


def test_what_cannot_be_undone_says_what_is_lost_before_it_is_confirmed(desk):
    desk("post", fields={**CUP, "preset": "championship", "entrants": CUP["entrants"]}, status=201)
    cup = Tournament.objects.get()
    assert (cup.format, cup.rounds, cup.blocks_planned) == ("swiss", 5, 2)
    desk("post", "start/", slug="friday-cup")
    told = desk("post", "cancel/", {}, slug="friday-cup", status=400).json()["detail"]
    assert "loses 2 blocks with 6 tables" in told
    assert desk("post", "cancel/", {"confirmed": True}, slug="friday-cup").json()["state"] == "cancelled"


def test_only_a_token_of_the_organisers_scope_and_their_own_tournaments_open_the_desk(
    client, desk, person, make_organiser, make_tournament
):
    bob = person("bob")
    make_tournament(name="Secret cup", created_by=bob)
    assert desk("get").json()["results"] == []
    absent = desk("get", slug="absent-cup", status=404)  # a name as long
    for method, rest in (("get", ""), ("delete", ""), ("post", "start/"), ("get", "export/results.csv")):
        refused = desk(method, rest, slug="secret-cup", status=404)
        assert "Secret" not in refused.content.decode()
    assert desk("get", slug="secret-cup", status=404).headers == absent.headers

    def answer(owner, **fields):
        _, text = create_token(owner=owner, name=f"n{ApiToken.objects.count()}", **fields)
        headers = {"authorization": f"Bearer {text}"}
        return client.get(f"{DESK}secret-cup/", headers=headers), headers

    assert client.get(DESK).status_code == 401
    assert "bob may not organise" in answer(bob)[0].json()["detail"]
    refused, headers = answer(desk.olga)
    assert refused.status_code == 403
    assert "is for bots and entries" in refused.json()["detail"]
    fields = {"name": "more", "scope": "organiser"}
    more = client.post("/api/v1/me/tokens/", fields, headers=headers, content_type="application/json")
    assert more.status_code == 400
    client.force_login(bob)
    assert "your own tournaments" not in client.get("/account/tokens/").content.decode().split("<table")[0]
    client.force_login(desk.olga)
    made = client.post("/account/tokens/", {"name": "cups", "scope": "organiser"})
    assert "your own tournaments" in made.content.decode()
    assert ApiToken.objects.get(name="cups").scope == "organiser"


def test_a_private_tournament_of_the_desk_has_members_and_a_secret_address(desk, person):
    ann = person("ann")
    made = desk(
        "post", fields={**CUP, "private": True, "with_code": True, "invited": ["ann"]}, status=201
    ).json()
    assert made["slug"].startswith("friday-cup-")
    assert made["members"] == ["ann"]
    desk("delete", "members/ann/", slug=made["slug"], status=204)
    assert not Membership.objects.filter(person=ann).exists()


def test_a_member_is_taken_out_by_the_row_of_the_desk_and_it_is_logged(desk, person):
    for name in ("ann", "bob"):
        person(name)
    fields = {**CUP, "private": True, "with_code": True, "invited": ["ann", "bob"]}
    slug = desk("post", fields=fields, status=201).json()["slug"]
    assert desk("post", "members/ann/expel/", slug=slug).json()["members"] == ["bob"]
    assert LogEntry.objects.latest("pk").change_message == "Excluded."
    desk("post", "members/ann/expel/", slug=slug, status=404)
    assert list(Membership.objects.values_list("person__username", flat=True)) == ["bob"]


def test_the_best_of_a_finished_swiss_enter_a_knock_out_once(desk, play_out):
    bots = ["thumb", "random", "timid", "glimpse", "worrier", "bold", "flat", "gambler", "rival"]
    made = desk("post", fields={**CUP, "format": "swiss", "rounds": 1, "entrants": bots}, status=201).json()
    swiss = Tournament.objects.get()
    assert (
        "its best are known when it is finished"
        in desk("post", "final/", {}, slug=made["slug"], status=400).json()["detail"]
    )
    play_out(swiss)
    assert "not final yet" in desk("post", "final/", {}, slug=made["slug"], status=400).json()["detail"]
    ratings.publish(ladder=swiss.ladder, tournament=swiss)
    final = desk("post", "final/", {}, slug=made["slug"], status=201).json()
    best = [row["bot"] for row in desk("get", slug=made["slug"]).json()["standings"]][:8]
    assert [name.rpartition(" v")[0] for name in final["entrants"]] == best
    assert (final["slug"], final["format"], final["qualifier"]) == (
        "friday-cup-final", "knock-out", "friday-cup"
    )  # fmt: skip
    assert (
        "play in Friday cup, knock-out already"
        in desk("post", "final/", {}, slug=made["slug"], status=400).json()["detail"]
    )
    desk("post", "start/", slug=final["slug"])
