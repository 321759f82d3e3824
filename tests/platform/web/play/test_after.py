"""Pages of a match of people that is over: its result, and its replay."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.http import HttpResponse
from named_cards import cards_in
from stichkampf.bots.practice import entrant, play_match
from stichkampf.games import new_game
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.web.play import result_pages
from stichkampf_platform.web.play.same_hands import CostlyDecision, Hindsight
from stichkampf_platform.web.play.seats_kept import keep_seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(client):
    """A match that is over, at whose first seat the visitor sat."""
    game = new_game("sticheln", 4, {"length": "deals:4"})
    record = play_match(game, [entrant("thumb")] * 4, bytes(32)).record
    table = PlayedTable.objects.create(
        public_id="over", game_name=game.name, options=game.options, seats_count=4, seed=bytes(32),
        state=PlayedState.OVER, record=record,
    )  # fmt: skip
    answer = HttpResponse()
    keep_seat(answer, seat_key(table.public_id, 0))
    client.cookies.update(answer.cookies)
    return table


@pytest.mark.parametrize(
    ("asked", "told"),
    [("view=9", "0 shows all hands, 1 to 4 what that seat saw"), ("every=yes", "every=1 stops at forced")],
)
def test_the_replay_refuses_what_it_does_not_know_in_words(client, over, asked, told):
    assert client.get("/play/over/replay/?view=2&every=1").status_code == 200
    refused = client.get(f"/play/over/replay/?{asked}")
    assert refused.status_code == 404
    assert told in refused.content.decode()


@pytest.mark.parametrize(
    ("pressed", "told"),
    [
        ({"move": "play R7", "decision": "3"}, "This table is over."),
        ({"deed": "resign"}, "This table is over."),
        ({"deed": "leave"}, "This table is over."),
        ({"deed": "return"}, "This table is over."),
        ({"deed": "back", "start": "1"}, "This table is over."),
        ({"deed": "hint"}, "There is nothing to choose now."),
        ({"deed": "say 1"}, "Nobody else is at this table who could hear it."),
        ({"deed": "deal"}, "There is no such button at this table."),
    ],
)
def test_nothing_is_pressed_at_a_table_that_is_over(client, over, pressed, told):
    over.seats.create(number=0, person=True)
    for number in range(1, 4):
        over.seats.create(number=number, house="thumb")
    refused = client.post("/play/over/", pressed)
    assert (refused.status_code, told in refused.content.decode()) == (409, True)
    before = over.record
    over.refresh_from_db()
    assert (over.state, over.record, over.seats.get(number=0).bot_plays) == ("over", before, False)


@pytest.mark.parametrize(
    "alter",
    [
        lambda cookie: "",
        lambda cookie: "1" + cookie[1:],
        lambda cookie: cookie[:-1],
        lambda cookie: cookie.partition(":")[0],
        lambda cookie: cookie + ":x",
        lambda cookie: cookie.upper(),
        lambda cookie: "9" * 3000,
    ],
)
def test_an_altered_cookie_is_no_seat(client, over, alter):
    name = "seat-over"
    client.cookies[name] = alter(client.cookies[name].value)
    for page in ("", "told/", "result/"):
        refused = client.get(f"/play/over/{page}")
        assert (refused.status_code, "no seat at this table" in refused.content.decode()) == (403, True)


def test_the_result_leads_to_each_of_the_costliest_decisions(client, over, monkeypatch):
    costly = CostlyDecision(5, "R7", "R1", 3.0, 1.5)
    monkeypatch.setattr(result_pages, "hindsight", lambda *_of: Hindsight([("even", 4)], "even", [costly]))
    page = client.get("/play/over/result/").content.decode()
    assert 'href="/play/over/replay/5"' in page
    assert "<small>± 1.5</small>" in page


def test_play_again_leads_to_the_same_game_and_level(client, over, monkeypatch):
    kept = Hindsight([("even", 4)], ["gentle"], [])
    monkeypatch.setattr(result_pages, "hindsight", lambda *_of: kept)
    page = client.get("/play/over/result/").content.decode()
    again = unescape(re.search(r'href="([^"]*)">Play again<', page)[1])
    begins = client.get(again).content.decode()
    assert re.search(r'value="gentle"\s+checked', begins)
    assert re.search(r'<button[^>]*name="game"[^>]*value="([^"]*)"', begins)[1] == "sticheln"


def test_three_lines_to_share_tell_points_and_a_link_and_no_card(client, over, monkeypatch):
    mine = over.record["scores"][0]
    kept = Hindsight([("even", mine - 1), ("bold", mine + 1)], "even", [])
    monkeypatch.setattr(result_pages, "hindsight", lambda *_of: kept)
    page = client.get("/play/over/result/").content.decode()
    told = re.search(r'<textarea[^>]*labelledby="share">(.*?)</textarea>', page, re.DOTALL)[1].strip()
    first, points, link = told.splitlines()
    assert first.startswith("Stichkampf · Sticheln · ")
    assert points == f"{signed(mine)}, better than 1 of 2 house bots"
    assert link == "http://testserver/play/over/replay/"
    assert cards_in(f"{first} {points}", tuple(type(over.game).cards)) == set()


def test_ranked_bots_are_asked_by_a_button_and_stand_among_the_others(
    client, over, monkeypatch, submitted, person, house
):
    monkeypatch.setattr(result_pages, "hindsight", lambda *_of: Hindsight([("even", 4)], "even", []))
    ann, ben, cleo = (submitted(person(name), games=["sticheln"]) for name in ("ann", "ben", "cleo"))
    snapshot = Snapshot.objects.create(
        ladder=Ladder.objects.get(game="sticheln", main=True), block_spans=[], blocks=99, tables=99,
        comparisons=99, digest="x",
    )  # fmt: skip
    for version, rank in ((ann, 3), (ben, 2), (cleo, None), (Version.objects.get(house="bold"), 1)):
        Rating.objects.create(
            snapshot=snapshot, version=version, elo=1500, blocks=30, comparisons=9, rank=rank,
            provisional=rank is None,
        )  # fmt: skip
    asking = "Let ranked bots of authors play them, too"
    assert asking in client.get("/play/over/result/").content.decode()
    assert client.post("/play/over/result/").status_code == 302
    page = client.get("/play/over/result/").content.decode()
    assert asking not in page
    assert "2 of 2 ranked bots have yet to play" in page
    first, second = over.same_hands.all()
    assert [first.version, second.version] == [ben, ann]
    over.same_hands.filter(pk=first.pk).update(state="over", points=1000)
    over.same_hands.filter(pk=second.pk).update(state="failed")
    page = client.get("/play/over/result/").content.decode()
    assert "ben/karl" in page
    assert "1 ranked bot did not play to the end" in page


def test_where_no_ranked_bot_may_play_the_button_says_so(client, over, monkeypatch, db):
    monkeypatch.setattr(result_pages, "hindsight", lambda *_of: Hindsight([("even", 4)], "even", []))
    answer = client.post("/play/over/result/")
    assert answer.status_code == 409
    assert "No ranked bot of an author plays this game against people" in answer.content.decode()
