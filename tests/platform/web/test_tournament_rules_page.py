"""The page that says how tournaments are decided: its examples are what a Swiss and a knock-out do."""

import re
import shlex

import pytest
from documents import typed_lines, words_of
from knock_out_cup import Cup
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings import announcements
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.formats.elimination import FURTHER_BLOCKS
from stichkampf_platform.tournaments.models import Result
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps


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


RULING = {
    "docs/organisers.md": r"the power failed while block (\d+) was played, so that one bot was slow",
    "docs/tournaments.md": r"the power failed while block (\d+) was played. The organiser says so, block \1 "
    r"is void, and another is played in its place",
    "docs/de/tournaments.md": r"Der Strom fiel aus, während Block (\d+) gespielt wurde. Der Veranstalter "
    r"sagt das, Block \1 ist ungültig, und ein anderer wird an seiner Stelle gespielt",
}
LISTED = {
    "": ("Made void and played again", "a machine of the platform failed"),
    "/de": (
        "Für ungültig erklärt und neu gespielt",
        "ein Rechner der Plattform fiel aus oder war überlastet",
    ),
}


@pytest.mark.parametrize("document", RULING)
def test_the_ruling_of_the_example_is_told_played_and_counted_as_it_says(
    document, page, make_tournament, land, person, make_organiser
):
    block = int(re.search(RULING[document], words_of(document))[1])
    (typed,) = typed_lines("docs/organisers.md", "stichkampf organise again")
    _, _, _, slug, of_command, _, reason, _, fault = shlex.split(typed)
    assert int(of_command) == block
    olga = person("olga")
    make_organiser(olga)
    cup = make_tournament(name="Friday cup", blocks=block + 1, created_by=olga)
    assert cup.slug == slug
    lifecycle.start(tournament=cup)

    def played(blocks):
        for each in blocks:
            assert all(land(table) for table in leases.take(block_id=each.pk, owner="w1"))

    played(cup.blocks.filter(number__lt=block))
    seen = cup.blocks.get(number=block - 1)
    with pytest.raises(RequestRefused, match="Name the fault of the platform"):
        rulings.run_again(block=seen, by=olga, reason=reason)
    again = rulings.run_again(block=seen, by=olga, reason=reason, fault=fault)
    assert set(seen.tables.values_list("state", flat=True)) == {"void"}
    assert again.seed != seen.seed, "other cards"
    assert places_of(again) == places_of(seen), "the same seatings"
    for address, told in LISTED.items():
        listed = page(f"{address}/tournaments/{slug}/")
        for words in (*told, reason):
            assert words in listed
    played(cup.blocks.filter(over_at=None))
    due_steps.advance_tournaments()
    ratings.publish(ladder=cup.ladder, tournament=cup)
    assert announcements.settle_rulings() == 1
    cup.refresh_from_db()
    assert cup.state == "finished"
    counted = {result.seat.table.block_id for result in Result.objects.filter(seat__table__state="done")}
    assert counted == {each.pk for each in cup.blocks.exclude(pk=seen.pk)}
    ruling = cup.rulings.get()
    assert ruling.after == {str(row.entrant.pk): row.place for row in standings(cup)}
    with pytest.raises(RequestRefused, match="only the operators of this site"):
        rulings.run_again(block=again, by=olga, reason=reason, fault=fault)


def places_of(block):
    return [
        (table.lane, seat.number, seat.entrant_id)
        for table in block.tables.order_by("lane")
        for seat in table.seats.order_by("number")
    ]
