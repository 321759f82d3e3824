import csv
import io
import json
import re

import pytest
from django.contrib.admin.models import LogEntry
from documents import code_blocks
from stichkampf.rating.result_files import read_results
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Entrant, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.organising.entry_lists import versions_listed

pytestmark = pytest.mark.slow

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
        "blocks_planned": 2, "rated": "on", "published": "on",
        "move_seconds": 2, "bank_seconds": 10, "cap_seconds": 5, "fault_allowance": 2,
        "entrants": [version.pk for version in versions], **changes,
    }  # fmt: skip


def act(client, action, tournament):
    fields = {"action": action, "_selected_action": tournament.pk, "index": 0, "confirmed": "yes"}
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
    actions = LogEntry.objects.filter(user=organiser).order_by("pk").values_list("change_message", flat=True)
    assert list(actions)[-4:] == ["Started.", "Paused.", "Resumed.", "Cancelled."]


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
        ({"seats": 7}, "less than or equal to 6"),
        ({"game": "skat"}, "Select a valid choice"),
        ({"blocks_planned": 0}, "greater than or equal to 1"),
        ({"entrants": []}, "Choose who plays, or import a list"),
        ({"entrants": [99999]}, "A version that was chosen here is deleted"),
        ({"format": "gauntlet", "first": 99999}, "A version that was chosen here is deleted"),
        ({"cap_seconds": 1}, "cannot be less"),
        ({"starts_at_0": "2020-01-01", "starts_at_1": "10:00"}, "The start is in the past"),
        ({"stopping": "decided", "format": "knock-out"}, "knock-out"),
        ({"rounds": 3}, "rounds"),
    ],
)
def test_a_wrong_form_shows_its_errors_and_makes_nothing(client, organiser, field, changes, message):
    answer = client.post(ADD, form(field, **changes))
    assert message in answer.content.decode().replace("&quot;", '"')
    assert not Tournament.objects.exists()
    assert not Entrant.objects.exists()


def test_errors_in_several_fields_are_shown_at_once(client, organiser, field):
    wrong = {
        "starts_at_0": "2020-01-01",
        "starts_at_1": "10:00",
        "cap_seconds": 1,
        "more_entrants": "nowhere",
    }
    answer = client.post(ADD, form(field, **wrong)).content.decode()
    for message in ("The start is in the past", "cannot be less", "there is no bot"):
        assert message in answer


@pytest.mark.parametrize("unreadable", [{"options": "{"}, {"seats": "x"}, {"seats": 7}, {"game": "skat"}])
def test_an_unreadable_field_hides_no_other_error(client, organiser, field, person, submitted, unreadable):
    submitted(person(), state="suspended")
    wrong = {
        "starts_at_0": "2020-01-01", "starts_at_1": "10:00", "cap_seconds": 1, "rounds": 3, "more_entrants":
        "karl,1", "blocks_planned": 0, **unreadable,
    }  # fmt: skip
    answer = client.post(ADD, form(field, **wrong)).content.decode()
    for message in (
        "The start is in the past", "cannot be less", "leave the rounds empty", "greater than or equal to 1",
        "karl v1 is suspended and cannot play",
    ):  # fmt: skip
        assert message in answer
    assert not Tournament.objects.exists()


def test_wrong_seats_and_wrong_options_are_both_said(client, organiser, field):
    answer = client.post(ADD, form(field, seats=7, options='{"joker": 1}', cap_seconds="x")).content.decode()
    for message in ("less than or equal to 6", "has no option", "Enter a number"):
        assert message in answer


def test_too_few_entrants_are_named_beside_other_errors(client, organiser, field):
    wrong = {"format": "swiss", "stopping": "decided", "seats": 4, "options": "{", "move_seconds": 0}
    answer = client.post(ADD, form(field, **wrong)).content.decode()
    for message in (
        "needs a number of rounds", "ends after a fixed number of blocks", "needs 4 entrants",
        "greater than or equal to 0.05", "Enter a valid JSON",
    ):  # fmt: skip
        assert message in answer
    assert Tournament.objects.count() == 0


def test_missing_entrants_are_named_beside_other_errors(client, organiser, field):
    answer = client.post(ADD, form([], options="{")).content.decode()
    assert "Choose who plays, or import a list" in answer


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


