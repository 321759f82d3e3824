"""The fields of a deal as plain values, for pickle: the same for a compiled deal and an interpreted one."""

from __future__ import annotations

from typing import Any, TypeVar

from stichkampf.engine.bits import vec_of

Kept = TypeVar("Kept")

_VEC = type(vec_of([]))


def plain_fields(deal: object) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """Return by name the fields of a deal, those that hold a vec apart, as lists."""
    names = [*getattr(type(deal), "__mypyc_attrs__", ()), *getattr(deal, "__dict__", ())]
    fields = {name: getattr(deal, name) for name in names if hasattr(deal, name)}
    vecs = {name: list(value) for name, value in fields.items() if type(value) is _VEC}
    return {name: value for name, value in fields.items() if name not in vecs}, vecs


def restored(kind: type[Kept], fields: dict[str, Any], vecs: dict[str, list[int]]) -> Kept:
    """Make a deal of a class from what `plain_fields` returned."""
    deal = kind.__new__(kind)
    for name, value in fields.items():
        setattr(deal, name, value)
    for name, numbers in vecs.items():
        setattr(deal, name, vec_of(numbers))
    return deal
