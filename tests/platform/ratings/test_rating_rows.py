import numpy as np
import pytest
from stichkampf_platform.ratings.rating_rows import rows_of, spans
from stichkampf_platform.tournaments.models import Block

pytestmark = pytest.mark.database


@pytest.mark.parametrize(
    ("ids", "runs"),
    [([], []), ([1], [[1, 1]]), ([3, 1, 2], [[1, 3]]), ([5, 1, 9, 2], [[1, 2], [5, 5], [9, 9]])],
)
def test_ids_are_kept_as_unbroken_runs(ids, runs):
    assert spans(ids) == runs


@pytest.mark.parametrize("kept", [[], [0], [1, 2], [0, 3], [0, 1, 2, 3]])
def test_rows_are_those_of_the_blocks_asked_for_and_no_others(make_tournament, play_out, kept):
    tournament = play_out(make_tournament(blocks=4))
    blocks = list(Block.objects.order_by("pk").values_list("pk", flat=True))
    rows = rows_of(spans(blocks[place] for place in kept), tournament.ladder)
    assert np.unique(rows.block).tolist() == [blocks[place] for place in kept]
    assert len(rows) == 9 * len(kept)
