import asyncio

from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_arbiter.matches.registry import GATHER_SECONDS, MatchRegistry


def test_a_tournament_without_a_match_finds_room_where_another_fills_the_tables():
    matches = MatchRegistry(keep_seconds=1)
    opened = 0
    while matches.has_room(f"block {opened}", "slow", 16):
        matches.add(f"match {opened}", b"", 3, f"block {opened}", "slow")
        opened += 1
    assert opened == 14
    assert matches.has_room("first", "quick", 16)
    matches.add("first table", b"", 3, "first", "quick")
    assert matches.has_room("first", "quick", 16)
    assert not matches.has_room("second", "quick", 16)
    matches.add("second table", b"", 3, "first", "quick")
    assert not matches.has_room("first", "third", 16)


def test_matches_without_a_tournament_take_all_tables():
    matches = MatchRegistry(keep_seconds=1)
    for number in range(8):
        assert matches.has_room("", "", 8)
        matches.add(f"match {number}", b"", 3)
    assert not matches.has_room("", "", 8)


async def test_who_waits_for_an_end_hears_of_those_that_follow_it_soon():
    matches = MatchRegistry(keep_seconds=1)
    first, second, last = entries = [matches.add(key, b"", 3) for key in ("first", "second", "last")]
    later = asyncio.get_running_loop().call_later
    later(0, matches.end, first, pb.MATCH_STATE_FINISHED)
    later(GATHER_SECONDS / 2, matches.end, second, pb.MATCH_STATE_CANCELLED)
    await matches.wait_for_ends(entries, 60)
    assert [entry.is_over for entry in entries] == [True, True, False]
    await matches.wait_for_ends([last], 0)
    assert not last.is_over


async def test_who_waits_for_ends_is_not_woken_by_moves():
    matches = MatchRegistry(keep_seconds=1)
    entry = matches.add("played", b"", 3)
    ends, changes = matches.watch(["played"], only_ends=True), matches.watch(["played"])
    matches.changed(entry)
    assert await changes.changed() == ["played"]
    waiting = asyncio.ensure_future(ends.changed())
    await asyncio.sleep(0)
    assert not waiting.done()
    matches.end(entry, pb.MATCH_STATE_FINISHED)
    assert await waiting == ["played"]
