"""Answers of the site to who sits at a table hold what that seat may know and nothing else, in every game.

`STICHKAMPF_PLAYED=100` plays a hundred matches of each game at any number of seats, every twentieth of them
whole, the others of one deal; without it one such short match of each is played.
"""

import os
import random
import re
import subprocess
import sys

import pytest
from django.http import HttpResponse
from django.test import Client
from named_cards import cards_in
from stichkampf.bots.practice import entrant, play_match
from stichkampf.games import GAMES, new_game
from stichkampf.match import records
from stichkampf.match.verify import verify
from stichkampf_platform.play import bus, keys, play_on, services, tasks
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.play_on import PlayOnPoint
from stichkampf_platform.play.seat_keys import seat_key
from stichkampf_platform.web.play import table_pages
from stichkampf_platform.web.play.seats_kept import keep_seat
from support import wait_until

PLAYED = int(os.environ.get("STICHKAMPF_PLAYED", "0"))
ONE_DEAL = {"length": "deals:1"}
SHORT = {"was-sticht": {"max_deals": 1}}
"""Options of one deal of the games that have none of length."""
WHOLE_EACH = 20
SOMETIMES = 0.15
REFUSED = re.compile(r"This was decided already\.|This table is over\.")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
HEADERS = {
    "cache-control", "content-language", "content-length", "content-security-policy", "content-type",
    "cross-origin-opener-policy", "location", "permissions-policy", "referrer-policy", "refresh",
    "set-cookie", "vary", "x-content-type-options", "x-frame-options",
}  # fmt: skip
"""All that an answer may be headed by: none of them tells of a match."""


class Window:
    """A window of a browser in which one seat is kept, or an account is signed in."""

    def __init__(self, key, account=None):
        self.key, self.client = key, Client()
        self.address = f"/play/{key.table}/"
        if account is not None:
            self.client.force_login(account)
            return
        kept = HttpResponse()
        keep_seat(kept, key)
        self.client.cookies.update(kept.cookies)

    def page(self):
        return self._checked(self.client.get, self.address, deals=2)

    def step(self, since=0):
        """Ask for the steps since; without any, for the present one alone."""
        headers = {"X-Fragment": "steps", "X-Step": str(since), "X-Version": "0"}
        return self._checked(self.client.get, self.address, deals=2, headers=headers)

    def told(self):
        return self._checked(self.client.get, self.address + "told/")

    def press(self, decision, word, **headers):
        fields = {"move": word, "decision": decision, "step": 0}
        return self._checked(self.client.post, self.address, fields, deals=2, headers=headers)

    def _checked(self, ask, *words, deals=1, **more):
        """Return an answer, once no card in it is one that the seat was not told of.

        :param deals: whose cards it may hold: the last ones when it was asked for, and what comes since. The
            last trick of a deal lies beside the next one.
        """
        before = services.feed(self.key)
        began = [place for place, event in enumerate(before.events) if event.kind == "deal"]
        answer = ask(*words, **more)
        names = {name.lower() for name in answer.headers}
        assert names <= HEADERS, names - HEADERS
        assert "no-store" in answer["Cache-Control"]
        events = services.feed(self.key, before).events[min(began[-deals:], default=0) :]
        told = " ".join(str((event.text, event.cards, event.facts)) for event in events)
        text, cards = answer.content.decode() + str(answer.headers), tuple(type(before.game).cards)
        assert cards_in(text, cards) <= cards_in(told, cards), answer.headers
        return answer


@pytest.mark.parametrize(
    ("game", "number"),
    [
        pytest.param(game, number, id=f"{game}-{number}" if PLAYED else game)
        for number in range(PLAYED or 1)
        for game in GAMES
    ],
)
def test_every_answer_holds_what_the_seat_may_know_and_nothing_else(
    parts, person, tmp_path, monkeypatch, game, number
):
    monkeypatch.setattr(table_pages, "FIRST_WAIT_SECONDS", 0.0)  # the test waits itself
    written = tmp_path / "record.json"
    whole = bool(PLAYED) and number % WHOLE_EACH == WHOLE_EACH - 1
    written.write_text(played(game, random.Random(f"{game} {number}"), person, whole=whole) + "\n")
    verified = subprocess.run([sys.executable, "-m", "stichkampf", "verify", written], capture_output=True)
    assert verified.returncode == 0, verified.stdout


def test_who_plays_on_with_what_the_seat_knew_is_shown_no_card_more(parts):
    rules = new_game("was-sticht", 4)
    record = play_match(rules, [entrant("gentle")] * 4, bytes(32)).record
    for seat in range(4):
        point = PlayOnPoint(record=record, decision=25, seat=seat)
        key = play_on.start(point, level="gentle", open_cards=False, account=None, address="")
        wait_until(lambda key=key: services.feed(key).question, goal="a question")
        window = Window(key)
        window.page()
        window.step(since=1)
        window.told()


def test_another_choice_changes_no_size_and_wakes_no_page_where_all_choose_at_once(parts, monkeypatch):
    """Hold answers to one person to the same length, whichever card another has laid out, or none."""
    monkeypatch.setattr(table_pages, "FIRST_WAIT_SECONDS", 0.0)
    (first, sizes), (last, others) = sizes_beside(0), sizes_beside(-1)
    assert first != last
    assert sizes == others


