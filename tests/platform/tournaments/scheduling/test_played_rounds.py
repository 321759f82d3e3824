"""The rounds of a tournament on its page: worked out once, and once more where something changed."""

import pytest
from django.utils.translation import override
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.formats import elimination
from stichkampf_platform.tournaments.models import Result, Table
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling.played_rounds import played_rounds

pytestmark = pytest.mark.django_db

BOTS = ("thumb", "random", "timid", "bold", "flat", "rival")


@pytest.fixture
def swiss(make_tournament, land):
    """A Swiss of two rounds, the first of which is over."""
    made = make_tournament(*BOTS, format="swiss", blocks=1, rounds=2)
    lifecycle.start(tournament=made)
    play(made, land)
    made.refresh_from_db()
    return made


def play(tournament, land):
    for block in tournament.blocks.filter(over_at=None):
        assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    due_steps.advance_tournaments()


def test_rounds_are_worked_out_once_and_then_asked_for_with_one_query(swiss, django_assert_num_queries):
    entrants = list(swiss.entrants.select_related("version__bot__owner"))
    before = played_rounds(swiss, entrants)
    with django_assert_num_queries(1):
        assert played_rounds(swiss, entrants) == before


def test_every_change_of_a_round_shows_at_once(swiss, land):
    entrants = list(swiss.entrants.select_related("version__bot__owner"))
    first, second = played_rounds(swiss, entrants)
    assert (first.over, second.over) == (True, False)
    assert all(member.share is None for group in second.groups for member in group.members)
    again = rulings.run_again(block=swiss.blocks.last())
    assert [drawn.over for drawn in played_rounds(swiss, entrants)] == [True, False]
    play(swiss, land)
    swiss.refresh_from_db()
    entrants = list(swiss.entrants.select_related("version__bot__owner"))
    first, second = played_rounds(swiss, entrants)
    shares = {member.entrant.pk: member.share for group in second.groups for member in group.members}
    assert shares.keys() == {entrant.pk for entrant in entrants}
    assert all(0 <= share <= 1 for share in shares.values())
    assert again.over_at is None  # the row of before; the round counts the block that replaced it
    assert [len(drawn.groups) for drawn in (first, second)] == [2, 2]
    assert all(abs(sum(member.share for member in group.members) - 1.5) < 1e-9 for group in second.groups)


@pytest.mark.parametrize(
    ("language", "note"),
    [("en", "A tie, and no further block could be played, since a bot had left; decided by lot."),
     ("de", "Gleichstand, und kein weiterer Block war möglich, weil ein Bot gegangen war; das Los hat ")],
)  # fmt: skip
def test_a_tie_that_was_not_played_on_since_a_bot_left_says_so(language, note, make_tournament, land):
    equals = ("random", "bold", "flat", "glimpse")
    cup = make_tournament("thumb", *equals, format="knock-out", blocks=1, seats=4)
    lifecycle.start(tournament=cup)
    play(cup, land)
    first, further = cup.blocks.all()
    names = [each.entrant.version.house for each in first.participations.order_by("entrant__number")]
    rulings.disqualify(entrant=cup.entrants.get(version__house=names[0]), reason="It phoned home.")
    due_steps.advance_tournaments()
    cup.refresh_from_db()
    assert not further.tables.filter(state="done").exists()
    with override(language):
        drawn, *_ = played_rounds(cup, list(cup.entrants.select_related("version__bot__owner")))
        assert note in drawn.groups[0].note


@pytest.mark.parametrize(
    ("language", "came", "passed"),
    [("en", " came in by lot: ", " went out last, too, and had done as well."),
     ("de", "Durch das Los nachgerückt: ", "Ebenso gut zuletzt ausgeschieden: ")],
)  # fmt: skip
def test_a_final_that_a_lot_has_filled_names_who_did_as_well(language, came, passed, make_tournament, land):
    cup = make_tournament("random", "bold", "flat", "glimpse", format="knock-out", blocks=1, seats=3)
    lifecycle.start(tournament=cup)
    while cup.blocks.filter(over_at=None, round__lt=1).exists():
        play(cup, land)
    play(cup, land)
    assert cup.blocks.filter(over_at=None).exists(), "a further block of the final, which is a tie"
    cup.refresh_from_db()
    with override(language):
        first, final = played_rounds(cup, list(cup.entrants.select_related("version__bot__owner")))
    assert len(final.groups[0].members) == 3
    assert "lot" in first.groups[0].note or "Los" in first.groups[0].note
    assert came in final.groups[0].note
    assert passed in final.groups[0].note


def test_who_goes_on_has_no_smaller_share_than_who_goes_out_also_after_further_blocks(make_tournament, land):
    """One is behind two equals, ahead of both in the further blocks, which count for the two alone."""
    scores = {"bold": [2, 3], "flat": [2, 1], "random": [1, 9]}

    def score_of(table):
        points = [
            scores[seat.entrant.version.house][min(table.block.number, 1)] for seat in table.seats.all()
        ]
        Result.objects.bulk_update(
            [
                Result(pk=seat.result.pk, score=score)
                for seat, score in zip(table.seats.all(), points, strict=True)
            ],
            ["score"],
        )

    cup = make_tournament(*scores, format="knock-out", blocks=1, seats=3)
    lifecycle.start(tournament=cup)
    while block := cup.blocks.filter(over_at=None).first():
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
            score_of(Table.objects.get(pk=table.pk))
        due_steps.advance_tournaments()
    cup.refresh_from_db()
    (final,) = played_rounds(cup, list(cup.entrants.select_related("version__bot__owner")))
    first, *others = final.groups[0].members
    assert (first.entrant.version.house, first.goes_on) == ("bold", True)
    assert [member.share for member in final.groups[0].members] == [0.75, 0.75, 0.0]
    assert final.groups[0].note == "A tie, decided after 1 further block."
    assert not any(member.goes_on for member in others)


def test_who_goes_on_is_marked_also_where_it_has_a_bye_in_the_next_round(
    make_tournament, land, house, person, submitted, monkeypatch
):
    """Twelve bots at tables of three: four go on, and three of them have a table."""
    monkeypatch.setattr(elimination, "FURTHER_BLOCKS", 0)
    versions = [*(house[name] for name in BOTS), *(submitted(person(f"author-{n}")) for n in range(6))]
    cup = make_tournament(versions=versions, format="knock-out", blocks=1, seats=3)
    lifecycle.start(tournament=cup)
    play(cup, land)
    cup.refresh_from_db()
    first, second = played_rounds(cup, list(cup.entrants.select_related("version__bot__owner")))
    marked = [[member.entrant for member in group.members if member.goes_on] for group in first.groups]
    assert [len(each) for each in marked] == [1, 1, 1, 1]
    playing = {member.entrant for group in second.groups for member in group.members}
    assert len(playing) == 3
    assert playing < {one for each in marked for one in each}
