import json

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.tournaments.models import Table


@pytest.fixture
def ended_match(played_record):
    """Play the match of this key, as `played_record` does; what the arbiter returns of it."""

    def end(key):
        table = Table.objects.get(pk=int(key.split("-")[1]))
        status = pb.MatchStatus(match=key, state=pb.MATCH_STATE_FINISHED)
        return pb.FetchRecordResponse(record_json=json.dumps(played_record(table)), match=status)

    return end
