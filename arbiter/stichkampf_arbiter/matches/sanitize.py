"""Texts about an answer: its note for the record, and messages to the owner of the bot."""

from __future__ import annotations

import math
from typing import Any

from stichkampf import limits
from stichkampf.bots.bot import NOTE_CHARACTERS, NOTE_WEIGHTS
from stichkampf.match.adjudicator import Question
from stichkampf.match.match import WORD_LENGTH
from stichkampf.plain_text import plain
from stichkampf.wire.v1 import bot_pb2 as pb


def too_long(charged: str, seconds: float, limit_seconds: float, question: Question) -> str:
    """Return the message to the owner about a timeout: the limit that was exceeded, and the question."""
    allowed = f"{limit_seconds:.2f} s allowed"
    if charged == "cpu":
        free = f"{limits.FREE_WAIT_FACTOR:g} x CPU time + {limits.FREE_WAIT_SECONDS:g} s"
        allowed += f"; waiting beyond {free} is charged too"
    used = f"{seconds:.2f} s of {charged} time used"
    return f"timeout: {used}, {allowed}; legal were {', '.join(question.legal)}"


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
