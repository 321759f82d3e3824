"""mypyc turns `1 << k` into a 32-bit shift in C, which is wrong from k = 31 on, so compiled code shifts by a
table.
"""

import ast
from pathlib import Path

import pytest
from stichkampf.engine.bits import (
    BIT,
    any_of,
    below,
    bit_count,
    index_of,
    indices,
    next_random,
    nth_bit,
    top_bit,
)

STICHKAMPF = Path(__file__).parents[3] / "sdk" / "stichkampf"
COMPILED = [
    path
    for folder in ("engine", "games")
    for path in sorted((STICHKAMPF / folder).glob("*.py"))
    if "from mypy_extensions import" in path.read_text()
]


def is_literal(node: ast.expr) -> bool:
    """Tell whether this is a number in the source, also as `i64(1)`."""
    while isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    return isinstance(node, ast.Constant)


def test_the_compiled_modules_are_found():
    assert {"bits", "deal", "njet"} <= {path.stem for path in COMPILED}


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.stem)
def test_no_method_shifts_a_literal_by_a_variable(path):
    """At module level the numbers are Python's own, of any length; so are variables declared `int`."""
    found = [
        f"line {shift.lineno}"
        for method in ast.walk(ast.parse(path.read_text()))
        if isinstance(method, ast.ClassDef)
        for shift in ast.walk(method)
        if isinstance(shift, ast.BinOp) and isinstance(shift.op, ast.LShift)
        if is_literal(shift.left) and not isinstance(shift.right, ast.Constant)
    ]
    assert found == []


def test_bits_agree_with_python():
    x = 1
    for _ in range(500):
        x = next_random(x)
        mask = (x * x) & (2**62 - 1)
        positions = [k for k in range(63) if mask >> k & 1]
        assert indices(mask) == positions
        assert bit_count(mask) == len(positions)
        assert [index_of(BIT[k]) for k in positions] == positions
        assert [nth_bit(mask, n) for n in range(len(positions))] == [2**k for k in positions]
        assert top_bit(mask) == 2 ** positions[-1]
        assert any_of(mask, x) == positions[below(len(positions), x)]


def test_below_reaches_every_number_evenly():
    counts = [0] * 7
    x = 1
    for _ in range(7000):
        x = next_random(x)
        counts[below(7, x)] += 1
    assert all(850 < count < 1150 for count in counts)
    assert below(7, 1) == 0
    assert below(7, 2**31 - 2) == 6
