"""The processor's own instructions give the results that `engine/bits.py` states, on every processor."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from librt.vecs import vec
from mypy_extensions import i64
from stichkampf.engine import bits
from stichkampf.engine.bits import next_random

HEADER = Path(__file__).parents[3] / "sdk" / "quick_bits.h"
ARGUMENTS = {"bit_count": 1, "index_of": 1, "nth_bit": 2, "any_of": 2, "top_bit": 1, "next_random": 1}
LENGTH = 64  # of the vec that functions write into
# Functions of another form, in C: what mypyc's have as arguments, and what they return without a quick way.
OTHERS = {
    "indices": (
        "PyObject *indices(int64_t mask, int64_t first, uint32_t given)",
        "QUICK_indices(mask, first, given) return PyLong_FromLong(-1);",
    ),
    "either": (
        "int64_t either(char condition, int64_t yes, int64_t no)",
        "QUICK_either(condition, yes, no) return -1;",
    ),
    "nth_of_both": (
        "int64_t nth_of_both(int64_t low, int64_t high, int64_t n, int64_t half)",
        "QUICK_nth_of_both(low, high, n, half) return -1;",
    ),
    "indices_of_both": (
        "PyObject *indices_of_both(int64_t low, int64_t high, int64_t first, int64_t half)",
        "QUICK_indices_of_both(low, high, first, half) return PyLong_FromLong(-1);",
    ),
    "indices_into": (
        "int64_t indices_into(int64_t mask, int64_t first, int64_t *items, int64_t at)",
        f"Vec into = {{{LENGTH}, items}}; (void)into; QUICK_indices_into(mask, first, into, at) return -1;",
    ),
    "in_bytes": (
        "int64_t in_bytes(int64_t mask, int64_t eights, int64_t *items, int64_t at)",
        f"Vec into = {{{LENGTH}, items}}; (void)into; QUICK_in_bytes(mask, eights, into, at) return -1;",
    ),
}
KINDS = {
    "this processor": ("", ""),
    "a processor without quick instructions": ("", "quick_popcnt = quick_pdep = 0;"),
    "another kind of processor": ("#undef __x86_64__", ""),
}


def compiled(folder: Path, before: str, begin: str) -> dict[str, ctypes.CDLL]:
    """Compile the header, and return its functions by name; they give -1 where it has no quick way."""
    listed = {name: ", ".join(f"int64_t {letter}" for letter in "ab"[:n]) for name, n in ARGUMENTS.items()}
    functions = [
        f"int64_t {name}({taken}) {{ {begin} QUICK_{name}({', '.join('ab'[: ARGUMENTS[name]])}) return -1; }}"
        for name, taken in listed.items()
    ]
    functions += [f"{head} {{ {begin} {body} }}" for head, body in OTHERS.values()]
    source, library = folder / "quick.c", folder / "quick.so"
    vec = "typedef struct { int64_t len; int64_t *items; } Vec;"
    text = ["#include <Python.h>", before, f'#include "{HEADER}"', vec, *functions]
    source.write_text("\n".join(text))
    flags = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-isystem", sysconfig.get_path("include")]
    subprocess.run(["cc", *flags, str(source), "-o", str(library)], check=True)
    quick = {name: getattr(ctypes.PyDLL(str(library)), name) for name in (*ARGUMENTS, *OTHERS)}
    for name, function in quick.items():
        function.restype = (
            ctypes.py_object if name.startswith("indices") and "into" not in name else ctypes.c_int64
        )
    return quick


def written(function, mask, number, at):
    """Return what a function that writes into a vec returns, and the vec."""
    items = (ctypes.c_int64 * LENGTH)()
    return function(ctypes.c_int64(mask), ctypes.c_int64(number), items, ctypes.c_int64(at)), list(items)


def written_in_python(function, mask, number, at):
    items = vec[i64]([0] * LENGTH)
    return function(mask, number, items, at), list(items)


def test_every_function_of_the_header_is_tried_here():
    assert set(re.findall(r"#define QUICK_(\w+)", HEADER.read_text())) == {*ARGUMENTS, *OTHERS}


@pytest.mark.parametrize("kind", KINDS)
def test_quick_bits_agree_with_the_python_code(kind, tmp_path):
    quick = compiled(tmp_path, *KINDS[kind])
    x = 1
    for _ in range(3000):
        x = next_random(x)
        mask = (x * x * 3 + x) & (2**62 - 1) & ~((x & 7) << (x % 55))
        n = x % bits.bit_count(mask)
        bit = bits.nth_bit(mask, n)
        arguments = {"nth_bit": (mask, n), "any_of": (mask, x), "index_of": (bit,), "next_random": (x,)}
        for name in ARGUMENTS:
            function = quick[name]
            given = arguments.get(name, (mask,))
            assert function(*map(ctypes.c_int64, given)) == getattr(bits, name)(*given), (name, given)
    assert quick["top_bit"](ctypes.c_int64(0)) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_quick_bits_of_two_masks_agree_with_the_python_code(kind, tmp_path):
    quick = compiled(tmp_path, *KINDS[kind])
    x = 1
    for _ in range(1000):
        x = next_random(x)
        low, high = x & (x >> 7) & -(x & 1), x >> 3 ^ 1
        n = x % (bits.bit_count(low) + bits.bit_count(high))
        for name, given in (
            ("nth_of_both", (low, high, n, 45)),
            ("indices_of_both", (low, high, x % 99, 45)),
        ):
            assert quick[name](*map(ctypes.c_int64, given)) == getattr(bits, name)(*given), (name, given)
        assert quick["either"](ctypes.c_char(x & 1), ctypes.c_int64(x), ctypes.c_int64(-n)) == bits.either(
            bool(x & 1), x, -n
        )


@pytest.mark.parametrize("kind", KINDS)
def test_quick_lists_of_bits_agree_with_the_python_code(kind, tmp_path):
    quick = compiled(tmp_path, *KINDS[kind])
    x = 1
    for _ in range(1000):
        x = next_random(x)
        mask = (x * x * 3 + x) & (2**62 - 1) & ~((x & 7) << (x % 55)) & -(x % 3)
        listed = quick["indices"](ctypes.c_int64(mask), ctypes.c_int64(x % 200), ctypes.c_uint32(1))
        assert listed == bits.indices(mask, x % 200)
        assert quick["indices"](
            ctypes.c_int64(mask), ctypes.c_int64(-113), ctypes.c_uint32(0)
        ) == bits.indices(mask)
        for name, number, at in (("indices_into", x % 200, x % 3), ("in_bytes", x % 9, x % 50)):
            function = getattr(bits, name)
            assert written(quick[name], mask, number, at) == written_in_python(function, mask, number, at), (
                name
            )


def test_what_does_not_fit_into_a_vec_is_left_to_the_python_code(tmp_path):
    quick = compiled(tmp_path, *KINDS["this processor"])
    untouched = (-1, [0] * LENGTH)
    assert written(quick["indices_into"], 0b1011, 0, LENGTH - 2) == untouched
    assert written(quick["in_bytes"], 255, 3, LENGTH - 2) == untouched
    assert written(quick["in_bytes"], 255, 3, -1) == untouched


def test_a_compiler_of_another_kind_leaves_the_python_code(tmp_path):
    quick = compiled(tmp_path, "#undef __GNUC__", "")
    four, one = ctypes.c_int64(4), ctypes.c_int64(1)
    assert {quick[name](four, one) for name in ARGUMENTS} == {-1}
    assert quick["indices"](four, one, ctypes.c_uint32(1)) == -1
    assert quick["indices_of_both"](four, one, one, four) == quick["nth_of_both"](four, one, one, four) == -1
    assert quick["either"](ctypes.c_char(1), four, one) == -1
    assert {written(quick[name], 4, 1, 0)[0] for name in ("indices_into", "in_bytes")} == {-1}
