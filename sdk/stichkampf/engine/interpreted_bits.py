"""The counting and finding of `bits` in the quickest ways of the interpreter, used where `bits` is not
compiled.
"""

from __future__ import annotations

# By byte of a mask and its value, the positions of the set bits.
_A, _B, _C, _D, _E, _F, _G, _H = (
    [[8 * byte + k for k in range(8) if value >> k & 1] for value in range(256)] for byte in range(8)
)

bit_count = int.bit_count


def index_of(bit: int) -> int:
    return bit.bit_length() - 1


def top_bit(mask: int) -> int:
    return 1 << (mask.bit_length() - 1) if mask else 0


def any_of(mask: int, x: int) -> int:
    for _ in range((x * mask.bit_count()) >> 31):
        mask &= mask - 1
    return (mask & -mask).bit_length() - 1


def indices(mask: int, first: int = 0) -> list[int]:
    a, b, c, d, e, f, g, h = mask.to_bytes(8, "little")
    found = [*_A[a], *_B[b], *_C[c], *_D[d], *_E[e], *_F[f], *_G[g], *_H[h]]
    return [first + k for k in found] if first else found
