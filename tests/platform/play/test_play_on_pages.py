"""Pages on which somebody plays on from a replay, from an own match, or from a record file that is sent."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from stichkampf.bots.practice import entrant, play_match
from stichkampf.games import new_game
from stichkampf.match import records
from stichkampf_platform.play import daily, matches, play_on, services
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key
from stichkampf_platform.web.play import result_pages
from stichkampf_platform.web.play.same_hands import CostlyDecision, Hindsight
from stichkampf_platform.web.play.seats_kept import keep_seat
from support import wait_until

SEEDED = bytes(range(32))


def recorded(game="sticheln", seats=4, options=None):
    rules = new_game(game, seats, options or {"length": "deals:1"})
    return play_match(rules, [entrant("gentle")] * seats, SEEDED).record


def file_of(record):
    text = record if isinstance(record, str) else records.dump(record)
    return SimpleUploadedFile("match.json", text.encode())


def begun(answer):
    """Return the table that an answer leads to, and its client's key of the only person."""
    assert answer.status_code == 302, answer.content.decode()
    table = PlayedTable.objects.latest("pk")
    return table, seat_key(table.public_id, table.seats.get(person=True).number)


def feed_of(key):
    return wait_until(lambda: (now := services.feed(key)).question and now)


@pytest.fixture
def over(db):
    """A match of a person at seat 2 that is over."""
    record = recorded()
    table = PlayedTable.objects.create(
        public_id="over", game_name="sticheln", options=record["options"], seats_count=4, seed=SEEDED,
        state=PlayedState.OVER, record=record,
    )  # fmt: skip
    for number in range(4):
        table.seats.create(number=number, person=number == 1, house="" if number == 1 else "even")
    return table


def sitting(table, seat):
    client, answer = Client(), HttpResponse()
    keep_seat(answer, seat_key(table.public_id, seat))
    client.cookies.update(answer.cookies)
    return client


def test_a_file_is_played_on_with_what_the_seat_knew_and_no_card_more(parts, client):
    record = recorded()
    level = {"decision": "20", "level": "gentle"}
    table, key = begun(client.post("/play/on/", {"file": file_of(record), **level}))
    feed = feed_of(key)
    step = next(step for number, step in enumerate(records.steps(record), start=1) if number == 20)
    assert (key.seat, sorted(feed.question.legal)) == (step.move.seat, sorted(step.legal))
    assert feed.events == step.match.events(key.seat)
    assert not feed.open_cards
    assert play_on.open_hands(table) == []
    page = client.get(f"/play/{table.public_id}/").content.decode()
    assert 'id="open-hands"' not in page
    assert "practice" in page


def test_with_open_cards_all_hands_lie_there_and_only_for_who_sits_there(parts, client):
    answer = client.post("/play/on/", {"file": file_of(recorded()), "decision": "20", "knows": "open"})
    table, key = begun(answer)
    feed_of(key)
    page = client.get(f"/play/{table.public_id}/").content.decode()
    assert 'id="open-hands"' in page
    step = client.get(f"/play/{table.public_id}/", headers={"X-Fragment": "steps", "X-Step": "1"})
    assert step.content.decode().count('id="open-hands"') == 1
    assert Client().get(f"/play/{table.public_id}/").status_code == 403


