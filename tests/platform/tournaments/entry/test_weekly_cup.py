"""The weekly open cup of docs/organisers.md, from the form to the result, by an ordinary organiser."""

import json
from datetime import timedelta

import pytest
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import announcements
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.running import due_steps

pytestmark = pytest.mark.slow

ADD = "/admin/tournaments/tournament/add/"
CUP = "/tournaments/friday-cup/"


@pytest.fixture
def form(client, person, make_organiser, house):
    """The form of an organiser, filled in as the how-to says."""
    olga = person("olga")
    make_organiser(olga)
    client.force_login(olga)
    start = clock.now() + timedelta(days=2)
    return {
        "name": "Friday cup", "slug": "friday-cup", "game": "stiche-raten", "seats": 3,
        "options": '{"length": "deals:1"}', "format": "round-robin", "stopping": "fixed",
        "blocks_planned": 2, "rated": "on", "published": "on", "entry": "anybody", "places": 24,
        "bots_each": 1, "starts_at_0": f"{start:%Y-%m-%d}", "starts_at_1": "18:00:00", "repeats": "weekly",
        "move_seconds": 2, "bank_seconds": 10, "cap_seconds": 5, "fault_allowance": 2,
        "entrants": [house["thumb"].pk, house["random"].pk],
    }  # fmt: skip


def text_of(client, address):
    return client.get(address).content.decode()


def test_a_weekly_open_cup_from_announcement_to_result(client, form, person, submitted, land):
    client.post(ADD, form)
    cup = Tournament.objects.get()
    assert str(cup) in text_of(client, f"/admin/tournaments/tournament/{cup.pk}/change/")

    client.logout()
    assert "Sign in to enter a bot" in text_of(client, CUP)
    assert "Friday cup" in text_of(client, "/tournaments/")
    ann, bob = person("ann"), person("bob")
    client.force_login(ann)
    assert "You have no bot that plays Stiche-Raten yet." in text_of(client, CUP)
    karl = submitted(ann, "karl")
    assert "karl, the newest version at the deadline" in text_of(client, CUP)
    for _ in range(2):  # a double click
        client.post(f"{CUP}enter/", {"bot": "karl"})
    assert "Your bot karl is entered, number 1 in the list." in text_of(client, CUP)
    client.post(f"{CUP}withdraw/", {"bot": "karl"})
    client.post(f"{CUP}enter/", {"bot": "karl/1"})
    shown = text_of(client, CUP)
    assert "Version 1 plays." in shown
    assert "withdraw yours to enter another" in shown
    assert "Change the version" in shown
    assert " Enter " not in shown
    assert "You have no bot" in client.post(f"{CUP}enter/", {"bot": "lena"}, follow=True).content.decode()

    client.logout()
    rolf = submitted(bob, "rolf")
    headers = {"authorization": f"Bearer {create_token(owner=bob, name='a test')[1]}"}
    entries = "/api/v1/tournaments/friday-cup/entries/"

    def post(**fields):
        return client.post(entries, json.dumps(fields), content_type="application/json", headers=headers)

    assert post(bot="rolf").json() == {
        "bot": "bob/rolf", "version": None, "place": 2, "waits": False, "left_out": "",
        "entered_at": post(bot="rolf").json()["entered_at"],
    }  # fmt: skip
    assert "bob has no bot 'karl'" in post(bot="karl").json()["detail"]
    assert "bob/rolf has no version 7" in post(bot="rolf", version=7).json()["detail"]
    wrong = post(version="new", versoin=7).json()
    assert set(wrong) == {"detail", "bot", "version", "versoin"}
    assert 'Given: "new"' in wrong["version"][0]
    assert client.delete(f"{entries}ann/karl/", headers=headers).status_code == 400
    assert client.delete(f"{entries}bob/rolf/", headers=headers).status_code == 204
    assert client.delete(f"{entries}bob/rolf/", headers=headers).status_code == 404
    post(bot="bob/rolf")
    assert [entry["bot"] for entry in client.get(entries).json()] == ["ann/karl", "bob/rolf"]

    past = clock.now() - timedelta(minutes=1)
    Version.objects.filter(pk__in=[karl.pk, rolf.pk]).update(created_at=past - timedelta(days=1))
    Tournament.objects.update(starts_at=past)
    assert due_steps.start_due() == 1
    following = Tournament.objects.get(state="draft")
    assert following.name.startswith("Friday cup 2")
    assert f'<a href="{following.get_absolute_url()}">{following.name}</a>' in text_of(client, CUP)
    assert "The next one is" not in text_of(client, following.get_absolute_url())
    cup.refresh_from_db()
    for block in cup.blocks.all():
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
    due_steps.advance_tournaments()
    ratings.publish(ladder=cup.ladder, tournament=cup)
    assert announcements.tell_results() == 1
    client.force_login(ann)
    assert "Friday cup is over" in text_of(client, "/account/")


def test_all_that_is_wrong_in_the_form_of_entry_is_said_at_once(client, form):
    wrong = {"entry": "members", "private": "on", "invited": "nil, none", "places": 0, "bots_each": 99,
             "starts_at_0": "", "starts_at_1": ""}  # fmt: skip
    page = client.post(ADD, {**form, **wrong}).content.decode()
    for text in ("no account is called &#x27;nil&#x27;, &#x27;none&#x27;", "greater than or equal to 1.",
                 "less than or equal to 10.", "give its first start"):  # fmt: skip
        assert text in page
    assert not Tournament.objects.exists()


def test_a_private_tournament_gets_a_code_and_an_address_that_cannot_be_guessed(client, form, person):
    client.post(ADD, {**form, "private": "on", "entry": "members", "with_code": "on"})
    made = Tournament.objects.get()
    assert made.code in text_of(client, f"/admin/tournaments/tournament/{made.pk}/change/")
    assert made.slug.startswith("friday-cup-")
    assert len(made.slug) > len("friday-cup-") + 8
    client.force_login(person("ann"))
    assert client.get(made.get_absolute_url()).status_code == 404
    assert client.post("/code/", {"code": "k3mf-97pq-wtzh"}).status_code == 422
    assert client.post("/code/", {"code": made.code})["Location"] == made.get_absolute_url()
    assert client.get(made.get_absolute_url()).status_code == 200