@pytest.mark.parametrize(
    ("seeding", "order"),
    [
        ("{2},{0},{1}", "timid thumb random"),
        ("{1}", "random thumb timid"),
        ("", "thumb random timid"),
        ("x,-1,{2},{2},99999999999999999999", "timid thumb random"),
    ],
)
def test_entrants_stand_as_they_are_seeded_and_nonsense_is_left_out(client, organiser, field, seeding, order):
    client.post(ADD, form(field))
    draft = Tournament.objects.get()
    draft.entrants.all().delete()
    lifecycle.set_entrants(tournament=draft, versions=field)
    sent = seeding.format(*(version.pk for version in field))
    client.post(f"{LIST}{draft.pk}/change/", form(field, seeding=sent))
    assert [each.version.house for each in draft.entrants.order_by("number")] == order.split()


def test_an_organiser_deletes_a_draft_with_its_entrants_and_nothing_more(
    client, person, make_organiser, make_tournament
):
    olga = person("olga")
    make_organiser(olga)
    client.force_login(olga)
    draft, running = (make_tournament(name=name, created_by=olga) for name in ("Draft", "Running"))
    lifecycle.start(tournament=running)
    address = f"/admin/tournaments/tournament/{draft.pk}/delete/"
    assert "Are you sure" in client.get(address).content.decode()
    assert client.post(address, {"post": "yes"}).status_code == 302
    assert list(Tournament.objects.all()) == [running]
    assert (
        client.post(address.replace(f"/{draft.pk}/", f"/{running.pk}/"), {"post": "yes"}).status_code == 403
    )
    assert Tournament.objects.filter(pk=running.pk).exists()


@pytest.mark.parametrize("model", ["result", "table", "block", "fault"])
def test_results_are_read_only(client, organiser, house, model):
    assert client.get(f"/admin/tournaments/{model}/").status_code == 200
    assert client.get(f"/admin/tournaments/{model}/add/").status_code == 403


def test_no_page_of_the_administration_shows_a_running_block(client, organiser, field, land):
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


@pytest.fixture
def member(client, person, make_organiser):
    """Somebody in the group of organisers, and neither staff nor superuser."""
    bob = person("bob")
    make_organiser(bob)
    client.force_login(bob)
    return bob


def test_a_member_of_the_organisers_runs_own_tournaments_and_sees_no_others(
    client, member, field, make_tournament
):
    other = make_tournament(name="Not mine")
    client.post(ADD, form(field))
    own = Tournament.objects.get(slug="friday")
    act(client, "start", own)
    own.refresh_from_db()
    assert (own.state, own.created_by) == ("running", member)
    page = client.get(LIST).content.decode()
    assert "Friday" in page
    assert "Not mine" not in page
    act(client, "start", other)
    other.refresh_from_db()
    assert other.state == "draft"
    assert client.get(f"{LIST}{other.pk}/export/results.csv").status_code == 404
    assert client.get("/admin/bots/submission/").status_code == 403
    assert client.get("/admin/tournaments/table/").status_code == 200


def test_the_site_links_to_the_administration_for_organisers_only(client, member, person):
    assert 'href="/admin/"' in client.get("/account/").content.decode()
    assert 'href="/admin/tournaments/tournament/add/"' in client.get("/tournaments/").content.decode()
    client.force_login(person("zoe"))
    assert "/admin/" not in client.get("/account/").content.decode()
    assert "/admin/" not in client.get("/tournaments/").content.decode()


def test_the_page_on_the_site_is_linked_before_and_after_the_start(client, member, field):
    client.post(ADD, form(field))
    own = Tournament.objects.get(slug="friday")
    assert 'href="/tournaments/friday/"' in client.get(f"{LIST}{own.pk}/change/").content.decode()
    act(client, "start", own)
    assert 'href="/tournaments/friday/"' in client.get(f"{LIST}{own.pk}/change/").content.decode()


def test_an_organiser_signs_in_on_the_page_of_the_administration(client, member):
    client.logout()
    fields = {"username": "bob", "password": "trumpf-sticht-alles", "next": LIST}
    assert client.post("/admin/login/", fields, follow=True).status_code == 200
    assert client.get(LIST).status_code == 200


