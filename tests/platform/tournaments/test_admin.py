import re

import pytest
from django.contrib.admin.models import LogEntry
from stichkampf_platform.tournaments.models import Entrant, Tournament

ADD = "/admin/tournaments/tournament/add/"
LIST = "/admin/tournaments/tournament/"


@pytest.fixture
def organiser(client, person):
    staff = person("chief", is_staff=True, is_superuser=True)
    client.force_login(staff)
    return staff


def form(versions, **changes):
    return {
        "name": "Friday", "slug": "friday", "game": "stiche-raten", "seats": 3,
        "options": '{"length": "deals:1"}', "format": "round-robin", "stopping": "fixed",
        "blocks_planned": 2, "rated": "on",
        "move_seconds": 2, "bank_seconds": 10, "cap_seconds": 5, "fault_allowance": 2,
        "entrants": [version.pk for version in versions], **changes,
    }  # fmt: skip


def act(client, action, tournament):
    fields = {"action": action, "_selected_action": tournament.pk, "index": 0}
    return client.post(LIST, fields, follow=True).content.decode()


@pytest.fixture
def field(house):
    return [house[name] for name in ("thumb", "random", "timid")]


def test_an_organiser_makes_starts_pauses_resumes_and_cancels(client, organiser, field):
    client.post(ADD, form(field))
    tournament = Tournament.objects.get(slug="friday")
    assert tournament.created_by == organiser
    assert tournament.entrants.count() == 3
    for action, state in (
        ("start", "running"), ("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")
    ):  # fmt: skip
        act(client, action, tournament)
        tournament.refresh_from_db()
        assert tournament.state == state
    deeds = LogEntry.objects.filter(user=organiser).order_by("pk").values_list("change_message", flat=True)
    assert list(deeds)[-4:] == ["Started.", "Paused.", "Resumed.", "Cancelled."]


def test_pressing_start_twice_starts_once_and_says_so(client, organiser, field):
    client.post(ADD, form(field))
    tournament = Tournament.objects.get()
    act(client, "start", tournament)
    assert "it is not possible to start it" in act(client, "start", tournament)
    assert tournament.blocks.count() == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": '{"length": "deals:0"}'}, "length cannot be"),
        ({"options": '{"joker": 1}'}, "has no option"),
        ({"options": "[1]"}, "Options are a JSON object"),
        ({"options": "{"}, "Enter a valid JSON"),
        ({"seats": 4}, "needs 4 entrants"),
        ({"seats": 7}, "not 7"),
        ({"game": "skat"}, "Select a valid choice"),
        ({"blocks_planned": 0}, "one block or more"),
        ({"entrants": []}, "This field is required"),
        ({"entrants": [99999]}, "Select a valid choice"),
        ({"cap_seconds": 1}, "cannot be less"),
    ],
)
def test_a_form_that_is_wrong_says_what_and_makes_nothing(client, organiser, field, changes, message):
    answer = client.post(ADD, form(field, **changes))
    assert message in answer.content.decode().replace("&quot;", '"')
    assert not Tournament.objects.exists()
    assert not Entrant.objects.exists()


def test_an_entrant_without_the_game_is_named_in_the_form(client, organiser, field, person, submitted):
    karl = submitted(person(), games=["sticheln"])
    answer = client.post(ADD, form([*field, karl]))
    assert "karl v1 does not play stiche-raten" in answer.content.decode()
    assert not Tournament.objects.exists()


def test_a_tournament_that_has_started_is_not_edited(client, organiser, field):
    client.post(ADD, form(field))
    tournament = Tournament.objects.get()
    act(client, "start", tournament)
    client.post(f"{LIST}{tournament.pk}/change/", form(field, name="Other"))
    tournament.refresh_from_db()
    assert tournament.name == "Friday"


def test_entrants_of_a_draft_can_be_changed(client, organiser, field, house):
    client.post(ADD, form(field))
    tournament = Tournament.objects.get()
    path = f"{LIST}{tournament.pk}/change/"
    assert len(re.findall(r"<option value=\"\d+\" selected>", client.get(path).content.decode())) >= 3
    client.post(path, form([*field, house["bold"]]))
    assert tournament.entrants.count() == 4


@pytest.mark.parametrize("model", ["result", "table", "block", "fault"])
def test_results_are_read_only(client, organiser, house, model):
    assert client.get(f"/admin/tournaments/{model}/").status_code == 200
    assert client.get(f"/admin/tournaments/{model}/add/").status_code == 403


def test_no_page_of_the_administration_shows_a_running_block(client, organiser, field, land):
    from stichkampf_platform.tournaments import leases

    client.post(ADD, form(field))
    tournament = Tournament.objects.get()
    act(client, "start", tournament)
    block = tournament.blocks.first()
    table, *_ = leases.take(block_id=block.pk, owner="w1")
    land(table)
    block_page = client.get(f"/admin/tournaments/block/{block.pk}/change/").content.decode()
    assert bytes(block.seed).hex() not in block_page
    assert "seed" not in block_page.lower()
    assert "0 results" in client.get("/admin/tournaments/result/").content.decode()


def test_the_first_page_says_how_strangers_code_is_contained(client, organiser):
    assert "sandbox unknown, the arbiter does not answer" in client.get("/admin/").content.decode()


def test_the_administration_is_closed_to_others(client, person):
    client.force_login(person())
    assert client.get(ADD).status_code == 302
