from stichkampf_arbiter.matches.registry import MatchRegistry


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
