"""The note of an answer, for the record."""

from __future__ import annotations

import math
from typing import Any

from stichkampf.bots.bot import NOTE_CHARACTERS, NOTE_WEIGHTS
from stichkampf.match.match import WORD_LENGTH
from stichkampf.plain_text import plain
from stichkampf.wire.v1 import bot_pb2 as pb


def note_of(answer: pb.Answer) -> dict[str, Any] | None:
    """Return the note of an answer for the record, cut to size; None if there is none."""
    if not answer.HasField("note"):
        return None
    note: dict[str, Any] = {}
    if answer.note.text:
        note["text"] = plain(answer.note.text, NOTE_CHARACTERS)
    weights = {
        plain(weight.action, WORD_LENGTH): weight.weight
        for weight in answer.note.weights[:NOTE_WEIGHTS]
        if math.isfinite(weight.weight)
    }
    if weights:
        note["weights"] = weights
    return note or None
