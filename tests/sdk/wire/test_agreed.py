"""Everything that the arbiter and the platform must spell or compute alike."""

import hashlib

from stichkampf.wire.agreed import MATCH_OVER, remote_bots_sha256
from stichkampf.wire.v1 import arbiter_pb2 as pb

ONE, TWO = b"\1" * 32, b"\2" * 32


def test_the_digest_of_a_set_does_not_depend_on_the_order():
    lines = f"ann/karl@3\n{ONE.hex()}\neva/berta@1\n{TWO.hex()}\n"
    expected = hashlib.sha256(lines.encode()).hexdigest()
    assert remote_bots_sha256({"eva/berta@1": TWO, "ann/karl@3": ONE}) == expected
    assert remote_bots_sha256({"eva/berta@1": TWO, "ann/karl@3": ONE}, {}) == expected
    told = hashlib.sha256(f"ann/karl@3\n{ONE.hex()}\nsuspended: why\n".encode()).hexdigest()
    assert remote_bots_sha256({"ann/karl@3": ONE}, {"ann/karl@3": "suspended: why", "b/c@1": "x"}) == told
    assert remote_bots_sha256({}) == hashlib.sha256(b"").hexdigest()


def test_a_match_that_waits_or_runs_is_not_over():
    assert {pb.MATCH_STATE_RUNNING, pb.MATCH_STATE_WAITING}.isdisjoint(MATCH_OVER)
