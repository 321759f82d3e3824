from fractions import Fraction

from stichkampf.rating import Results, compare, standings


def standing(rows) -> list[tuple[str, int]]:
    return [(line.entrant, line.place) for line in standings(compare(Results.from_rows(rows)))]


def meeting(block: str, first: str, second: str, margin: int) -> list[tuple]:
    return [(block, 0, first, margin), (block, 0, second, 0)]


def test_the_share_of_points_decides_first():
    rows = meeting("1", "a", "b", 5) + meeting("2", "b", "c", 1) + meeting("3", "a", "c", 1)
    assert standing(rows) == [("a", 1), ("b", 2), ("c", 3)]


def test_then_the_results_among_the_tied_decide():
    # a and b both have one win and one loss; b beat a, though a has the better margin.
    rows = meeting("1", "b", "a", 1) + meeting("2", "a", "c", 9)
    rows += meeting("3", "c", "b", 1) + meeting("4", "c", "d", 1)
    lines = {line.entrant: line for line in standings(compare(Results.from_rows(rows)))}
    assert lines["a"].share == lines["b"].share == Fraction(1, 2)
    assert lines["b"].place < lines["a"].place


def test_then_the_mean_margin_decides():
    rows = meeting("1", "a", "b", 5) + meeting("2", "b", "a", 2)
    assert standing(rows) == [("a", 1), ("b", 2)]


def test_then_the_blocks_won_decide():
    # Both have two points of four and the same margins; a won two blocks, b one.
    rows = meeting("1", "a", "b", 1) + meeting("2", "a", "b", 1)
    rows += [("3", 0, "a", 0), ("3", 0, "b", 1), ("3", 1, "a", 0), ("3", 1, "b", 1)]
    assert standing(rows) == [("a", 1), ("b", 2)]


def test_else_the_tied_share_a_place_and_the_next_is_skipped():
    rows = meeting("1", "b", "a", 1) + meeting("2", "a", "b", 1)
    rows += meeting("3", "a", "c", 1) + meeting("4", "b", "c", 1)
    assert standing(rows) == [("a", 1), ("b", 1), ("c", 3)]


def test_a_forfeit_costs_the_point_and_turns_the_margin_and_gives_the_other_neither():
    rows = [("1", 0, "a", 90, "t1", True), ("1", 0, "b", 1, "t2", False), ("1", 0, "c", 0, "t3", False)]
    lines = standings(compare(Results.from_rows(rows)))
    assert [(line.entrant, line.points, line.mean_margin) for line in lines] == [
        ("b", 1, -44),
        ("c", 0, Fraction(-91, 2)),
        ("a", 0, Fraction(-179, 2)),
    ]
