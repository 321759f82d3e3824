"""Drawings of a table for notebooks: whole, with nothing from elsewhere, and no card too many."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from stichkampf.drawing import card_html
from stichkampf.games import GAMES
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
