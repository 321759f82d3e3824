"""Matches that are collected together: as many records as a message should hold, and always one."""

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_arbiter.control import service
from stichkampf_arbiter.matches.registry import MatchRegistry


@pytest.fixture
def keys_of(monkeypatch):
    """End matches with records of these lengths; return the keys of those that are collected together."""
    monkeypatch.setattr(service, "MAX_COLLECTED_CHARACTERS", 100)

    def keys_of(*lengths):
        registry = MatchRegistry(keep_seconds=60)
        entries = [registry.add(f"{number}", b"", 2) for number in range(len(lengths))]
        for entry, length in zip(entries, lengths, strict=True):
            if length:
                entry.record_json = "x" * length
                registry.end(entry, pb.MATCH_STATE_FINISHED)
        return [int(one.match.match) for one in service.collected(entries)]

    return keys_of


@pytest.mark.parametrize(
    ("lengths", "keys"),
    [((40, 60, 1), [0, 1]), ((500, 1), [0]), ((0, 500, 1), [1]), ((0, 0), []), ((30, 0, 30), [0, 2])],
)
def test_as_many_are_collected_as_a_message_holds(keys_of, lengths, keys):
    assert keys_of(*lengths) == keys
