"""The page that says how tournaments are decided: its examples are what a Swiss and a knock-out do."""

import re

import pytest
from knock_out_cup import Cup
from stichkampf_platform.tournaments.formats.elimination import FURTHER_BLOCKS


@pytest.fixture
def page(client):
    def read(address="/docs/tournaments/"):
        text = client.get(address).content.decode()
        return " ".join(re.sub(r"<[^>]*>", " ", text).split())

    return read


def test_the_example_of_a_swiss_is_ranked_by_the_format_itself(page):
    table = page().split("Sonneborn-Berger")[-1].split("Ann and Dot have")[0].split()
    assert [table[n : n + 6] for n in range(0, len(table), 6)] == [
        ["1", "Bob", "2.00", "\N{EN DASH}", "1.00", "1.00"],
        ["2", "Ann", "1.00", "1.00", "3.00", "1.00"],
        ["3", "Dot", "1.00", "0.00", "1.00", "0.00"],
        ["4", "Cid", "0.00", "\N{EN DASH}", "3.00", "0.00"],
    ]  # fmt: skip


def test_the_example_of_a_tie_is_what_a_knock_out_says(page):
    cup = Cup(2, 2, lambda who, block, hand: int(who == 0 and block == 3), names={0: "Ann", 1: "Bob"})
    cup.finish()
    assert cup.outcome in page()
    assert f"one further block at a time, {FURTHER_BLOCKS} at most" in page()


def test_forfeits_ties_rests_withdrawals_and_rulings_are_explained_in_german_too(page):
    german = page("/de/docs/tournaments/")
    for title in (
        "Gleichstand",
        "Eine Runde ohne Tisch",
        "Ein Bot versagt",
        "Ein Bot geht",
        "Entscheidungen",
    ):
        assert title in german
    assert "„Ann gewinnt das K.-o.-Turnier nach 2 weiteren Blöcken.“" in german
