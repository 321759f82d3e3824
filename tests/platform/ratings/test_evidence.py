import pytest
from stichkampf_platform.ratings.evidence import ids_in, spans


@pytest.mark.parametrize("ids", [set(), {1}, {1, 2, 3}, {5, 1, 9, 2}])
def test_spans_give_their_ids_back(ids):
    assert ids_in(spans(ids)) == ids
