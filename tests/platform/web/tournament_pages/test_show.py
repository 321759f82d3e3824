"""Held back results on the page of a tournament, on its big screen, in the API and in the administration."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps, revealing

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(person, make_organiser):
    made = person("olga")
    make_organiser(made)
    return made


@pytest.fixture
def cup(make_tournament, land, olga):
    """A Swiss of six with a press between its rounds, the first of which is played and held back."""
    names = ("thumb", "random", "timid", "bold", "flat", "rival")
    made = make_tournament(
        *names, name="Cup", slug="cup", format="swiss", rounds=2, blocks=1, beat="press", reveal="press",
        created_by=olga,
    )  # fmt: skip
    lifecycle.start(tournament=made)
    play(made, land)
    return made


def play(tournament, land):
    for block in tournament.blocks.filter(over_at=None, played_at=None):
        assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    due_steps.advance_tournaments()


def words(client, address):
    return " ".join(client.get(address).content.decode().split())


def press(client, name, **more):
    return client.post("/tournaments/cup/press/", {"press": name, **more}, follow=True)


def test_the_organiser_reveals_tables_and_starts_the_next_round_on_page_and_screen(cup, client, olga, land):
    client.force_login(olga)
    left = revealing.held_tables(cup).count()
    assert f"{left} tables are still held back" in words(client, "/tournaments/cup/")
    screen = words(client, "/tournaments/cup/screen/")
    assert 'data-press="reveal"' in screen
    assert "Results of the round" in screen
    answer = press(client, "reveal", screen="1")
    assert answer.redirect_chain[-1][0] == "/tournaments/cup/screen/"
    table = Table.objects.exclude(revealed_at=None).get()
    for page in (words(client, "/tournaments/cup/"), words(client, "/tournaments/cup/screen/")):
        assert f"Block {table.block.number + 1}, table {table.lane + 1}" in page
        scores = {seat.result.score for seat in table.seats.all()}
        assert all(re.search(rf"<b>.?{abs(score)}</b>", page) for score in scores)
    press(client, "reveal-all")
    due_steps.advance_tournaments()
    assert "Round 2 starts by a press" in words(client, "/tournaments/cup/screen/")
    press(client, "next-round")
    due_steps.advance_tournaments()
    assert cup.blocks.filter(round=1).exists()
    noted = LogEntry.objects.filter(user=olga).order_by("pk").values_list("change_message", flat=True)
    assert list(noted) == ["Revealed.", "Revealed.", "The next round starts."]


def test_nobody_else_sees_a_button_or_can_press(cup, client, person):
    assert client.post("/tournaments/cup/press/", {"press": "reveal"}).status_code == 302
    client.force_login(person("nina"))
    for page in ("/tournaments/cup/", "/tournaments/cup/screen/"):
        assert "/tournaments/cup/press/" not in words(client, page)
    assert press(client, "reveal").status_code == 403
    assert not Table.objects.exclude(revealed_at=None).exists()


def test_what_cannot_be_pressed_is_told_and_does_nothing(cup, client, olga):
    client.force_login(olga)
    assert press(client, "cancel").status_code == 404
    assert client.get("/tournaments/cup/press/").status_code == 405
    assert "No round of Cup waits" in press(client, "next-round").content.decode()
    assert not LogEntry.objects.exists()


def test_api_and_administration_reveal_by_the_same_rows(cup, client, olga):
    bearer = {"authorization": f"Bearer {create_token(owner=olga, name='a test', scope='organiser')[1]}"}
    held = client.get("/api/v1/tournaments/cup/").json()["held_back"]
    assert held == {"left": revealing.held_tables(cup).count(), "is_played": True, "tables": []}
    assert client.post("/api/v1/organiser/tournaments/cup/reveal/", headers=bearer).status_code == 200
    (shown,) = client.get("/api/v1/tournaments/cup/").json()["held_back"]["tables"]
    table = Table.objects.get(pk=shown["id"])
    scores = [(str(seat.entrant.version), seat.result.score) for seat in table.seats.all()]
    assert [seat["score"] for seat in shown["seats"]] == [score for _, score in scores]
    client.force_login(olga)
    change = f"/admin/tournaments/tournament/{cup.pk}/change/"
    assert "Reveal the next block" in words(client, change)
    client.post("/admin/tournaments/tournament/", {
        "action": "reveal-block", "_selected_action": [cup.pk],
    })  # fmt: skip
    assert revealing.held_tables(cup).count() < held["left"] - 1
