"""The admitted set of remote bots, and clients that guess tokens."""

import hashlib

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_arbiter.bots.remote.admission import (
    ADDRESSES,
    GUESSES,
    GUESSES_SECONDS,
    AdmissionError,
    UnknownTokens,
    address_of,
    read_bots,
    read_reasons,
    token_sha256,
)

ONE, TWO = bytes(range(32)), bytes(32)


def bot(name="ann/karl@3", digest=ONE):
    return pb.RemoteBot(name=name, token_sha256=digest)


def test_a_set_of_bots_is_read_by_name():
    assert read_bots([bot(), bot("eva/berta@1", TWO)]) == {"ann/karl@3": ONE, "eva/berta@1": TWO}


def test_reasons_are_read_of_those_that_play_no_more_and_have_a_bound():
    out = pb.RemoteBot(name="eva/berta@1", token_sha256=TWO, plays_no_more="suspended: why")
    assert read_reasons([bot(), out]) == {"eva/berta@1": "suspended: why"}
    out.plays_no_more = "x" * 1001
    with pytest.raises(AdmissionError, match="at most 1000 characters, not 1001"):
        read_reasons([out])


@pytest.mark.parametrize(
    ("bots", "words"),
    [
        ([bot("")], "1 to 200 characters without spaces, not ''"),
        ([bot("ann karl")], "without spaces, not 'ann karl'"),
        ([bot("x" * 201)], "1 to 200 characters"),
        ([bot(digest=b"short")], "has 32 bytes, not 5"),
        ([bot(), bot(digest=TWO)], "'ann/karl@3' is listed twice"),
        ([bot(), bot("eva/berta@1")], "the same token"),
    ],
)
def test_an_invalid_set_is_refused(bots, words):
    with pytest.raises(AdmissionError, match=words):
        read_bots(bots)


def test_a_bearer_token_is_read_from_the_metadata():
    assert token_sha256([("x", "y"), ("authorization", "Bearer abc")]) == hashlib.sha256(b"abc").digest()


@pytest.mark.parametrize(
    "metadata", [None, [], [("authorization", "abc")], [("authorization", "Basic abc")], [("token", "abc")]]
)
def test_other_metadata_are_not_a_token(metadata):
    assert token_sha256(metadata) == b""


def test_each_address_has_some_free_guesses():
    unknown = UnknownTokens()
    verdicts = [unknown.note("ipv4:192.0.2.1:5000", 10.0) for _ in range(GUESSES + 1)]
    assert verdicts == [False] * GUESSES + [True]
    assert not unknown.note("ipv4:192.0.2.2:5000", 10.0)


def test_all_ports_of_an_address_count_together():
    unknown = UnknownTokens()
    verdicts = [unknown.note(f"ipv4:192.0.2.1:{port}", 10.0) for port in range(GUESSES + 1)]
    assert verdicts[-1]


def test_an_address_starts_again_after_a_while():
    unknown = UnknownTokens()
    for _ in range(GUESSES + 1):
        unknown.note("ipv4:192.0.2.1:5000", 10.0)
    assert unknown.note("ipv4:192.0.2.1:5000", 10.0 + GUESSES_SECONDS)
    assert not unknown.note("ipv4:192.0.2.1:5000", 10.1 + GUESSES_SECONDS)


def test_the_memory_of_addresses_is_bounded():
    unknown = UnknownTokens()
    for number in range(2 * ADDRESSES):
        unknown.note(f"ipv4:10.{number >> 16}.{number >> 8 & 255}.{number & 255}:1", 10.0)
    assert len(unknown._counts) == ADDRESSES


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.1:5000", "192.0.2.1"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:5000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2::9]:5000", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:192.0.2.1%5D:5000", "192.0.2.1"),
        ("ipv6:%5Bfe80::1%25eth0%5D:5000", "fe80::/64"),
    ],
)
def test_an_ipv6_address_counts_as_its_network(peer, address):
    assert address_of(peer) == address
