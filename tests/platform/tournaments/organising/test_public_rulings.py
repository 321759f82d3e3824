"""The public list of rulings: who may rule how, what it changed, who is told; protests and their answers."""

import json
import re

import pytest
from django.contrib.admin.models import LogEntry
from django.utils.translation import override
from documents import words_of
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.people.models import Notice
from stichkampf_platform.ratings import announcements, queries, tasks
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.entry import protests
from stichkampf_platform.tournaments.models import Ruling, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.records.exports import everything_json
from stichkampf_platform.tournaments.running import due_steps

pytestmark = [pytest.mark.slow, pytest.mark.queries]

PAGE = "/tournaments/a-test/"
SIX = ("thumb", "random", "timid", "bold", "flat", "rival")
_POWER = r"[Tt]he power failed while block (\d) was played"
_INSTEAD = ". The organiser says so, block {0} is void, and another is played in its place."
POWER_FAILED = {
    "docs/organisers.md": (_POWER, "", "Made void and played again A test, block {0}"),
    "docs/tournaments.md": (_POWER, _INSTEAD, "Made void and played again A test, block {0}"),
    "docs/de/tournaments.md": (
        r"Der Strom fiel aus, während Block (\d) gespielt wurde",
        ". Der Veranstalter sagt das, Block {0} ist ungültig, "
        "und ein anderer wird an seiner Stelle gespielt.",
        "Für ungültig erklärt und neu gespielt A test, Block {0}",
    ),
}
"""Words of each document on the power failure and on what becomes of it, and the title of the ruling."""


@pytest.fixture
def olga(person, make_organiser):
    made = person("olga")
    make_organiser(made)
    return made


@pytest.fixture
def chief(person):
    return person("chief", is_staff=True, is_superuser=True)


@pytest.fixture
def karl(person, submitted):
    """A bot of Ann's that organisers may enter."""
    made = submitted(person("ann"), "karl")
    made.bot.may_be_entered = True
    made.bot.save()
    return made


@pytest.fixture
def cup(make_tournament, house, karl, olga):
    """A running tournament of Olga, with a bot of Ann's."""
    made = make_tournament(versions=[house["thumb"], house["random"], karl], blocks=2, created_by=olga)
    lifecycle.start(tournament=made)
    made.refresh_from_db()
    return made


@pytest.fixture
def play(land):
    """Play a block, without its last tables, which are returned."""

    def played(block, *, leave=0):
        tables = leases.take(block_id=block.pk, owner="w1")
        assert all(land(table) for table in tables[: len(tables) - leave])
        block.refresh_from_db()
        return tables[len(tables) - leave :]

    return played


@pytest.fixture
def ended(cup, play):
    for block in cup.blocks.all():
        play(block)
    assert due_steps.advance_tournaments() == 1
    ratings.publish(ladder=cup.ladder, tournament=cup)
    cup.refresh_from_db()
    return cup


def text_of(client, address):
    page = client.get(address).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_results_that_were_seen_are_void_for_a_fault_of_the_platform_or_by_the_operators(
    cup, play, olga, chief
):
    first, second = cup.blocks.all()
    play(first)
    with pytest.raises(RequestRefused, match=r"have been seen\. Name the fault of the platform"):
        rulings.run_again(block=first, by=olga, reason="The wrong bot won.")
    with pytest.raises(
        RequestRefused, match="'weather' is no fault of the platform; there are machine: a machine"
    ):
        rulings.run_again(block=first, by=olga, reason="It rained.", fault="weather")
    assert not Ruling.objects.exists()
    rulings.run_again(block=first, by=olga, reason="The power failed.", fault="machine")
    rulings.run_again(block=second, by=olga, reason="I changed the time.")  # not seen by anybody
    rulings.rule("void", on=cup.blocks.get(number=3), by=chief, reason="Enough.")
    listed = Ruling.objects.order_by("pk").values_list("kind", "role", "fault")
    assert list(listed) == [
        ("again", "organiser", "machine"),
        ("again", "organiser", ""),
        ("void", "staff", ""),
    ]


