"""Tables of people, with the real arbiter, hub and Redis."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from stichkampf.match.events import Event
from stichkampf.match.verify import verify
from stichkampf_platform.core.errors import MatchForgotten, NotAllowed, RequestRefused
from stichkampf_platform.play import absence, bus, keys, matches, services, tasks
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import SeatKey, seat_key
from support import wait_until


def start(game="stiche-raten", *, seats, seat=0, **more):
    given = {"opponents": "gentle", "options": {"length": "deals:1"}, **more}
    return services.start_table(game=game, seats=seats, seat=seat, **given)


def asked(key):
    """Wait until the person is asked, or the table is over; return the feed."""

    def news():
        feed = services.feed(key)
        return feed if feed.question or feed.over or feed.void else None

    return wait_until(news, goal="a question")


def play_to_the_end(key):
    """Answer every question with the first legal word; return the last feed, and how many there were."""
    feed, answers = asked(key), 0
    while feed.question:
        services.answer(key, feed.question.decision, feed.question.legal[0])
        feed, answers = asked(key), answers + 1
    return feed, answers


def first_word(feed):
    return feed.question.decision, feed.question.legal[0]


def asked_one_of(*keys):
    """Wait until one of the persons is asked, or the table is over; return all their feeds."""

    def news():
        feeds = [services.feed(key) for key in keys]
        return feeds if any(feed.question or feed.over for feed in feeds) else None

    return wait_until(news, goal="a question to one of them")


def is_over(key):
    """Tell whether the match of a table was played to its end."""
    return services.feed(key).over


def table_of(key):
    return PlayedTable.objects.get(public_id=key.table)


def landed(key):
    """Look after the table until it is not open any more; return it."""

    def ended():
        matches.look_after([table_of(key)])
        table = table_of(key)
        return table if table.state != PlayedState.OPEN else None

    return wait_until(ended, goal="the table lands")


def test_a_press_asks_the_database_twice(parts, django_assert_num_queries):
    key = start(seats=3)
    asked(key)
    with django_assert_num_queries(2):
        before = services.feed(key)
        services.answer(key, *first_word(before), before)
        services.feed(key, before)


def test_what_a_process_has_read_of_a_seat_is_forgotten_once_the_seat_begins_anew(parts):
    stream, redis = keys.entries_of("anew", 0), bus.client()
    move = {"events": [["move", 0, "pass", [], [], None]]}
    redis.xadd(stream, {"entry": json.dumps(move)})
    redis.xadd(stream, {"entry": json.dumps(move | {"question": [1, ["pass"]]})})
    assert len(bus.read("anew", 0)[0].events) == 2
    redis.xadd(stream, {"entry": json.dumps(move)})
    told = bus.read("anew", 0)[0]
    assert (len(told.events), told.question) == (3, None)
    redis.delete(stream)
    redis.xadd(stream, {"entry": json.dumps(move | {"question": [2, ["stop"]]})})
    told = bus.read("anew", 0)[0]
    assert (len(told.events), told.question) == (1, (2, ("stop",)))
    redis.delete(stream)
    assert bus.read("anew", 0)[0] == bus.Told()


def test_a_process_keeps_so_many_events_of_the_seats_that_were_read_last():
    kept = bus.KeptSeats(most_events=5)
    of_two = bus.Told(events=(Event("phase"), Event("phase")))
    for name in "abac":
        kept.put(name, of_two)
    assert [len(kept.get(name).events) for name in "abc"] == [2, 0, 2]


def test_a_person_plays_a_match_whose_record_is_stored_once(parts):
    key = start(seats=4, seat=2)
    feed, _ = play_to_the_end(key)
    assert feed.over
    assert feed.question is None
    table = landed(key)
    assert table.state == PlayedState.OVER
    verify(table.record, seed=bytes(table.seed))
    assert [seat["bot"] for seat in table.record["seats"]] == ["house/gentle"] * 2 + ["guest", "house/gentle"]
    assert table.record["faults"] == []
    assert services.feed(key).events == feed.events


def test_of_six_answers_at_once_one_counts(parts):
    key = start(seats=3)
    feed = asked(key)
    word = feed.question.legal[0]
    with ThreadPoolExecutor(6) as threads:
        first = list(threads.map(lambda _: services._push(key, feed.question.decision, word), range(6)))
    assert sorted(first) == [False] * 5 + [True]
    answers = 1 + play_to_the_end(key)[1]
    moves = [seat for deal in landed(key).record["deals"] for seat, _ in deal["moves"]]
    assert moves.count(0) == answers


def test_an_old_decision_an_illegal_word_and_a_foreign_seat_are_refused(parts):
    key = start(seats=3)
    feed = asked(key)
    with pytest.raises(RequestRefused, match="is not possible now; possible: bid "):
        services.answer(key, feed.question.decision, "bid 99")
    with pytest.raises(RequestRefused, match="decided already"):
        services.answer(key, feed.question.decision + 7, feed.question.legal[0])
    for foreign in (SeatKey(key.table, 1, key.secret), SeatKey(key.table, 0, "ä" * 32)):
        with pytest.raises(NotAllowed, match="somebody else's"):
            services.answer(foreign, feed.question.decision, feed.question.legal[0])
    play_to_the_end(key)
    with pytest.raises(RequestRefused, match="over"):
        services.answer(key, 1, "bid 0")


def test_who_resigns_is_replaced_for_good(parts):
    key = start(seats=3)
    asked(key)
    services.resign(key)
    table = landed(key)
    assert {(fault["seat"], fault["kind"]) for fault in table.record["faults"]} == {(0, "resigned")}
    with pytest.raises(RequestRefused, match="over"):
        services.take_again(key)


def test_a_decision_is_taken_back_in_practice_only(parts):
    strict = start(seats=3)
    asked(strict)
    with pytest.raises(RequestRefused, match="practice only"):
        services.take_back(strict, 1)
    key = start(seats=3, practice=True)
    before = asked(key)
    services.answer(key, before.question.decision, before.question.legal[0])
    asked(key)
    services.take_back(key, 1)
    with pytest.raises(RequestRefused, match="decided already"):  # a doubled press
        services.take_back(key, 1)
    again = wait_until(lambda: (feed := services.feed(key)).question and feed)
    assert again.events == before.events
    assert again.question.legal == before.question.legal
    assert play_to_the_end(key)[0].over
    with pytest.raises(RequestRefused, match="This table is over"):
        services.take_back(key, 2)
    verify(landed(key).record)


def test_a_decision_of_a_match_that_ends_at_this_moment_is_not_taken_back(parts, monkeypatch):
    key = start(seats=3, practice=True)
    before = asked(key)
    play_to_the_end(key)
    monkeypatch.setattr(services, "feed", lambda _key: before)  # the end has not been told yet
    with pytest.raises(RequestRefused, match="This table is over"):
        services.take_back(key, 1)


def test_a_seat_is_handed_to_a_bot_and_back(parts):
    key = start(seats=3, seat=0, opponents=[None, None, "gentle"])
    other = seat_key(key.table, 1)
    while not (feed := asked_one_of(key, other)[0]).question:
        services.answer(other, *first_word(services.feed(other)))
    services.leave(key)
    assert services.feed(key).left
    assert services.feed(key).question is None
    with pytest.raises(RequestRefused, match="plays for you already"):
        services.leave(key)
    with pytest.raises(RequestRefused, match="decided already"):
        services.answer(key, *first_word(feed))
    absence.answer_for_absent([table_of(key)])
    wait_until(lambda: services.feed(other).question, goal="the other is asked, as the bot has moved")
    services.take_again(key)
    assert not services.feed(key).left
    with pytest.raises(RequestRefused, match="it is your seat"):
        services.take_again(key)
    assert services.feed(key).events[: len(feed.events)] == feed.events
    while not is_over(key):
        for mine in asked_one_of(key, other):
            if mine.question:
                services.answer(seat_key(key.table, mine.seat), *first_word(mine))
    assert landed(key).record["faults"] == []


def test_the_match_waits_for_who_left_bots_alone(parts, monkeypatch):
    key = start(seats=3)
    before = asked(key)
    services.leave(key)
    absence.answer_for_absent([table_of(key)])
    services.take_again(key)
    again = services.feed(key)
    assert (again.events, again.question) == (before.events, before.question)
    services.leave(key)
    monkeypatch.setattr(absence, "PACE_SECONDS", 0)

    def landed_by_the_bot():
        absence.answer_for_absent([table_of(key)])
        matches.look_after([table_of(key)])
        return table_of(key).state == PlayedState.OVER

    wait_until(landed_by_the_bot, goal="the bot plays to the end")
    record = table_of(key).record
    verify(record)
    assert record["seats"][0]["bot"] == "guest"
    assert record["faults"] == []
    with pytest.raises(RequestRefused, match="over"):
        services.take_again(key)


def test_a_resignation_that_waits_survives_the_hub(parts):
    key = start(seats=3, seat=0, opponents=[None, None, "gentle"])
    other = seat_key(key.table, 1)
    while (feeds := asked_one_of(key, other))[0].question:
        services.answer(key, *first_word(feeds[0]))
    services.resign(key)
    parts.kill("hub")
    parts.start("hub")

    def landed_as_given_up():
        now = services.feed(other)
        if now.question:
            bus.push_answer(other.table, other.seat, *first_word(now))
        absence.answer_for_absent([table_of(key)])
        matches.look_after([table_of(key)])
        return table_of(key).state == PlayedState.OVER

    wait_until(landed_as_given_up, goal="the table lands")
    assert {(fault["seat"], fault["kind"]) for fault in table_of(key).record["faults"]} == {(0, "resigned")}


def test_a_lost_hub_arbiter_or_redis_costs_nothing_that_was_seen(parts):
    key = start(seats=3)
    feed = asked(key)
    services.answer(key, feed.question.decision, feed.question.legal[0])
    seen = asked(key)
    for lost in ("hub", "arbiter", "redis"):
        parts.kill(lost)
        parts.start(lost)
        matches.look_after([table_of(key)])
        back = asked(key)
        assert back.events == seen.events, lost
        assert back.question.legal == seen.question.legal, lost
    play_to_the_end(key)
    verify(landed(key).record)


def test_a_match_lost_with_its_moves_is_void_in_one_sentence(parts):
    key = start(seats=3)
    asked(key)
    for name in ("arbiter", "redis"):
        parts.kill(name)
    parts.start("redis", "arbiter")
    assert landed(key).state == PlayedState.VOID
    assert services.feed(key).void == str(matches.LOST)
    with pytest.raises(RequestRefused, match="over"):
        services.resign(key)


def test_a_table_that_is_put_aside_goes_on_where_it_was_once_its_person_is_back(parts, monkeypatch):
    monkeypatch.setattr(absence, "ROOMY_TABLES", 0)
    key = start(seats=3)
    before = asked(key)
    absence.put_aside([table_of(key)])
    assert table_of(key).state == PlayedState.OPEN  # it does not wait for long yet
    monkeypatch.setattr(absence, "ASIDE_SECONDS", 0.0)
    absence.put_aside([table_of(key)])
    absence.give_up_aside()
    assert table_of(key).state == PlayedState.ASIDE
    with pytest.raises(MatchForgotten):
        parts.client.fetch_moves(table_of(key).match)
    services.feed(key)
    feed = asked(key)
    assert (feed.events, feed.question.legal) == (before.events, before.question.legal)
    play_to_the_end(key)
    table = landed(key)
    assert (table.state, table.record["faults"]) == (PlayedState.OVER, [])
    verify(table.record, seed=bytes(table.seed))


def test_a_table_put_aside_to_which_nobody_comes_back_is_given_up(parts, monkeypatch):
    monkeypatch.setattr(absence, "ROOMY_TABLES", 0)
    monkeypatch.setattr(absence, "ASIDE_SECONDS", 0.0)
    key = start(seats=3)
    asked(key)
    absence.put_aside([table_of(key)])
    monkeypatch.setattr(absence.limits, "PERSON_SECONDS", 0)
    absence.give_up_aside()

    def ended():
        tasks.sweep_tables()
        return table_of(key).state == PlayedState.OVER

    wait_until(ended, goal="a bot plays it to its end")
    assert {(fault["seat"], fault["kind"]) for fault in table_of(key).record["faults"]} == {(0, "resigned")}


def test_deserted_tables_in_all_rooms_give_some_back(parts, monkeypatch):
    monkeypatch.setattr(absence, "ASIDE_SECONDS", 0.0)
    endless = iter(lambda: start(seats=3), None)
    deserted = []
    with pytest.raises(RequestRefused, match="All tables for people are taken"):
        deserted.extend(endless)
    tasks.sweep_tables()
    left = PlayedTable.objects.filter(state=PlayedState.OPEN)
    assert left.count() == absence.ROOMY_TABLES < len(deserted)
    assert table_of(deserted[0]).state == PlayedState.ASIDE
    waiting = list(left)
    assert play_to_the_end(start(seats=3))[0].over
    for table in waiting:
        matches.put_aside(table)
