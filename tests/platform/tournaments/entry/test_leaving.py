"""Leaving: a bot is withdrawn before and after the start, also one that was chosen, without disgrace."""

import re

import pytest
from django.core.exceptions import ValidationError
from documents import words_of
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import Notice
from stichkampf_platform.ratings import announcements
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.entry import entries, leaving
from stichkampf_platform.tournaments.entry.draft_checks import check_entrants
from stichkampf_platform.tournaments.models import Ruling
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling import rounds

pytestmark = [pytest.mark.slow, pytest.mark.queries]


_ENGLISH = (
    r"in a Swiss of three rounds Cid's author withdraws it in round (\d). Cid plays round (\d) to its end, "
    r"and round (\d) is drawn without it. What the others took from it counts as before; Cid has no place"
)
WITHDRAWN = {
    "docs/organisers.md": _ENGLISH,
    "docs/tournaments.md": _ENGLISH,
    "docs/de/tournaments.md": r"In einem Schweizer System mit drei Runden zieht Cids Autor ihn in Runde (\d) "
    r"zurück. Cid spielt Runde (\d) zu Ende, und Runde (\d) wird ohne ihn ausgelost. Was die anderen gegen "
    r"ihn geholt haben, gilt wie zuvor; Cid hat keinen Platz",
}
SIX = ("karl", "thumb", "random", "timid", "bold", "flat")


@pytest.fixture
def karl(person, submitted):
    """A bot of Ann's that organisers may enter."""
    made = submitted(person("ann"), "karl")
    made.bot.may_be_entered = True
    made.bot.save()
    return made


@pytest.fixture
def cup(make_tournament, house, karl, person, make_organiser):
    """A draft of Olga in which she has chosen a bot of Ann's; it is on no page yet."""
    olga = person("olga")
    make_organiser(olga)
    names = ["thumb", "random", "timid"]
    versions = [karl, *(house[name] for name in names)]
    return make_tournament(name="Cup", versions=versions, blocks=4, created_by=olga)


def told(person):
    return list(Notice.objects.filter(person=person).order_by("pk").values_list("title", flat=True))


def test_the_author_of_a_chosen_bot_is_told_of_all_that_becomes_of_it(cup, karl, play_out):
    lifecycle.set_entrants(tournament=cup, versions=[e.version for e in cup.entrants.all()])  # saved again
    play_out(cup)
    ratings.publish(ladder=cup.ladder, tournament=cup)
    assert announcements.tell_results() == 1
    ann = karl.bot.owner
    assert told(ann) == ["A bot of yours is to play in Cup", "Cup has started", "Cup is over"]
    chosen, started, over = Notice.objects.filter(person=ann).order_by("pk")
    assert chosen.address == "/tournaments/cup/withdraw/"  # the tournament is on no page yet
    assert (started.address, started.text) == ("/tournaments/cup/", "ann/karl v1 plays.")
    assert "ann/karl v1 has place " in over.text


def test_a_chosen_bot_leaves_before_the_start_and_is_not_chosen_again(client, cup, karl, submitted):
    ann = karl.bot.owner
    client.force_login(ann)
    page = client.get("/tournaments/cup/withdraw/").content.decode()
    assert "Withdraw karl" in page
    assert client.get("/tournaments/cup/").status_code == 404
    client.post("/tournaments/cup/withdraw/", {"bot": "karl"})
    left = [(entrant.number, entrant.version.house) for entrant in cup.entrants.all()]
    assert left == [(0, "thumb"), (1, "random"), (2, "timid")]
    with pytest.raises(ValidationError, match=r"ann/karl v1 was withdrawn by its author; leave it out\."):
        check_entrants(cup, [karl, *(e.version for e in cup.entrants.all())])
    assert told(cup.created_by) == ["Cup: a ruling"]
    assert client.get("/tournaments/cup/withdraw/").status_code == 404
    lifecycle.start(tournament=cup)


def test_a_bot_leaves_after_the_start_and_plays_to_the_end_what_it_has_begun(client, cup, karl, land):
    lifecycle.start(tournament=cup)
    begun, *others = cup.blocks.filter(participations__entrant__version=karl)
    first, *_ = leases.take(block_id=begun.pk, owner="w1")
    assert land(first)
    client.force_login(karl.bot.owner)
    assert "Withdraw a bot" in client.get("/tournaments/cup/").content.decode()
    answer = client.delete("/api/v1/tournaments/cup/entries/ann/karl/")
    assert answer.status_code == 204
    out = cup.entrants.get(version=karl)
    assert (out.out_as, out.told_out) == ("withdrawn", "Its author has withdrawn it.")
    begun.refresh_from_db()
    assert begun.over_at is None
    assert others
    for block in others:
        block.refresh_from_db()
        assert set(block.tables.values_list("state", flat=True)) == {"void"}
    page = client.get("/tournaments/cup/").content.decode()
    assert "disqualified" not in page
    assert "withdrawn: Its author has withdrawn it." in " ".join(page.split())
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.role, ruling.by) == ("withdraw", "author", karl.bot.owner)
    german = " ".join(client.get("/de/tournaments/cup/").content.decode().split())
    assert "zurückgezogen: Der Autor hat ihn zurückgezogen." in german
    again = client.delete("/api/v1/tournaments/cup/entries/ann/karl/")
    assert "is already withdrawn" in again.json()["detail"]


