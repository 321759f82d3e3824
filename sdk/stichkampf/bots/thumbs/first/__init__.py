"""The rules of thumb of `thumb` version 1, where version 2 has others."""

from __future__ import annotations

from collections.abc import Callable

from stichkampf.bots.thumbs import RULES_OF_THUMB
from stichkampf.bots.thumbs.first import mue, stiche_raten
from stichkampf.match.table import Table

FIRST_RULES_OF_THUMB: dict[str, Callable[[Table], str]] = {
    **RULES_OF_THUMB,
    "stiche-raten": stiche_raten.choose,
    "mue": mue.choose,
}
