"""Two bots on the same hands: how many more blocks would separate them."""

import pytest
from stichkampf_platform.ratings.meetings import Meeting
from stichkampf_platform.ratings.models import Rating


@pytest.mark.parametrize(
    ("superiority", "blocks", "more"),
    [
        (None, 30, None),
        (100.0, 30, 0),
        (97.6, 30, 0),  # the interval of the difference leaves out zero
        (84.13, 100, 290),  # one standard error: (1.96 ** 2 - 1) * 100 = 284
        (15.87, 100, 290),
        (69.15, 40, 580),  # half an error: 14.37 * 40 = 575
        (50.0, 100, None),
    ],
)
def test_the_blocks_that_are_missing_grow_as_an_error_shrinks(superiority, blocks, more):
    own, rival = Rating(elo=1510, blocks=blocks), Rating(elo=1490, blocks=blocks + 7)
    meeting = Meeting(
        ladder=None, own=None, rival=None, own_rating=own, rival_rating=rival, comparisons=9, blocks=9,
        share=50.0, superiority=superiority, z=0.0,
    )  # fmt: skip
    assert meeting.more_blocks == more
