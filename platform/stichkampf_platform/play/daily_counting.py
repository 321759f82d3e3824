"""Counting of the day's deals: what a match that is over is worth there, and what house bots made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.bots.registry import house_bots
from stichkampf.bots.search import Even, SearchBot
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game

from stichkampf_platform.core import clock
from stichkampf_platform.play.models import DailyDeal, DailyEntry, DailyState, PlayedTable

OWN_FAULTS = {"resigned", "timeout"}
"""Faults of a person; all others are the platform's."""


def count(table: PlayedTable, record: Mapping[str, Json]) -> None:
    """Count the match of a table if it is of a day, in the transaction that stores its record."""
    entry = DailyEntry.objects.select_related("deal").filter(table=table).first()
    if entry is None:
        return
    faults = {fault["kind"] for fault in record["faults"] if fault["seat"] == entry.deal.seat}
    if faults:
        entry.state = DailyState.GIVEN_UP if faults <= OWN_FAULTS else DailyState.VOID
    elif clock.now() >= entry.deal.opens_at:
        entry.state = DailyState.LATE
    else:
        entry.state = DailyState.COUNTED
        entry.points = int(record["scores"][entry.deal.seat])
    entry.save(update_fields=["state", "points"])


def count_void(table: PlayedTable) -> None:
    """Say of the match of a table that is void, if it is of a day, that it is no fault of its person."""
    DailyEntry.objects.filter(table=table).update(state=DailyState.VOID)


def let_house_bots_play(table: PlayedTable) -> None:
    """Let the house bots play the deal of a table's day in the person's seat, once a person has."""
    deal = DailyDeal.objects.filter(entries__table=table, house_scores={}).first()
    if deal is None:
        return
    others = [entrant(Even.name)] * deal.seats_count
    deal.house_scores = house_scores(deal.game, others, deal.seat, bytes(deal.seed))
    deal.save(update_fields=["house_scores"])


def house_scores(game: Game, others: Sequence[Entrant], seat: int, seed: bytes) -> dict[str, int]:
    """Let each house bot but the slowest play a whole match in a seat, and return its points by name.

    :param others: who plays at each seat; the one at `seat` is left out.
    """
    return {
        name: play_match(game, [*others[:seat], entrant(name), *others[seat + 1 :]], seed).record["scores"][
            seat
        ]
        for name in house_bots()
        if name != SearchBot.name
    }
