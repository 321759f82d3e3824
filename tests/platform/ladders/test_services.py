import re

import pytest
from stichkampf.errors import OptionError, SeatsError
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.services import ladder_of


def test_options_have_one_ladder_however_they_are_spelled(db):
    spelled = {"length": "deals:1", "deck": 64}
    assert ladder_of(game="stiche-raten", seats=4, options=spelled) == ladder_of(
        game="stiche-raten", seats=4, options={"length": "deals:1"}
    )
    assert Ladder.objects.count() == 1


def test_a_slow_time_control_has_a_ladder_of_its_own(db):
    options = {"length": "deals:1"}
    usual, slow, slower = (
        ladder_of(game="stiche-raten", seats=4, options=options, move_seconds=seconds)
        for seconds in (2, 20, 60)
    )
    assert slow == slower != usual
    assert (usual.slow, slow.slow) == (False, True)
    assert usual == ladder_of(game="stiche-raten", seats=4, options=options)
    assert usual.options == slow.options


def test_the_name_of_a_ladder_says_its_seats_and_options(db):
    def slug(seats, options, **more):
        return ladder_of(game="stiche-raten", seats=seats, options=options, **more).slug

    assert slug(4, {}) == "stiche-raten-4"
    assert slug(3, {"length": "deals:4", "hook": False}) == "stiche-raten-3-hook-false-length-deals-4"
    assert slug(3, {"length": "deals:4"}, move_seconds=60) == "stiche-raten-3-length-deals-4-slow"
    private = slug(3, {"length": "deals:4"}, private_to="Class 10b")
    assert re.fullmatch("stiche-raten-3-[0-9a-f]{8}", private)
    tasks = {"task_deck": ["no-red", "no-red", *["exactly-1", "exactly-2", "last-trick"] * 4]}
    ladder = ladder_of(game="was-sticht", seats=3, options=tasks)
    assert re.fullmatch("was-sticht-3-[0-9a-f]{8}", ladder.slug)


def test_ladders_whose_names_would_be_equal_are_told_apart(db):
    first = ladder_of(game="stiche-raten", seats=3, options={"length": "deals:4"})
    Ladder.objects.filter(pk=first.pk).update(options_digest="another")
    second = ladder_of(game="stiche-raten", seats=3, options={"length": "deals:4"})
    assert first.slug != second.slug


@pytest.mark.parametrize(("seats", "options", "error"), [(9, {}, SeatsError), (4, {"deck": 32}, OptionError)])
def test_options_that_cannot_be_played_have_no_ladder(db, seats, options, error):
    with pytest.raises(error):
        ladder_of(game="stiche-raten", seats=seats, options=options)
    assert not Ladder.objects.exists()
