"""Rows of participations against the seats of blocks, through draws and rulings."""

import pytest
from stichkampf_platform.tournaments.models import Block, Participation, Seat
from stichkampf_platform.tournaments.organising import lifecycle, rulings

pytestmark = [pytest.mark.django_db, pytest.mark.queries]


def kept():
    return sorted(Participation.objects.values_list("block", "entrant"))


def seated():
    return sorted(Seat.objects.order_by().values_list("table__block", "entrant").distinct())


@pytest.fixture
def cup(make_tournament):
    made = make_tournament("thumb", "random", "timid", "glimpse", blocks=3)
    lifecycle.start(tournament=made)
    return made


def test_drawing_a_block_keeps_its_entrants(cup):
    assert kept() == seated() != []
    first = cup.blocks.order_by("number")[0]
    rulings.run_again(block=first)
    assert len({block for block, _ in kept()}) == 4
    assert kept() == seated()


def test_a_block_that_is_taken_back_leaves_none(cup):
    Block.objects.all().delete()
    assert kept() == []
