"""The processor's own instructions give the results that `engine/bits.py` states, on every processor."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest
from stichkampf.engine import bits
from stichkampf.engine.bits import next_random

HEADER = Path(__file__).parents[3] / "sdk" / "quick_bits.h"
ARGUMENTS = {"bit_count": 1, "index_of": 1, "nth_bit": 2, "any_of": 2, "top_bit": 1, "next_random": 1}
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
    source, library = folder / "quick.c", folder / "quick.so"
    text = ["#include <stdint.h>", before, f'#include "{HEADER}"', *functions]
    source.write_text("\n".join(text))
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", str(source), "-o", str(library)], check=True
    )
    quick = {name: getattr(ctypes.CDLL(str(library)), name) for name in ARGUMENTS}
    for function in quick.values():
        function.restype = ctypes.c_int64
    return quick


def test_every_function_of_the_header_is_tried_here():
    assert set(re.findall(r"#define QUICK_(\w+)", HEADER.read_text())) == set(ARGUMENTS)


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
        for name, function in quick.items():
            given = arguments.get(name, (mask,))
            assert function(*map(ctypes.c_int64, given)) == getattr(bits, name)(*given), (name, given)
    assert quick["top_bit"](ctypes.c_int64(0)) == 0


def test_a_compiler_of_another_kind_leaves_the_python_code(tmp_path):
    quick = compiled(tmp_path, "#undef __GNUC__", "")
    assert {function(ctypes.c_int64(4), ctypes.c_int64(1)) for function in quick.values()} == {-1}