@pytest.mark.parametrize("document", POWER_FAILED)
def test_the_power_failure_of_the_example_is_ruled_upon_as_it_says(client, cup, play, olga, document):
    told, follows, title = POWER_FAILED[document]
    text = words_of(document)
    failed = re.search(told, text)
    number = int(failed[1])
    assert text[failed.end() :].startswith(follows.format(number))
    block = cup.blocks.get(number=number - 1)
    play(block)
    with pytest.raises(RequestRefused, match="Name the fault of the platform"):
        rulings.run_again(block=block, by=olga, reason=failed[0])
    again = rulings.run_again(block=block, by=olga, reason=failed[0], fault="machine")
    assert set(block.tables.values_list("state", flat=True)) == {"void"}
    for other in cup.blocks.filter(over_at=None):
        play(other)
    again.refresh_from_db()
    assert again.over_at
    assert set(again.tables.values_list("state", flat=True)) == {"done"}
    assert due_steps.advance_tournaments() == 1
    page = text_of(client, f"/de{PAGE}" if "/de/" in document else PAGE)
    assert title.format(number) in page
    assert failed[0] in page


def test_what_is_over_is_taken_back_by_the_operators_alone(ended, olga, chief):
    block = ended.blocks.first()
    for kind in ("void", "again"):
        with pytest.raises(RequestRefused, match="only the operators of this site take a result of it back"):
            rulings.rule(kind, on=block, by=olga, reason="The wrong bot won.", fault="machine")
    ended.refresh_from_db()
    assert ended.state == Tournament.State.FINISHED
    rulings.run_again(block=block, by=chief, reason="Its record is damaged.")
    ended.refresh_from_db()
    assert ended.state == Tournament.State.RUNNING


def test_only_the_organiser_and_the_operators_rule(cup, person, karl):
    for by in (person("otto"), karl.bot.owner):
        with pytest.raises(RequestRefused, match="Only the organiser of A test rules on it"):
            rulings.disqualify(entrant=cup.entrants.first(), reason="It beats mine.", by=by)


@pytest.mark.parametrize(
    ("reason", "told"), [(" ", "Give the reason"), ("x" * 301, "at most 300"), ("a\x00b", "invisible")]
)
def test_each_kind_of_ruling_needs_a_reason_that_can_be_read(cup, olga, reason, told):
    for kind, action in rulings.RULINGS.items():
        on = (cup.blocks if action.on.__name__ == "Block" else cup.entrants).first()
        with pytest.raises(RequestRefused, match=told):
            rulings.rule(kind, on=on, by=olga, reason=reason)
    assert not Ruling.objects.exists()


def test_the_page_tells_what_a_ruling_on_a_finished_tournament_has_changed(client, ended, play, chief):
    before = {str(row.entrant.pk): row.place for row in standings(ended)}
    again = rulings.run_again(block=ended.blocks.first(), by=chief, reason="Its record is damaged.")
    page = text_of(client, PAGE)
    assert "Made void and played again A test, block 1" in page
    assert "the operators of this site Its record is damaged." in page
    assert "chief" not in page
    assert "What it changes is known when the result stands again" in page
    play(again)
    due_steps.advance_tournaments()
    assert announcements.settle_rulings() == 0  # the ratings are not final
    ratings.publish(ladder=ended.ladder, tournament=ended)
    assert announcements.settle_rulings() == 1
    assert announcements.settle_rulings() == 0
    ruling = Ruling.objects.get()
    assert ruling.before == before
    assert ruling.after == {str(row.entrant.pk): row.place for row in standings(ended)}
    Ruling.objects.update(before={**ruling.after, str(ended.entrants.first().pk): 9})
    assert re.search(r"Places: house/thumb v\d+: 9 → \d", text_of(client, PAGE))
    german = text_of(client, f"/de{PAGE}")
    assert "Für ungültig erklärt und neu gespielt A test, Block 1" in german
    assert "die Betreiber dieser Seite Its record is damaged." in german
    assert re.search(r"Ränge: house/thumb v\d+: 9 → \d", german)


