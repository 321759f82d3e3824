"""Tables by link, with the real arbiter, hub and Redis: people gather, bots fill up, somebody stays away."""

from datetime import timedelta

import pytest
from stichkampf.match.verify import verify
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.play import absence, matches, services, together
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key
from support import wait_until

GAME = "stiche-raten"


def invited(seats, *, game=GAME, account=None, minutes=3):
    return together.invite(
        game=game, seats=seats, level="gentle", minutes=minutes, account=account, address=""
    )


def table_of(key):
    return PlayedTable.objects.get(public_id=key.table)


def shortened(key):
    """Let the match of a table that gathers have one deal."""
    PlayedTable.objects.filter(public_id=key.table).update(options={"length": "deals:1"})
    return key


def asked(keys):
    """Wait until one of the persons is asked, or the match is over; return all their feeds."""

    def news():
        feeds = [services.feed(key) for key in keys]
        return feeds if any(feed.question or feed.over for feed in feeds) else None

    return wait_until(news, goal="a question to one of them")


def played_out(keys):
    feeds = asked(keys)
    while not all(feed.over for feed in feeds):
        for key, feed in zip(keys, feeds, strict=True):
            if feed.question:
                services.answer(key, feed.question.decision, feed.question.legal[0])
        feeds = asked(keys)

    def landed():
        matches.look_after([table_of(keys[0])])
        return table_of(keys[0]).state == PlayedState.OVER

    wait_until(landed, goal="the table lands")
    return table_of(keys[0]).record


def test_six_people_play_at_one_table_from_the_last_seat_that_is_taken(parts, person):
    key = shortened(invited(6, account=person("ada")))
    assert bytes(table_of(key).seed) == b""
    keys = [key, *(together.sit_down(table_of(key), seat, None) for seat in range(1, 6))]
    assert table_of(key).state == PlayedState.OPEN
    assert len(bytes(table_of(key).seed)) == 32
    feeds = asked(keys)
    assert all(feed.persons == frozenset(range(6)) for feed in feeds)
    record = played_out(keys)
    verify(record, seed=bytes(table_of(key).seed))
    assert [seat["bot"] for seat in record["seats"]] == ["guest"] * 6
    assert record["faults"] == []


def test_bots_take_the_seats_that_stay_empty_after_the_wait_that_was_said(parts, monkeypatch):
    key = shortened(invited(4, minutes=1))
    other = together.sit_down(table_of(key), 2, None)
    together.begin_due()
    assert table_of(key).state == PlayedState.GATHERING
    with pytest.raises(RequestRefused, match="not begun yet"):
        services.resign(key)
    now = clock.now()
    monkeypatch.setattr(together.clock, "now", lambda: now + timedelta(minutes=1))
    together.begin_due()
    together.begin_due()
    assert table_of(key).start == 1
    record = played_out([key, other])
    assert [seat["bot"] for seat in record["seats"]] == ["guest", "house/gentle", "guest", "house/gentle"]


def test_a_bot_plays_for_who_lets_the_others_wait_until_the_person_is_back(parts, monkeypatch):
    key = shortened(invited(3))
    other = together.sit_down(table_of(key), 1, None)
    together.begin(key)
    while not (feeds := asked([key, other]))[0].question:
        services.answer(other, feeds[1].question.decision, feeds[1].question.legal[0])
    absence.answer_for_absent([table_of(key)])
    assert services.feed(other).away == frozenset()
    with monkeypatch.context() as patch:
        patch.setattr(absence, "PATIENCE_SECONDS", 0.0)
        absence.answer_for_absent([table_of(key)])
    assert services.feed(key).left
    assert 0 in services.feed(other).away
    absence.answer_for_absent([table_of(key)])
    wait_until(lambda: services.feed(key).events != feeds[0].events, goal="the bot has moved")
    for mine in (key, other):
        if services.feed(mine).left:
            services.take_again(mine)
    assert played_out([key, other])["faults"] == []


def test_who_presses_does_not_disturb_the_clock_of_another(parts):
    key = shortened(invited(4, game="sticheln"))
    keys = [key, *(together.sit_down(table_of(key), seat, None) for seat in (1, 2))]
    together.begin(key)
    wait_until(lambda: all(services.feed(each).question for each in keys), goal="all choose a pain card")
    seen = [services.feed(each) for each in keys]
    for presses in (0, 1):
        services.answer(keys[presses], seen[presses].question.decision, seen[presses].question.legal[0])
        together.say(keys[presses], 1)
        last = services.feed(keys[2])
        assert (last.question, last.events, last.version) == (
            seen[2].question, seen[2].events, seen[2].version,
        )  # fmt: skip
    assert services.feed(keys[2]).said == ((0, 1), (1, 1))
    assert played_out(keys)["faults"] == []


def test_a_phrase_is_one_of_a_few_and_not_said_all_the_time(parts):
    key = invited(3)
    with pytest.raises(RequestRefused, match="Nobody else"):
        together.say(key, 1)
    other = together.sit_down(table_of(key), 1, None)
    together.begin(key)
    for number in (0, 99):
        with pytest.raises(RequestRefused, match="no such phrase"):
            together.say(key, number)
    together.say(key, 2)
    with pytest.raises(RequestRefused, match="just now"):
        together.say(key, 3)
    assert services.feed(other).said == ((0, 2),)
    with pytest.raises(RequestRefused, match="no hints where several"):
        services.mark_practice(key)


def test_a_seat_is_taken_once_and_an_account_has_one(parts, person):
    key = invited(4, account=person("ada"))
    table, bert = table_of(key), person("bert")
    with pytest.raises(RequestRefused, match="has a seat at this table already"):
        together.sit_down(table, 1, table.seats.get(number=0).account)
    together.sit_down(table, 1, bert)
    for account in (None, person("carl")):
        with pytest.raises(RequestRefused, match="Seat 2 is not free"):
            together.sit_down(table, 1, account)
    for missing in (-1, 4):
        with pytest.raises(RequestRefused, match="is not free"):
            together.sit_down(table, missing, None)
    with pytest.raises(RequestRefused, match="Only who invited"):
        together.begin(seat_key(key.table, 1))
    together.call_off(key)
    assert table_of(key).state == PlayedState.VOID
    with pytest.raises(RequestRefused, match="has begun"):
        together.sit_down(table, 2, None)
    with pytest.raises(RequestRefused, match="begun already"):
        together.begin(key)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"minutes": 2}, "Empty seats wait for 1, 3, 10 minutes"),
        ({"level": "god"}, "There is no level 'god'"),
        ({"seats": 9}, "Say for how many seats"),
        ({"game": "skat"}, "There is no game 'skat'"),
    ],
)
def test_a_table_that_cannot_be_is_refused(wrong, told):
    asked_for = {"game": GAME, "seats": 4, "level": "even", "minutes": 3, "account": None, "address": ""}
    with pytest.raises(RequestRefused, match=told):
        together.invite(**asked_for | wrong)
    assert not PlayedTable.objects.exists()
