"""Observations of the games as bits and numbers, for learners; the rules know nothing of this."""

from __future__ import annotations

from collections.abc import Callable

from stichkampf.errors import UnknownGame
from stichkampf.lab.observations.encoder import Encoder
from stichkampf.lab.observations.meinz import MeinzEncoder
from stichkampf.lab.observations.mue import MueEncoder
from stichkampf.lab.observations.njet import NjetEncoder
from stichkampf.lab.observations.sixes_and_sevens import SixesAndSevensEncoder
from stichkampf.lab.observations.stiche_raten import SticheRatenEncoder
from stichkampf.lab.observations.sticheln import StichelnEncoder
from stichkampf.lab.observations.was_sticht import WasStichtEncoder

__all__ = ["ENCODERS", "encoder_of"]

ENCODERS: dict[str, Callable[[int], Encoder]] = {
    "sticheln": StichelnEncoder,
    "stiche-raten": SticheRatenEncoder,
    "sixes-and-sevens": SixesAndSevensEncoder,
    "mue": MueEncoder,
    "njet": NjetEncoder,
    "meinz": MeinzEncoder,
    "was-sticht": WasStichtEncoder,
}


def encoder_of(game: str, table_seats: int) -> Encoder:
    """Return the encoder of a game by its name, for a number of seats at the table.

    >>> encoder_of("sixes-and-sevens", 4).numbers()[-1]
    ('side points 1', 50)

    :raises UnknownGame: a game without one.
    """
    if game not in ENCODERS:
        raise UnknownGame(f"{game!r} has no observations for batches; games with them: {', '.join(ENCODERS)}")
    return ENCODERS[game](table_seats)