@pytest.mark.parametrize("others", [2, 0])
def test_what_is_void_after_the_end_counts_in_no_rating_any_more(
    client, make_tournament, play_out, chief, others
):
    cup = play_out(make_tournament(blocks=1 + others))

    def settle():
        for each in queries.unsettled_tournaments():
            tasks.publish_tournament(each.pk)
        return announcements.settle_rulings(), announcements.tell_results()

    assert settle() == (0, 1)
    assert queries.newest_snapshot(cup.ladder, cup).blocks == 1 + others
    block = cup.blocks.first()
    rulings.rule("void", on=block, by=chief, reason="Its cards were seen.", fault="cards")
    due_steps.advance_tournaments()
    assert settle() == (1, 1)
    assert not queries.unsettled_tournaments().exists()
    left = queries.newest_snapshot(cup.ladder, cup)
    assert (left.blocks if left else 0) == others
    assert Ruling.objects.get().after == {str(row.entrant.pk): row.place for row in standings(cup)}
    page = text_of(client, PAGE)
    assert ("There are no places, because no results are left to compare." in page) == (not others)
    assert "Places appear when the first blocks are finished" not in page
    assert ("Latest finished block" in page) == bool(others)


def test_api_and_export_have_the_list(client, ended, chief):
    rulings.run_again(block=ended.blocks.first(), by=chief, reason="Its record is damaged.", fault="cards")
    (line,) = client.get("/api/v1/tournaments/a-test/rulings/").json()
    assert (line["kind"], line["role"], line["fault"], line["block"]) == ("again", "staff", "cards", 0)
    assert (line["reason"], line["places"], line["person"]) == ("Its record is damaged.", None, "")
    Ruling.objects.update(after={str(ended.entrants.first().pk): 7})
    (line,) = client.get("/api/v1/tournaments/a-test/rulings/").json()
    assert 7 in {each["after"] for each in line["places"] if each["entrant"].startswith("house/thumb v")}
    (exported,) = json.loads("".join(everything_json(ended)))["rulings"]
    assert (exported["kind"], exported["block"], exported["reason"]) == ("again", 1, "Its record is damaged.")
    assert exported["changed"]["1"][1] == 7


@pytest.mark.parametrize(
    ("kind", "done"), [("void", "counts no more"), ("again", "is played again with other cards")]
)
def test_the_author_of_a_bot_in_a_block_that_is_taken_back_is_told_why(ended, chief, karl, kind, done):
    block = ended.blocks.filter(participations__entrant__version=karl).first()
    rulings.rule(kind, on=block, by=chief, reason="Its record is damaged.")
    told = Notice.objects.get(person=karl.bot.owner, title="A test: a ruling")
    assert told.text == f"Block {block.number + 1} is void and {done}: Its record is damaged."


def test_a_disqualified_bot_has_no_place_at_once_and_its_author_is_told(client, cup, play, olga, karl):
    play(cup.blocks.first())
    ratings.publish(ladder=cup.ladder, tournament=cup)
    entrant = cup.entrants.get(version=karl)
    assert entrant.pk in {row.entrant.pk for row in standings(cup) if row.place}
    rulings.disqualify(entrant=entrant, reason="It phoned home.", by=olga)
    assert {row.entrant.pk: row.place for row in standings(cup)}[entrant.pk] is None
    assert [row.place for row in standings(cup)] == [1, 2, None]
    assert "Disqualified ann/karl v1" in text_of(client, PAGE)
    told = Notice.objects.filter(person=karl.bot.owner, title="A test: a ruling").get()
    assert told.text == "ann/karl v1 was disqualified: It phoned home."
    with override("de"):
        assert told.told_text == "ann/karl v1 wurde ausgeschlossen: It phoned home."


