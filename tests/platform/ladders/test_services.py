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


@pytest.mark.parametrize(("seats", "options", "error"), [(9, {}, SeatsError), (4, {"deck": 32}, OptionError)])
def test_options_that_cannot_be_played_have_no_ladder(db, seats, options, error):
    with pytest.raises(error):
        ladder_of(game="stiche-raten", seats=seats, options=options)
    assert not Ladder.objects.exists()