def sizes_beside(choice):
    """Let a second person choose a pain card; return it, and how long the answers to the first one are."""
    seats, cards = [None, None, "gentle"], bytes(32)
    key = services.start_table(
        game="sticheln", seats=3, seat=0, opponents=seats, options=ONE_DEAL, seed=cards
    )
    one, two = Window(key), Window(seat_key(key.table, 1))
    wait_until(lambda: all(services.feed(each.key).question for each in (one, two)), goal="both are asked")
    before, entries = looked([one]), entries_of(key.table, 0)
    now = services.feed(two.key)
    chosen = now.question.legal[choice]
    two.press(now.question.decision, chosen)
    wait_until(lambda: len(services.feed(two.key).events) > len(now.events), goal="it is laid out")
    assert looked([one]) == before, "it shows"
    assert entries_of(key.table, 0) == entries, "its time shows"
    return chosen, [len(body) for _headers, body in before]


def played(game, chance, person, *, whole):
    """Play a match of two persons at random, with windows and presses of every kind; return its record."""
    seats = chance.choice(list(GAMES[game].players)) if PLAYED else min(GAMES[game].players)
    one, two = chance.sample(range(seats), 2)
    account = person(f"player-{chance.getrandbits(40)}")
    options = new_game(game, seats, {} if whole else SHORT.get(game, ONE_DEAL)).options
    key = services.start_table(
        game=game, seats=seats, seat=one, options=options, account=account,
        opponents=[None if seat in (one, two) else "gentle" for seat in range(seats)],
    )  # fmt: skip
    windows = {one: [Window(key), Window(key, account)], two: [Window(seat_key(key.table, two))]}
    shown, late = {one: [], two: []}, {}
    while not (feeds := asked(key, one, two))[one].over:
        for seat, feed in feeds.items():
            assert shown[seat] == feed.events[: len(shown[seat])]
            shown[seat] = feed.events
        both = [seat for seat in (one, two) if feeds[seat].question]
        seat = chance.choice(both)
        looks = not PLAYED or chance.random() < SOMETIMES
        others = {other: looked(windows[other]) for other in both if other != seat and looks}
        entries = {other: entries_of(key.table, other) for other in both if other != seat}
        press(chance, windows[seat], feeds[seat].question, late.get(seat))
        assert {other: entries_of(key.table, other) for other in entries} == entries, "its time shows"
        late[seat] = feeds[seat].question.decision
        for other, before in others.items():
            assert looked(windows[other]) == before, "another's choice shows before all have chosen"
    for each in (window for seat in windows for window in windows[seat]):
        each.page()
        each.told()
    table = landed(key)
    verify(table.record, seed=bytes(table.seed))
    full = records.replayed(table.record)
    assert all(services.feed(seat_key(key.table, seat)).events == full.events(seat) for seat in (one, two))
    names = {name.decode() for name in bus.client().scan_iter("play:*") if key.table in name.decode()}
    of_seats = {kind(key.table, seat) for kind in (keys.entries_of, keys.answered_of) for seat in (one, two)}
    assert names <= of_seats | {keys.moves_of(table.match)}
    return records.dump(table.record)


def entries_of(table, seat):
    """Return how much was written for a seat: each entry wakes the pages that wait there."""
    return bus.client().xlen(keys.entries_of(table, seat))


def looked(windows):
    """Return what all windows of a seat show, byte by byte but for the token of the form, heads included."""
    answers = [answer for window in windows for answer in (window.page(), window.step(), window.told())]
    return [(answer.headers, TOKEN.sub("", answer.content.decode())) for answer in answers]


def press(chance, windows, question, late):
    """Answer a question in one window, after a late press, and then twice more in others."""
    word, window = chance.choice(question.legal), chance.choice(windows)
    often = chance.random() < SOMETIMES
    if often and late is not None:
        assert window.press(late, word).status_code == 409
    scripted = {"X_Fragment": "steps"} if chance.random() < 0.5 else {}
    assert window.press(question.decision, word, **scripted).status_code in (200, 302)
    window.step(since=chance.choice((0, 1)))
    for again in windows if often else ():
        refused = again.press(question.decision, word)
        assert (refused.status_code, bool(REFUSED.search(refused.content.decode()))) == (409, True)
        again.page()
        again.step(since=chance.randrange(9))


def asked(key, *seats):
    """Wait until one of the persons is asked, or the match is over; return their feeds by seat."""

    def news():
        feeds = {seat: services.feed(seat_key(key.table, seat)) for seat in seats}
        return feeds if any(feed.question for feed in feeds.values()) or is_over(feeds) else None

    return wait_until(news, goal="a question to one of them")


def is_over(feeds):
    return all(feed.over for feed in feeds.values())


def landed(key):
    def ended():
        table = PlayedTable.objects.get(public_id=key.table)
        tasks.land(table.pk)  # also where a busy arbiter does not answer at once
        table.refresh_from_db()
        return table if table.state == PlayedState.OVER else None

    return wait_until(ended, goal="the table lands")
