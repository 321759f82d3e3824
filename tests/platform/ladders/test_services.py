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


@pytest.mark.parametrize(("seats", "options", "error"), [(9, {}, SeatsError), (4, {"deck": 32}, OptionError)])
def test_options_that_cannot_be_played_have_no_ladder(db, seats, options, error):
    with pytest.raises(error):
        ladder_of(game="stiche-raten", seats=seats, options=options)
    assert not Ladder.objects.exists()