def test_playing_a_block_again_is_logged_with_the_person(client, organiser, field, make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    block = tournament.blocks.first()
    path = "/admin/tournaments/block/"
    fields = {"action": "again", "_selected_action": block.pk, "index": 0, "confirmed": "yes"}
    fields["reason"] = "The lights went out."
    client.post(path, fields)
    assert "already played again" in client.post(path, fields, follow=True).content.decode()
    assert tournament.blocks.count() == 3
    (entry,) = LogEntry.objects.filter(user=organiser)
    assert (entry.object_id, entry.change_message) == (
        str(block.pk),
        "Void; played again: The lights went out.",
    )


def test_an_entrant_is_disqualified_with_a_reason_that_the_log_keeps(client, organiser, make_tournament):
    tournament = make_tournament()
    lifecycle.start(tournament=tournament)
    entrant = tournament.entrants.first()
    path = "/admin/tournaments/entrant/"
    fields = {"action": "disqualify", "_selected_action": entrant.pk, "index": 0, "confirmed": "yes"}
    assert "Give the reason" in client.post(path, fields, follow=True).content.decode()
    client.post(path, {**fields, "reason": "It phoned home."})
    entrant.refresh_from_db()
    assert entrant.out_for == "It phoned home."
    assert LogEntry.objects.get(user=organiser).change_message == "Disqualified: It phoned home."


def test_a_finished_tournament_is_exported(client, organiser, make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    rulings.run_again(block=tournament.blocks.first())

    def export(name):
        answer = client.get(f"{LIST}{tournament.pk}/export/{name}")
        assert f"a-test-{name}" in answer["Content-Disposition"]
        return b"".join(answer.streaming_content)

    rows = export("results.csv")
    assert len(rows.splitlines()) == 1 + 9
    assert len(read_results(rows).comparisons.entrants) == 3
    everything = json.loads(export("tournament.json"))
    assert [line["void"] for line in everything["results"]].count(True) == 9
    assert len(everything["results"]) == 18
    assert len(export("records.jsonl").splitlines()) == 3
    assert client.get(f"{LIST}{tournament.pk}/export/secrets").status_code == 404
    assert "results.csv" in client.get(f"{LIST}{tournament.pk}/change/").content.decode()


def test_all_exports_spell_a_bot_in_the_same_way(client, organiser, make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    ratings.publish(ladder=tournament.ladder, tournament=tournament)

    def export(name):
        answer = client.get(f"{LIST}{tournament.pk}/export/{name}")
        return b"".join(answer.streaming_content).decode()

    versions = {entrant.version for entrant in tournament.entrants.all()}
    names = {"house/thumb", "house/random", "house/timid"}
    results, standings = (
        list(csv.DictReader(io.StringIO(export(name)))) for name in ("results.csv", "standings.csv")
    )
    assert {row["bot"] for row in results} == {f"{v.bot.full_name} v{v.number}" for v in versions}
    assert {row["bot"] for row in standings} == names
    assert {entrant["bot"] for entrant in json.loads(export("tournament.json"))["entrants"]} == names
    first_record = json.loads(export("records.jsonl").splitlines()[0])
    assert {seat["bot"] for seat in first_record["seats"]} == names


def test_no_export_holds_a_block_that_is_not_over(client, organiser, make_tournament, land):
    tournament = make_tournament(blocks=1)
    lifecycle.start(tournament=tournament)
    table, *_ = leases.take(block_id=tournament.blocks.get().pk, owner="w1")
    land(table)
    for name, lines in (("results.csv", 1), ("records.jsonl", 0)):
        answer = client.get(f"{LIST}{tournament.pk}/export/{name}")
        assert len(b"".join(answer.streaming_content).splitlines()) == lines
    everything = client.get(f"{LIST}{tournament.pk}/export/tournament.json")
    assert json.loads(b"".join(everything.streaming_content))["results"] == []


def test_entrants_are_imported_from_a_list_in_its_order(client, organiser, field, house):
    thumb, random = house["thumb"].number, house["random"].number
    text = f"bot,version\ntimid\nhouse/thumb,{thumb}\n\nrandom,v{random}\n"
    client.post(ADD, form([], more_entrants=text))
    entrants = [entrant.version for entrant in Tournament.objects.get().entrants.all()]
    assert entrants == [house["timid"], house["thumb"], house["random"]]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffsep=;\r\nBot;Version;;\r\nhouse/thumb;{number};;\r\ntimid;;;\r\n;;;\r\n",
        "Datum\tVersion\tBot\n1.12.\t{number}\tthumb\n1.12.\t\ttimid",
        "thumb;{number}\n\ntimid\u200b",
        '"house/thumb v{number}"\nhouse/timid',
    ],
)
def test_a_list_of_entrants_is_read_as_spreadsheets_save_it(house, text):
    assert versions_listed(text.format(number=house["thumb"].number)) == [house["thumb"], house["timid"]]


def test_the_list_of_entrants_that_the_document_shows_is_taken(person, submitted, house):
    ann = person("ann")
    *_, third = [submitted(ann) for _ in range(3)]
    (text,) = code_blocks("docs/organisers.md", "csv")
    assert versions_listed(text) == [house["thumb"], third]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thumb\nkarl", "line 2: there is no bot &#x27;karl&#x27;"),
        ("house/random\nann/thumb", "line 2: there is no bot &#x27;ann/thumb&#x27;"),
        ("thumb,7", "line 1: thumb has no version 7"),
        ("thumb,x", "not &#x27;x&#x27;"),
        ("thumb,1,2", "3 fields"),
    ],
)
def test_a_list_with_a_mistake_is_refused_with_the_line(client, organiser, house, text, message):
    assert message in client.post(ADD, form([], more_entrants=text)).content.decode()
    assert not Tournament.objects.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"starts_at_0": "2020-01-01", "starts_at_1": "10:00"}, "The start is in the past"),
        ({"format": "swiss"}, "needs a number of rounds"),
        ({"rounds": 2}, "leave the rounds empty"),
        ({"format": "knock-out", "stopping": "decided"}, "ends after a fixed number of blocks"),
        ({"stopping": "decided"}, "the first look is after 16 blocks"),
        ({"format": "gauntlet"}, "needs to know which entrant is the first"),
    ],
)
def test_options_that_contradict_each_other_are_refused_in_the_form(
    client, organiser, field, changes, message
):
    assert message in client.post(ADD, form(field, **changes)).content.decode()
    assert not Tournament.objects.exists()


