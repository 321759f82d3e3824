"""The order of a ladder: by lower ends, and versions of nearly the same code sharing evidence."""

import pytest
from stichkampf.rating.table import Rating
from stichkampf_platform.bots.predecessors import predecessor_of
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.ladders import rank_order
from stichkampf_platform.ladders.rank_order import by_lower_end, shared
from stichkampf_platform.ratings.ranked_versions import predecessors
from support import archive


def line(version, elo, plus_minus, rank, best, worst):
    fields = {"entrant": version, "elo": elo, "plus_minus": plus_minus, "rank": rank}
    known = {**fields, "rank_best": best, "rank_worst": worst, "blocks": 20, "comparisons": 9}
    return Rating(**{name: known.get(name) for name in Rating.__dataclass_fields__})


@pytest.mark.parametrize("is_defended", [True, False], ids=["default", "by the estimate alone"])
def test_a_lucky_version_with_a_wide_interval_stands_behind_a_proved_one(is_defended, monkeypatch):
    if not is_defended:
        monkeypatch.setattr(rank_order, "lower_end", lambda elo, _: elo)
    lines = {1: line(1, 1640, 90, 1, 1, 2), 2: line(2, 1600, 20, 2, 1, 2), 3: line(3, 1400, 20, 3, 3, 3)}
    order = by_lower_end(lines, {1: 1640, 2: 1600, 3: 1400})
    ranks = {version: each.rank for version, each in order.items()}
    assert ranks == ({2: 1, 1: 2, 3: 3} if is_defended else {1: 1, 2: 2, 3: 3})
    assert all(each.rank_best <= each.rank <= each.rank_worst for each in order.values())


def test_equal_lower_ends_share_a_rank():
    lines = {1: line(1, 1600, 50, 1, 1, 2), 2: line(2, 1580, 30, 2, 1, 2)}
    assert [each.rank for each in by_lower_end(lines, {1: 1600, 2: 1580}).values()] == [1, 1]


def test_nearly_equal_versions_share_evidence_until_their_own_blocks_prevail():
    before = {2: 1, 3: 2}
    few = shared({1: 1500.0, 2: 1620.0}, {1: 400, 2: 20}, before)
    assert (few[1], few[2]) == pytest.approx((1500 + 20 * 120 / 420, 1530))
    many = shared({1: 1500.0, 2: 1620.0}, {1: 400, 2: 1140}, before)
    assert many[2] == pytest.approx(1614)


def test_a_version_that_never_played_hides_no_predecessor():
    assert shared({1: 1500.0, 3: 1620.0}, {1: 400, 3: 20}, {2: 1, 3: 2})[3] == 1530


def test_versions_of_other_code_share_nothing():
    assert shared({1: 1500.0, 2: 1620.0}, {1: 400, 2: 20}, {}) == {1: 1500.0, 2: 1620.0}


def program(number, changed=""):
    body = "\n".join(
        f"    if table.turn == {at}:\n        return best(table.legal, {at})" for at in range(20)
    )
    return f"# try {number}\nclass Bot{number}:\n  def choose(self, table):\n{body}\n{changed}"


def test_a_new_version_with_nearly_the_same_code_has_the_earlier_one_as_its_predecessor(person):
    ann = person("ann")

    def submit(text, name="bot.py"):
        content = archive({name: text, **({} if name == "bot.py" else {"bot.py": "import other"})})
        return submit_version(owner=ann, slug="karl", content=content).version

    first = submit(program(1))
    other = submit("class Other:\n" + "".join(f"  def do_{at}(self): return {at} * 2\n" for at in range(40)))
    again = submit(program(3, "unused = 1\n"))
    assert predecessor_of(first) is None
    assert predecessor_of(other) is None
    assert predecessor_of(again) == first
    again.predecessor = first
    again.save()
    assert predecessors([first.pk]) == {again.pk: first.pk}


def test_moved_functions_and_renamed_files_make_no_other_program(person):
    bodies = [
        *("if a[a] not in b:\n        raise b(a)", "for c in d(a):\n        c.x += 1", "assert a == b, 'no'"),
        *("while not (a and b):\n        a, b = b, -a", "with open(a) as f:\n        f.write('x', k=2)"),
        *("x = {a: b for a, b in c if a < b}", "y = [a ** 2, b // 3, c % 4]", "z = lambda q, *r: (q, r)"),
    ]
    parts = [f"def part_{at}(a):\n    {body}\n    return a\n" for at, body in enumerate(bodies)]
    more = [f"def more_{at}(a):\n    return [{'a, ' * at}]\n" for at in range(14)]
    ann = person("ann")
    first, moved, other = (
        submit_version(owner=ann, slug="karl", content=archive(files)).version
        for files in (
            {"bot.py": "".join(parts)},
            {"bot.py": "".join(parts[:2:-1]), "a.py": "".join(parts[2::-1])},
            {"bot.py": "".join([*parts[:4], *more])},
        )
    )
    assert [predecessor_of(version) for version in (first, moved, other)] == [None, first, None]
