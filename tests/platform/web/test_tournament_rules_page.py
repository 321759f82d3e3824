"""The page that says how tournaments are decided: its examples are what a Swiss and a knock-out do."""

import re

import pytest
from knock_out_cup import Cup
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.formats.elimination import FURTHER_BLOCKS
from stichkampf_platform.tournaments.organising import lifecycle, rulings


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


def test_the_example_of_a_ruling_is_what_a_ruling_does(page, make_tournament, land, person, make_organiser):
    assert "The organiser says so, block 2 is void, and another is played in its place." in page()
    assert "nimmt der Veranstalter ihn nur wegen eines Fehlers der Plattform zurück" in page(
        "/de/docs/tournaments/"
    )
    olga = person("olga")
    make_organiser(olga)
    cup = make_tournament(name="Cup", blocks=2, created_by=olga)
    lifecycle.start(tournament=cup)
    second = cup.blocks.get(number=1)
    assert all(land(table) for table in leases.take(block_id=second.pk, owner="w1"))
    second.refresh_from_db()
    with pytest.raises(RequestRefused, match="Name the fault of the platform"):
        rulings.run_again(block=second, by=olga, reason="The power failed.")
    again = rulings.run_again(block=second, by=olga, reason="The power failed.", fault="machine")
    assert set(second.tables.values_list("state", flat=True)) == {"void"}
    assert again.number == 2
