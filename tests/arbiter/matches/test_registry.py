import asyncio
from time import monotonic

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_arbiter.matches.registry import GATHER_SECONDS, STILL_SECONDS, MatchRegistry


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


class Live:
    """A match that is played: when it had its last move, and how long a move may take."""

    def __init__(self, seconds_ago, allowed=2.0):
        self.seconds_ago, self.allowed = seconds_ago, allowed

    @property
    def moved_at(self):
        return monotonic() - self.seconds_ago

    def longest_question(self):
        return self.allowed


@pytest.mark.parametrize(
    ("lives", "told"),
    [
        ([Live(STILL_SECONDS + 5)], "match 0 has had no move for 65 s"),
        ([Live(STILL_SECONDS + 5, allowed=30)], ""),
        ([Live(STILL_SECONDS + 5), Live(1)], "match 0 has had no move for 65 s"),
        ([Live(1), Live(1)], ""),
    ],
    ids=["no move", "a long question", "others move", "all move"],
)
async def test_a_match_without_a_move_is_told_once_its_bots_may_take_no_longer(lives, told):
    matches = MatchRegistry(keep_seconds=1)
    assert matches.trouble() == ""
    for number, live in enumerate(lives):
        matches.add(f"{number}", b"", 3).live = live
    assert matches.trouble() == told


async def test_a_match_of_a_block_waits_while_another_of_it_moves():
    matches = MatchRegistry(keep_seconds=1)
    for key, ago in (("first", STILL_SECONDS + 5), ("second", 1)):
        matches.add(key, b"", 3, "block").live = Live(ago)
    assert matches.trouble() == ""


async def test_a_match_that_waits_for_its_bots_has_until_nothing_moves():
    matches = MatchRegistry(keep_seconds=1)
    waiting = matches.add("waiting", b"", 3)
    waiting.moved_at -= STILL_SECONDS + 5
    playing = matches.add("playing", b"", 3)
    playing.live = Live(1)
    assert matches.trouble() == ""
    playing.live = None
    matches.end(playing, pb.MATCH_STATE_CANCELLED)
    assert matches.trouble() == "match waiting has had no move for 65 s"


def test_tables_of_people_and_of_bots_take_no_room_from_each_other():
    matches = MatchRegistry(keep_seconds=1)
    for number in range(8):
        matches.add(f"people {number}", b"", 3, has_people=True)
    assert not matches.has_room_for_people(8)
    assert matches.has_room("", "", 1)
    matches.add("bots", b"", 3)
    assert not matches.has_room("", "", 1)
    assert matches.has_room_for_people(9)


def test_a_person_who_thinks_neither_tells_of_trouble_nor_hides_it():
    matches = MatchRegistry(keep_seconds=1)
    matches.add("person", b"", 3, has_people=True).live = Live(STILL_SECONDS + 5, allowed=1_800)
    assert matches.trouble() == ""
    matches.add("bots", b"", 3).live = Live(STILL_SECONDS + 5)
    assert matches.trouble() == "match bots has had no move for 65 s"