@pytest.mark.parametrize("fields", [{"format": "swiss", "rounds": 2}, {"format": "knock-out"}])
def test_a_bot_disqualified_in_the_first_round_has_no_place(make_tournament, play, olga, fields):
    cup = make_tournament(*SIX, blocks=1, **fields)
    lifecycle.start(tournament=cup)
    played = cup.blocks.first()
    play(played)
    cup.refresh_from_db()
    ratings.publish(ladder=cup.ladder, tournament=cup)
    assert {row.place for row in standings(cup)} == {None}  # those whose block ended first are not first
    rulings.disqualify(entrant=played.participations.first().entrant, reason="It phoned home.")
    assert {row.place for row in standings(cup)} == {None}


def test_the_last_block_of_a_group_is_played_again_and_not_only_void(make_tournament, play):
    cup = make_tournament(*SIX, format="knock-out", blocks=2)
    lifecycle.start(tournament=cup)
    first = cup.blocks.first()
    mates = cup.blocks.filter(participations__entrant__in=first.participations.values("entrant")).distinct()
    first, second = mates
    rulings.rule("void", on=first, by=None, reason="Seen.")
    with pytest.raises(RequestRefused, match="only one of its group in this round; play it again"):
        rulings.rule("void", on=second, by=None, reason="Seen.")
    with pytest.raises(RequestRefused, match="void already"):
        rulings.rule("void", on=first, by=None, reason="Again.")
    assert rulings.run_again(block=second)


def test_a_participant_protests_against_a_match_and_reads_the_answer(client, cup, play, olga, karl):
    play(cup.blocks.first())
    table = cup.blocks.first().tables.first()
    ann = karl.bot.owner
    client.force_login(ann)
    page = text_of(client, PAGE)
    # a round robin has no rounds
    assert "you can protest, beside each match whose block is over. Schedule" in page
    address = f"{PAGE}protest/?table={table.pk}"
    assert f'href="{address}"' in client.get(f"/blocks/{table.block_id}/").content.decode()
    assert f'href="{address}"' in client.get(table.get_absolute_url()).content.decode()
    client.post(address, {"text": "My bot was\nslowed down."})
    page = text_of(client, PAGE)
    assert "Protest A test, block 1, table 1" in page
    assert "ann My bot was slowed down. Not answered yet." in page
    assert Notice.objects.filter(person=olga, title="A test: a protest").exists()
    client.force_login(olga)
    (protest,) = Ruling.objects.filter(kind="protest")
    fields = {"action": "answer", "_selected_action": protest.pk, "index": 0, "text": "It was not."}
    assert "Answered." in client.post("/admin/tournaments/ruling/", fields, follow=True).content.decode()
    assert "the organiser It was not." in text_of(client, PAGE)
    assert Notice.objects.get(person=ann, title="A test: your protest is answered").text == "It was not."
    with pytest.raises(RequestRefused, match="answered already"):
        protests.answer(protest=protest, by=olga, text="Or was it?")


def test_an_organiser_answers_on_the_page_to_which_the_notice_leads(client, ended, olga, karl):
    made = protests.protest(tournament=ended, by=karl.bot.owner, text="Slow.", table=_table_of(ended))
    address = Notice.objects.get(person=olga, title="A test: a protest").address
    client.force_login(karl.bot.owner)
    assert "Answer this protest" not in text_of(client, PAGE)
    assert client.post(address, {"text": "I was right."}).status_code == 403
    client.force_login(olga)
    assert f'href="{address}"' in client.get(PAGE).content.decode()
    assert "ann" in (page := text_of(client, address))
    assert "Slow." in page
    assert client.post(address, {"text": " "}).status_code == 422
    answered = client.post(address, {"text": "It was not."})
    assert answered.headers["Location"] == f"{PAGE}#ruling-{made.pk}"
    assert "Answer this protest" not in text_of(client, PAGE)
    assert "the organiser It was not." in text_of(client, PAGE)
    assert LogEntry.objects.get(user=olga, object_id=made.pk).change_message == "Answered."
    assert "has been answered already" in text_of(client, address)
    assert client.post(address, {"text": "Or was it?"}).status_code == 422


def _table_of(tournament):
    return tournament.blocks.first().tables.first()


