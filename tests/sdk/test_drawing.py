"""Drawings of a table for notebooks: whole, with nothing from elsewhere, and no card too many."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from stichkampf.drawing import card_html
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.recorded import Record
from stichkampf.match.records import dump, read
from stichkampf.testing import table_at


class Drawn(HTMLParser):
    """The rows of a drawing by their heads, and whatever would fetch something."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.head, self.fetched, self.open = {}, "", [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.fetched += [name for name, value in attrs if name in ("src", "href") or "url(" in str(value)]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "th" in self.open:
            self.head = data
            self.rows[data] = ""
        elif "td" in self.open:
            self.rows[self.head] += data + "|"


def as_drawn(cards):
    return [re.sub("<[^>]*>", "", card_html(card)) for card in cards]


@pytest.mark.parametrize("name", GAMES)
def test_a_table_is_drawn_with_the_hand_of_its_seat_and_no_card_of_another(name):
    seats = GAMES[name].players[0]
    table = table_at(name, seats, seed="drawn", legal=2)
    drawn = Drawn(table._repr_html_())
    assert drawn.fetched == []
    for seat in range(table.deal.seats):
        (row,) = [told for head, told in drawn.rows.items() if re.fullmatch(rf"seat {seat}( \(.*\))?", head)]
        known = as_drawn(table.deal.hand(seat))
        assert [part for part in row.split("|") if part and "hidden" not in part] == known
        assert ("hidden" in row) == (len(known) < table.deal.hand_size(seat))


@pytest.mark.parametrize("name", GAMES)
def test_a_deal_is_drawn_with_all_hands_and_a_blind_one_with_what_its_viewer_knows(name):
    deal = table_at(name, GAMES[name].players[0], seed="drawn", legal=2).world(1)
    for shown in (deal, deal.information_set(0)):
        drawn = Drawn(shown._repr_html_())
        for seat in range(shown.seats):
            cards = [part for part in drawn.rows[f"seat {seat}"].split("|") if part and "hidden" not in part]
            assert cards == as_drawn(shown.hand(seat))


def played_out():
    match = Match(new_game("stiche-raten", 3, {"length": "deals:2"}), seed=bytes(32))
    while not match.over:
        seat = match.to_act()[0]
        match.play(seat, match.legal(seat)[0])
    return match


def test_a_match_is_drawn_with_the_deal_on_the_table_and_the_scores():
    match = Match(new_game("stiche-raten", 3, {"length": "deals:2"}), seed=bytes(32))
    drawn = Drawn(match._repr_html_())
    assert [head for head in drawn.rows if head.startswith("seat")] == [
        "seat 0 (0)",
        "seat 1 (0)",
        "seat 2 (0)",
    ]
    for seat in range(3):
        assert drawn.rows[f"seat {seat} (0)"].strip("|").split("|") == as_drawn(match.deal.hand(seat))


def test_a_match_that_is_over_is_drawn_as_its_replay_in_a_frame():
    drawn = Framed(played_out()._repr_html_())
    assert drawn.frame["sandbox"] == "allow-scripts"
    page = drawn.frame["srcdoc"]
    assert page.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in page
    assert [seat for seat in ("seat 0", "seat 1", "seat 2") if seat in page] == ["seat 0", "seat 1", "seat 2"]


class Framed(HTMLParser):
    """The one frame of a drawing."""

    def __init__(self, html):
        super().__init__()
        self.frame = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert (tag, self.frame) == ("iframe", {})
        self.frame = dict(attrs)


def test_a_record_is_drawn_with_its_scores_where_the_templates_of_the_site_are_missing(monkeypatch):
    monkeypatch.setattr("stichkampf.drawing.REPLAY_NEEDS", ("no_such_package",))
    record = played_out().record([{"bot": f"<b>{number}"} for number in range(3)])
    assert isinstance(record, Record)
    table = record._repr_html_()
    assert "<b>" not in table
    told = re.findall("<td[^>]*>([^<]*)</td>", table)
    assert told[:5] == ["seat", "deal 0", "deal 1", "total", "rank"]
    for seat in range(3):
        by_deal = [deal["scores"][seat] for deal in record["deals"]]
        row = [*by_deal, record["scores"][seat], record["ranks"][seat]]
        assert told[5 * (seat + 1) :][:5] == [f"{seat} &lt;b&gt;{seat}", *map(str, row)]


def test_a_record_that_is_read_from_a_file_is_one_that_notebooks_draw():
    record = played_out().record([{"bot": "karl"}] * 3)
    ((_, again),) = read([dump(record).encode()])
    assert (type(again), again) == (Record, record)


@pytest.mark.parametrize("wrong", [{}, {"deals": 7}, {"deals": [], "seats": [{}]}])
def test_what_is_no_record_is_drawn_with_the_reason(wrong):
    assert "no match record" in Record(wrong)._repr_html_()


@pytest.mark.parametrize("wrong", [{1}, b"x", float, "circular"])
def test_what_is_no_json_is_drawn_as_no_record(wrong):
    record = Record({"game": wrong})
    if wrong == "circular":
        record["game"] = record
    assert record._repr_html_().startswith("<p>This is no match record: ")


def test_a_record_whose_game_is_a_number_is_drawn(monkeypatch):
    monkeypatch.setattr("stichkampf.drawing.REPLAY_NEEDS", ("no_such_package",))
    assert ">5</caption>" in Record({"game": 5, "seats": [], "deals": []})._repr_html_()
