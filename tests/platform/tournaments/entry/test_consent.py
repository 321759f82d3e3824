"""An organiser does nothing that lasts to a bot of somebody else: it plays where its author agrees."""

import json

import pytest
from django.core.exceptions import ValidationError
from stichkampf.time_control import LADDER_CLOCK
from stichkampf_platform.bots.models import Version
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.entry import draft_checks
from stichkampf_platform.tournaments.models import Membership, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running.conduct import conduct_of

pytestmark = pytest.mark.database


@pytest.fixture
def olga(person, make_organiser):
    made = person("olga")
    make_organiser(made)
    return made


@pytest.fixture
def karl(person, submitted):
    return submitted(person("ann"))


@pytest.fixture
def agreed(karl):
    """Ann lets organisers enter karl."""
    karl.bot.may_be_entered = True
    karl.bot.save()
    return karl


def with_house(karl, house):
    return [karl, house["thumb"], house["random"]]


@pytest.mark.parametrize("is_released", [False, True], ids=["default", "without the wall of organisers"])
def test_a_rated_tournament_of_an_organiser_moves_no_bot_on_the_public_ladder(
    make_tournament, play_out, olga, house, is_released
):
    own = play_out(make_tournament(blocks=4))
    ladder = ratings.publish(ladder=own.ladder)
    bought = play_out(make_tournament(name="Bought", created_by=olga, blocks=4))
    rulings.run_again(block=bought.blocks.first())
    assert bought.ladder == own.ladder
    Tournament.objects.filter(pk=bought.pk).update(released=is_released)
    again = ratings.publish(ladder=own.ladder)
    assert (again.digest == ladder.digest, again.blocks) == ((False, 7) if is_released else (True, 4))
    alone = ratings.publish(ladder=bought.ladder, tournament=bought)
    assert alone.blocks == 3


def test_a_tournament_of_a_superuser_counts(make_tournament, play_out, person):
    chief = person("chief", is_superuser=True)
    cup = play_out(make_tournament(created_by=chief, blocks=2))
    assert ratings.publish(ladder=cup.ladder).blocks == 2


@pytest.fixture
def without_asking(monkeypatch):
    """Take away that a bot plays only where its author agrees."""
    monkeypatch.setattr(draft_checks, "without_consent", lambda *_: [])


def sink(client):
    """Ask for a tournament with another's bot, in which no bot could keep up; return the answer."""
    fields = {
        "name": "Sink", "game": "stiche-raten", "seats": 3, "options": {"length": "deals:1"},
        "blocks_planned": 2, "entrants": ["ann/karl v1", "thumb", "random"], "move_seconds": 0.05,
    }  # fmt: skip
    return client.post("/api/v1/organiser/tournaments/", json.dumps(fields), content_type="application/json")


def test_without_consent_an_organiser_enters_and_starts_any_bot(client, olga, karl, house, without_asking):
    client.force_login(olga)
    assert sink(client).status_code == 201
    made = Tournament.objects.get()
    assert made.entrants.filter(version=karl).exists()
    lifecycle.start(tournament=made)
    assert made.blocks.filter(tables__seats__entrant__version=karl).exists()


def test_an_organiser_enters_no_bot_of_another(client, make_tournament, olga, karl, house):
    client.force_login(olga)
    answer = sink(client)
    assert answer.status_code == 400
    assert answer.json()["entrants"] == [
        "Only its author enters ann/karl v1: open the tournament for entries by authors, or ask for the "
        "setting that lets organisers enter it, on the page of the bot."
    ]
    with pytest.raises(ValidationError, match="Only its author enters ann/karl v1"):
        make_tournament(versions=with_house(karl, house), created_by=olga)


def test_a_draft_starts_without_consent_neither(make_tournament, olga, agreed, house):
    draft = make_tournament(versions=with_house(agreed, house), created_by=olga)
    agreed.bot.may_be_entered = False
    agreed.bot.save()
    with pytest.raises(ValidationError, match="Only its author enters ann/karl v1"):
        lifecycle.start(tournament=draft)
    draft.refresh_from_db()
    assert (draft.state, draft.released) == ("draft", False)


def test_an_organiser_enters_bots_by_consent_of_a_setting_an_entry_or_a_membership(
    make_tournament, olga, agreed, house, person, submitted
):
    lifecycle.start(tournament=make_tournament(versions=with_house(agreed, house), created_by=olga))
    rolf = submitted(person("bob"), "rolf")
    members = make_tournament(name="Members", created_by=olga, private=True)
    Membership.objects.create(tournament=members, person=rolf.bot.owner)
    draft_checks.check_entrants(members, with_house(rolf, house))
    opened = make_tournament(name="Open", created_by=olga, entry="anybody")
    opened.entries.create(bot=rolf.bot)
    lifecycle.start(tournament=opened)
    assert opened.entrants.filter(version=rolf).exists()


def test_a_ladder_of_an_organiser_draws_no_bot_unasked(make_tournament, olga, karl, house, person, submitted):
    rolf = submitted(person("bob"), "rolf")
    rolf.bot.may_be_entered = True
    rolf.bot.save()
    ladder = make_tournament(name="Mine", format="ladder", blocks=3, created_by=olga)
    lifecycle.start(tournament=ladder)
    entered = set(ladder.entrants.values_list("version", flat=True))
    assert rolf.pk in entered
    assert karl.pk not in entered


@pytest.mark.parametrize("is_walled", [True, False], ids=["default", "without the wall of organisers"])
@pytest.mark.parametrize("move_seconds", [LADDER_CLOCK.move_seconds, 0.05])
def test_forfeits_in_tournaments_of_organisers_suspend_no_version(
    make_tournament, play_out, olga, agreed, house, settings, monkeypatch, is_walled, move_seconds
):
    """Without the wall it is suspended, but not where it had less time for a move than in its trial."""
    if not is_walled:
        monkeypatch.setattr(Tournament, "of_installation", True)
    settings.CONDUCT_SUSPENDED_WITH_POINTS = 6
    fields = {"created_by": olga, "fault_allowance": 0, "move_seconds": move_seconds}
    play_out(make_tournament(versions=with_house(agreed, house), **fields), faulting=[agreed])
    agreed.refresh_from_db()
    is_suspended = agreed.state == Version.State.SUSPENDED
    is_counted = not is_walled and move_seconds >= LADDER_CLOCK.move_seconds
    assert (is_suspended, conduct_of(agreed).matches > 0) == (is_counted, is_counted)


def test_an_author_says_whether_organisers_enter_a_bot(client, karl):
    ann, page = karl.bot.owner, f"{karl.bot.get_absolute_url()}entries/"
    client.force_login(ann)
    client.post(page, {"accepted": "yes"})
    assert client.get(f"/api/v1{karl.bot.get_absolute_url()}").json()["may_be_entered"] is True
    api = f"/api/v1{karl.bot.get_absolute_url()}entries/"
    assert client.post(api, {"accepted": False}, content_type="application/json").status_code == 200
    karl.bot.refresh_from_db()
    assert karl.bot.may_be_entered is False
    assert Tournament.objects.count() == 0