def test_a_protest_gives_no_hand_away_before_the_blocks_are_over(client, cup, play, land, olga, karl):
    first, second = cup.blocks.all()
    play(first)
    left = play(second, leave=1)
    made = protests.protest(tournament=cup, by=karl.bot.owner, text="I hold R7!", table=first.tables.first())
    places = [PAGE, "/api/v1/tournaments/a-test/rulings/", f"{PAGE}files/tournament.json"]
    for person in (None, olga):
        if person is not None:
            client.force_login(person)
            places.append("/admin/tournaments/ruling/")
            places.append(f"/admin/tournaments/ruling/{made.pk}/change/")
        for place in places:
            assert "I hold R7!" not in client.get(place, follow=True).getvalue().decode(), place
    assert "I hold R7!" not in "".join(everything_json(cup))
    with pytest.raises(RequestRefused, match="when the blocks are over"):
        protests.answer(protest=made, by=olga, text="So what?")
    client.force_login(karl.bot.owner)
    assert "I hold R7!" in text_of(client, PAGE)
    assert all(land(table) for table in left)
    client.logout()
    assert "I hold R7!" in text_of(client, PAGE)


def test_the_desk_names_the_round_of_a_protest_as_the_page_does(client, ended, karl, chief):
    protests.protest(tournament=ended, by=karl.bot.owner, text="Our bot got no answer.", round=0)
    client.force_login(chief)
    page = client.get("/admin/tournaments/ruling/").content.decode()
    assert re.search(r'field-shown_round">1<', page)
    assert "against round 1" in text_of(client, PAGE)


def test_only_those_who_take_part_protest_and_some_times_a_day(cup, play, person, karl, settings):
    settings.RATES = {**settings.RATES, "protests": {"account": (5, 24 * 3600)}}
    ann, first = karl.bot.owner, cup.blocks.first()
    with pytest.raises(RequestRefused, match="as soon as its block is over"):
        protests.protest(tournament=cup, by=ann, text="No!", table=first.tables.first())
    play(first)
    table = first.tables.select_related("block").first()
    with pytest.raises(RequestRefused, match="Only authors whose bots play"):
        protests.protest(tournament=cup, by=person("bob"), text="No!", table=table)
    with pytest.raises(RequestRefused, match="at most 1000"):
        protests.protest(tournament=cup, by=ann, text="x" * 1001, table=table)
    with pytest.raises(RequestRefused, match="Round 8 of A test has not been drawn"):
        protests.protest(tournament=cup, by=ann, text="No!", round=7)
    for _ in range(5):
        protests.protest(tournament=cup, by=ann, text="No!", round=0)
    with pytest.raises(TooMany):
        protests.protest(tournament=cup, by=ann, text="No!", table=table)


def test_the_list_of_a_private_tournament_is_private(client, cup, person, karl):
    Tournament.objects.update(private=True)
    rulings.disqualify(entrant=cup.entrants.first(), reason="It phoned home.")
    bob = person("bob")
    for visitor in (None, bob):
        if visitor:
            client.force_login(visitor)
        assert client.get("/api/v1/tournaments/a-test/rulings/").status_code == 404
        assert client.get(f"{PAGE}protest/?round=1").status_code in (302, 404)
        sent = client.post("/api/v1/tournaments/a-test/protests/", {"text": "x", "round": 0})
        assert sent.status_code in (401, 403, 404)
    assert client.get("/admin/tournaments/ruling/").status_code in (302, 403)


def test_what_is_refused_is_refused_before_it_is_asked(client, make_tournament, play, olga):
    cup = make_tournament(
        *SIX,
        format="swiss",
        rounds=2,
        blocks=1,
        created_by=olga,
    )
    lifecycle.start(tournament=cup)
    for block in cup.blocks.all():
        play(block)
    due_steps.advance_tournaments()
    client.force_login(olga)
    fields = {"action": "again", "_selected_action": cup.blocks.first().pk, "index": 0}
    fields |= {"reason": "The power failed.", "fault": "machine"}
    page = client.post("/admin/tournaments/block/", fields, follow=True).content.decode()
    assert "The next round has been drawn" in page
    assert 'name="confirmed"' not in page