def test_the_first_entrant_of_a_gauntlet_is_the_challenger(client, organiser, field, house):
    client.post(ADD, form(field, format="gauntlet", first=house["timid"].pk))
    tournament = Tournament.objects.get()
    assert tournament.entrants.first().version == house["timid"]
    assert (
        f'value="{house["timid"].pk}" selected'
        in client.get(f"{LIST}{tournament.pk}/change/").content.decode()
    )


def test_a_suspended_bot_in_a_list_is_named(client, organiser, field, person, submitted):
    submitted(person(), state="suspended")
    page = client.post(ADD, form(field, more_entrants="karl,1")).content.decode()
    assert "karl v1 is suspended and cannot play" in page


def test_hiding_and_cloning_are_logged(client, organiser, make_tournament):
    tournament = make_tournament()
    for action in ("hide", "publish", "clone"):
        act(client, action, tournament)
    actions = LogEntry.objects.order_by("pk").values_list("change_message", flat=True)
    assert list(actions) == ["Hidden.", "Published.", "Cloned."]
    assert Tournament.objects.filter(created_by=organiser, state="draft").count() == 1


def test_pages_administration_exports_and_log_count_alike_from_one(
    client, organiser, make_tournament, play_out, house
):
    tournament = play_out(make_tournament(blocks=2), faulting=[house["timid"]])
    second = tournament.blocks.get(number=1)
    table = second.tables.get(lane=2)
    assert str(table) == "A test, block 2, table 3"
    blocks = client.get("/admin/tournaments/block/").content.decode()
    assert re.findall(r'field-block">(\d+)<', blocks) == ["1", "2"]
    assert re.findall(r'field-round">(\d+)<', blocks) == ["1", "1"]
    detail = client.get(f"/admin/tournaments/block/{second.pk}/change/").content.decode()
    assert '<div class="readonly">2</div>' in detail
    tables = client.get("/admin/tournaments/table/").content.decode()
    assert sorted(re.findall(r'field-table">(\d+)<', tables)) == ["1", "1", "2", "2", "3", "3"]
    entrants = client.get("/admin/tournaments/entrant/").content.decode()
    assert sorted(re.findall(r'field-number">(\d+)<', entrants)) == ["1", "2", "3"]
    results = client.get("/admin/tournaments/result/").content.decode()
    assert set(re.findall(r'field-seat">(\d+)<', results)) == {"1", "2", "3"}
    faults = client.get("/admin/tournaments/fault/").content.decode()
    assert "A test, block 2, table 3" in faults
    assert min(map(int, re.findall(r'field-deal">(\d+)<', faults))) == 1
    assert min(map(int, re.findall(r'field-move">(\d+)<', faults))) >= 1
    content = b"".join(client.get(f"{LIST}{tournament.pk}/export/results.csv").streaming_content).decode()
    rows = [line.split(",") for line in content.splitlines()[1:]]
    assert {row[0] for row in rows} == {"1", "2"}
    assert {row[1] for row in rows} == {"1", "2", "3"}
    everything = b"".join(client.get(f"{LIST}{tournament.pk}/export/tournament.json").streaming_content)
    lines = json.loads(everything)["results"]
    for key, numbers in {"block": {1, 2}, "round": {1}, "seat": {1, 2, 3}, "entrant": {1, 2, 3}}.items():
        assert {line[key] for line in lines} == numbers
    again = {"action": "again", "_selected_action": table.pk, "index": 0, "confirmed": "yes"}
    again["reason"] = "The lights went out."
    client.post("/admin/tournaments/table/", again)
    assert LogEntry.objects.get(user=organiser).object_repr == "A test, block 2, table 3"