def test_a_costly_decision_is_taken_again_and_the_result_says_what_it_was_there(parts, over, monkeypatch):
    last = len(records.deciding_seats(over.record))
    decision = max(number for number in records.decisions_of(over.record, 1) if number < last - 4)
    costly = CostlyDecision(decision, "play R7", "play R1", 3.0, 1.5)
    monkeypatch.setattr(result_pages, "hindsight", lambda *_of: Hindsight([("even", 4)], "even", [costly]))
    client = sitting(over, 1)
    page = client.get("/play/over/result/").content.decode()
    assert f'action="/play/over/on/{decision}/"' in page
    table, key = begun(client.post(f"/play/over/on/{decision}/", {"seat": "2"}))
    assert (key.seat, table.practice, table.open_cards, bytes(table.seed)) == (1, True, False, SEEDED)
    while (now := wait_until(lambda: (f := services.feed(key)) and (f.question or f.over) and f)).question:
        services.answer(key, now.question.decision, now.question.legal[0])

    def landed():
        matches.look_after([PlayedTable.objects.get(pk=table.pk)])
        return PlayedTable.objects.get(pk=table.pk).state == PlayedState.OVER

    wait_until(landed, goal="the table lands")
    monkeypatch.undo()
    page = client.get(f"/play/{table.public_id}/result/").content.decode()
    assert "You played on:" in page
    assert 'href="/play/over/result/"' in page
    assert "The same hands in your seat" not in page


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "Choose the file of a match record."),
        ({"file": file_of("%PDF-1.7")}, "holds no match that can be played on: not JSON"),
        ({"file": SimpleUploadedFile("a.json", b"\xff\xfe\x00")}, "no text in UTF-8"),
        ({"file": file_of('{"game": "skat"}')}, "holds no match that can be played on:"),
        ({"file": file_of("[" * 100_000)}, "holds no match that can be played on:"),
        ({"file": file_of(" " * (play_on.RECORD_BYTES + 1))}, "a match record may have"),
        ({"file": file_of(recorded()), "decision": "999"}, "There is no decision 999 in this match"),
        ({"file": file_of(recorded()), "decision": "-3"}, "greater than or equal to 1"),
        ({"file": file_of(recorded()), "seat": "5"}, "Seat 5 is not at this table; its seats are 1 to 4."),
        ({"file": file_of(recorded()), "seat": "x"}, "Enter a whole number."),
        ({"file": file_of(recorded()), "level": "god"}, "There is no level 'god'"),
        ({"file": file_of(recorded()), "knows": "future"}, "There is no knowledge 'future'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_and_begins_no_table(client, sent, told):
    for file in [sent["file"]] if "file" in sent else []:
        file.seek(0)
    answer = client.post("/play/on/", sent)
    assert answer.status_code == 422
    assert told in answer.content.decode().replace("&#x27;", "'")
    assert not PlayedTable.objects.exists()


@pytest.mark.parametrize("page", ["/play/over/on/9999/", "/play/none/on/3/", "/play/on/77/3/"])
def test_a_decision_or_match_that_is_not_there_is_not_found(over, page):
    assert Client().get(page).status_code == 404
    assert Client().post(page).status_code == 404


def test_a_visitor_chooses_a_seat_of_a_match_and_comes_back_to_its_replay(parts, over):
    client = Client()
    page = client.get("/play/over/on/5/").content.decode()
    assert page.count("<option") == 4
    assert page.count("decides here") == 1
    refused = client.post("/play/over/on/5/", {"seat": "x"})
    assert (refused.status_code, "seats count from 1" in refused.content.decode()) == (422, True)
    table, key = begun(client.post("/play/over/on/5/", {"seat": "3", "knows": "open"}))
    assert (key.seat, table.origin) == (2, "/play/over/replay/5")


def test_nobody_plays_on_from_the_deal_of_a_day_that_is_not_over(client, over):
    daily.open_day()
    deal = daily.known_deal("sticheln", daily.today())
    record = play_match(deal.game, [entrant("gentle")] * deal.seats_count, bytes(deal.seed)).record
    unnamed = {name: value for name, value in record.items() if name not in ("seed", "shuffle")}
    for each in (record, unnamed):
        answer = client.post("/play/on/", {"file": file_of(each)})
        assert answer.status_code == 422
        assert "This is the deal of the day" in answer.content.decode()
    over.daily_entry = deal.entries.create(table=over, browser="b")
    assert sitting(over, 1).get("/play/over/on/3/").status_code == 403
    assert PlayedTable.objects.count() == 1
