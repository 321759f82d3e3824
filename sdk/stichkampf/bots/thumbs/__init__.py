"""Rules of thumb by game. Each file reads as an example of how to write a bot that knows its game."""

from __future__ import annotations

from collections.abc import Callable

from stichkampf.bots.thumbs import meinz, mue, njet, sixes_and_sevens, stiche_raten, sticheln, was_sticht
from stichkampf.match.table import Table

RULES_OF_THUMB: dict[str, Callable[[Table], str]] = {
    "sticheln": sticheln.choose,
    "stiche-raten": stiche_raten.choose,
    "sixes-and-sevens": sixes_and_sevens.choose,
    "mue": mue.choose,
    "njet": njet.choose,
    "meinz": meinz.choose,
    "was-sticht": was_sticht.choose,
}
