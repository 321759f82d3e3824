"""The form of a tournament: options as fields, presets, estimate; two buttons that save nothing."""

import re

import pytest
from stichkampf.games import GAMES
from stichkampf_platform.desk.tournaments.option_fields import option_fields
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.option_values import field_name, options_in
from stichkampf_platform.tournaments.organising.presets import PRESETS

ADD = "/admin/tournaments/tournament/add/"


@pytest.fixture
def organiser(client, person):
    staff = person("chief", is_staff=True, is_superuser=True)
    client.force_login(staff)
    return staff


def filled(house, **changes):
    fields = {
        "name": "Friday", "slug": "friday", "game": "stiche-raten", "seats": 3, "options": "",
        "option_stiche_raten_length": "deals:1", "option_stiche_raten_hook": "false",
        "format": "round-robin", "stopping": "fixed", "blocks_planned": 4, "rated": "on", "published": "on",
        "move_seconds": 2, "bank_seconds": 10, "cap_seconds": 5, "fault_allowance": 2,
        "entrants": [house[name].pk for name in ("thumb", "random", "timid")], **changes,
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value is not None}


@pytest.mark.parametrize("game", GAMES)
def test_every_option_of_every_game_is_a_field_with_default_and_meaning(game):
    for seats in GAMES[game].players:
        fields = option_fields(game, seats)
        assert len(fields) == len(GAMES[game].specification)
        for option in GAMES[game].specification:
            field = fields[field_name(game, option)]
            assert option.meaning, option.name
            assert field.help_text.startswith(option.meaning.capitalize())
            assert field.clean("") is None
            for value in option.values:
                text = next(sent for sent, _ in field.choices[1:] if field.coerce(sent) == value)
                assert field.clean(text) == value


def test_a_default_that_depends_on_another_option_is_said():
    fields = option_fields("sticheln", 4)
    default = fields["option_sticheln_zero_trick"].choices[0][1]
    assert re.fullmatch(r"leader \(default\), \w+ where edition is short", default)
    assert "Default: deals:10, deals:4 where edition is short." in fields["option_sticheln_length"].help_text


def test_options_are_taken_from_their_fields(client, organiser, house):
    client.post(ADD, filled(house))
    tournament = Tournament.objects.get()
    assert tournament.options["length"] == "deals:1"
    assert tournament.options["hook"] is False
    assert tournament.options["deck"] == 64
    page = client.get(f"/admin/tournaments/tournament/{tournament.pk}/change/").content.decode()
    assert 'name="option_stiche_raten_length" value="deals:1"' in page
    assert '<option value="false" selected>no</option>' in page
    client.post(
        f"/admin/tournaments/tournament/{tournament.pk}/change/",
        filled(house, option_stiche_raten_hook="", option_stiche_raten_length=""),
    )
    tournament.refresh_from_db()
    assert (tournament.options["hook"], tournament.options["length"]) == (True, "full")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"option_stiche_raten_length": "deals:0"}, "length cannot be 'deals:0'; possible: full or deals:N"),
        ({"option_stiche_raten_deck": "63"}, "Select a valid choice"),
        ({"options": '{"deck": 52}'}, "in the fields above or as JSON, not in both"),
    ],
)
def test_a_wrong_option_is_named_under_its_field(client, organiser, house, changes, message):
    page = client.post(ADD, filled(house, **changes)).content.decode().replace("&#x27;", "'")
    assert message in page
    assert not Tournament.objects.exists()


def test_another_game_shows_its_options_and_takes_none_of_the_first(client, organiser, house):
    page = client.post(ADD, filled(house, game="sticheln", _choose="options")).content.decode()
    assert 'name="option_sticheln_edition"' in page
    assert "option_stiche_raten" not in page
    assert 'value="Friday"' in page
    assert "errornote" not in page
    assert not Tournament.objects.exists()
    client.post(ADD, filled(house, game="sticheln"))
    assert Tournament.objects.get().options["length"] == "deals:10"


def test_the_estimate_is_there_before_anything_is_saved(client, organiser, house):
    page = client.post(ADD, filled(house, name="", _choose="estimate")).content.decode()
    assert "<strong>12 tables, less than a minute at 240 tables a minute, as assumed until some" in page
    assert not Tournament.objects.exists()


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("game", GAMES)
def test_a_preset_fills_in_a_tournament_that_can_be_made(game, name):
    values = PRESETS[name].values(game)
    fields = option_fields(game, values["seats"])
    cleaned = {field: fields[field].clean(values.get(field, "")) for field in fields}
    GAMES[game](values["seats"], options_in(game, cleaned))


def test_a_preset_is_filled_in_and_saves_nothing(client, organiser, house):
    page = client.post(ADD, filled(house, _preset="class")).content.decode()
    assert re.search(r'name="option_stiche_raten_length" value="deals:\d"', page)
    assert '<option value="round-robin" selected>' in page
    assert not re.search(r'name="rated"[^>]*checked', page)
    assert not Tournament.objects.exists()


def test_a_ladder_needs_no_entrants(client, organiser, house):
    client.post(ADD, filled(house, format="ladder", entrants=None))
    ladder = Tournament.objects.get()
    assert not ladder.entrants.exists()
    address = f"/admin/tournaments/tournament/{ladder.pk}/change/"
    press = {"action": "start", "_selected_action": ladder.pk, "index": 0}
    client.post("/admin/tournaments/tournament/", press)
    ladder.refresh_from_db()
    assert ladder.state == "running"
    assert ladder.entrants.count() >= 3
    assert ladder.blocks.exists()
    assert client.get(address).status_code == 200


def test_a_description_stands_on_the_site_in_markdown(client, organiser, house, make_tournament):
    client.post(ADD, filled(house, description="# Rules\n\nBring **one** bot. <script>alert(1)</script>"))
    tournament = Tournament.objects.get(slug="friday")
    lifecycle.start(tournament=tournament)
    page = client.get("/tournaments/friday/").content.decode()
    assert "<h2>Rules</h2>" in page
    assert "<strong>one</strong>" in page
    assert "<script>alert" not in page
    assert client.get("/api/v1/tournaments/friday/").json()["description"].startswith("# Rules")