def test_a_gauntlet_ends_when_its_challenger_leaves_and_says_so(client, make_tournament, house, karl, land):
    field = [karl, *(house[name] for name in ("thumb", "random", "timid"))]
    cup = make_tournament(versions=field, name="Cup", format="gauntlet", blocks=4)
    lifecycle.start(tournament=cup)
    assert all(land(table) for table in leases.take(block_id=cup.blocks.first().pk, owner="w1"))
    client.force_login(karl.bot.owner)
    assert client.delete("/api/v1/tournaments/cup/entries/ann/karl/").status_code == 204
    due_steps.advance_tournaments()
    cup.refresh_from_db()
    assert cup.state == "finished"
    told = "It ended when its challenger, ann/karl v1, was out; what was played until then counts."
    assert told in " ".join(client.get("/tournaments/cup/").content.decode().split())
    german = " ".join(client.get("/de/tournaments/cup/").content.decode().split())
    assert "Es endete, als sein Herausforderer, ann/karl v1, nicht mehr dabei war" in german


def test_a_bot_that_leaves_a_round_is_in_it_to_its_end_and_in_no_later_one(
    make_tournament, house, karl, land
):
    versions = [karl, *(house[name] for name in SIX[1:])]
    cup = make_tournament(name="Cup", versions=versions, format="swiss", rounds=2, blocks=2)
    lifecycle.start(tournament=cup)
    leaving.withdraw(tournament=cup, bot=karl.bot, by=karl.bot.owner)
    assert not cup.blocks.exclude(over_at=None).exists()
    for block in cup.blocks.all():
        assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    due_steps.advance_tournaments()
    second = cup.blocks.filter(round=1)
    assert second.exists()
    assert not second.filter(participations__entrant__version=karl).exists()
    assert karl.pk not in {row.entrant.version_id for row in standings(cup) if row.place}


@pytest.mark.parametrize("document", WITHDRAWN)
def test_cid_of_the_example_leaves_as_it_says(make_tournament, house, karl, land, document):
    told = re.search(WITHDRAWN[document], words_of(document))
    left, played, without = map(int, told.groups())
    versions = [karl, *(house[name] for name in SIX[1:])]
    cup = make_tournament(name="Cup", versions=versions, format="swiss", rounds=3, blocks=1)
    lifecycle.start(tournament=cup)
    entrant = cup.entrants.get(version=karl)
    points = {}
    for number in (1, 2, 3):
        if number == left:
            leaving.withdraw(tournament=cup, bot=karl.bot, by=karl.bot.owner)
        while cup.blocks.filter(round=number - 1, over_at=None).exists():
            for block in cup.blocks.filter(over_at=None):
                assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
            points[number] = shares_of(cup, number)
            due_steps.advance_tournaments()
        sits = cup.blocks.filter(round=number - 1, participations__entrant=entrant).exists()
        assert sits == (number < without)
    assert played == left
    assert [shares_of(cup, number) for number in (1, 2)] == [points[1], points[2]]
    cup.refresh_from_db()
    places = {row.entrant.pk: row.place for row in standings(cup)}
    assert places.pop(entrant.pk, None) is None
    assert None not in places.values()


def shares_of(tournament, number):
    """Return the share of each entrant in a round, by its number."""
    return rounds.past_of(tournament).shares(number - 1)


def test_the_organiser_withdraws_at_the_wish_of_the_author_with_a_reason(cup, karl, person):
    lifecycle.start(tournament=cup)
    olga, entrant = cup.created_by, cup.entrants.get(version=karl)
    with pytest.raises(RequestRefused, match="Give the reason"):
        leaving.withdraw(tournament=cup, bot=karl.bot, by=olga)
    with pytest.raises(RequestRefused, match="belongs to ann"):
        leaving.withdraw(tournament=cup, bot=karl.bot, by=person("bob"))
    rulings.rule("withdraw", on=entrant, by=olga, reason="Ann is ill.")
    entrant.refresh_from_db()
    assert (entrant.out_as, entrant.out_for) == ("withdrawn", "Ann is ill.")
    assert Notice.objects.get(person=karl.bot.owner, title="Cup: a ruling").text == (
        "ann/karl v1 was withdrawn: Ann is ill."
    )


def test_an_organiser_takes_an_entry_back_for_a_reason_only(make_tournament, house, karl, person):
    olga = person("olga")
    cup = make_tournament("thumb", "random", "timid", name="Cup", entry="anybody", created_by=olga)
    entries.enter(tournament=cup, bot=karl.bot, by=karl.bot.owner)
    with pytest.raises(RequestRefused, match="Give the reason"):
        leaving.withdraw(tournament=cup, bot=karl.bot, by=olga)
    leaving.withdraw(tournament=cup, bot=karl.bot, by=olga, reason="It is a copy.")
    assert not cup.entries.exists()
    assert told(karl.bot.owner) == ["Cup: a ruling"]
    entries.enter(tournament=cup, bot=karl.bot, by=karl.bot.owner)
    leaving.withdraw(tournament=cup, bot=karl.bot, by=karl.bot.owner)
    assert Ruling.objects.count() == 1  # what an author does before the start is no ruling
