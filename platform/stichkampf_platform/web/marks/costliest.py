"""The costliest decisions of a bot, as its page and the page of two bots show them."""

from __future__ import annotations

from stichkampf.games import game_class

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.marks import queries
from stichkampf_platform.tournaments.shown import Viewer
from stichkampf_platform.web.replay.scene_marks import shown_mark

MARKS_SHOWN = 5


def costliest_decisions(versions: list[Version], person: Viewer, beside: Bot | None = None) -> dict:
    """Return the costliest decisions of these versions, and among how many matches they are.

    :param beside: only of matches in which this bot sat at the table.
    """
    matches = queries.judged_matches(versions, person, beside=beside)
    costliest = queries.costliest_of(versions, MARKS_SHOWN, person, beside=beside) if matches else []
    return {
        "marks": [
            shown_mark(game_class(mark.judged.seat.table.block.tournament.game), mark, all_hands=False)
            for mark in costliest
        ],
        "marked_matches": matches,
    }
