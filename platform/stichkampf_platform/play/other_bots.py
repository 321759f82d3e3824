"""Matches of authors' bots with a person's hand: the same cards and seat, against the same house bots.

A person asks for it once a match is over. One such match is played at a time, where all that is rated has its
places.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext as _
from stichkampf.bots.practice import HOUSE
from stichkampf.bots.registry import house_bot
from stichkampf.bots.search import Even, SearchBot, Strong
from stichkampf.engine.deal import Json
from stichkampf.faults import FAULT_ALLOWANCE
from stichkampf.time_control import LADDER_CLOCK
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.arbiter_client import gate, verified_record
from stichkampf_platform.core.errors import ArbiterGone, MatchForgotten, RequestRefused
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.people import rates
from stichkampf_platform.play import daily, services
from stichkampf_platform.play.models import PlayedState, PlayedTable, SameHand, SameHandState
from stichkampf_platform.tournaments import queries

MOST_BOTS = 8
WORK = "bot with a person's hand"
SLOW = (SearchBot.name, Strong.name)
"""House bots in whose place `even` plays."""

logger = logging.getLogger(__name__)


def opponents(record: Mapping[str, Json]) -> list[str]:
    """Return for each seat the house bot that plays there while another has the person's.

    For persons, authors' bots and slow house bots it is `even`.
    """
    plain = [str(entry["bot"]).removeprefix(HOUSE) for entry in record["seats"]]
    return [
        name if entry["bot"] == HOUSE + name and name not in SLOW else Even.name
        for name, entry in zip(plain, record["seats"], strict=True)
    ]


def may_ask(table: PlayedTable) -> bool:
    """Tell whether authors' bots may see the cards: the match is over, from its first card on, and no secret
    of a day."""
    is_whole = table.state == PlayedState.OVER and not table.is_played_on
    return is_whole and not daily.is_closed_to_others(table.public_id)


def ask(table: PlayedTable, seat: int, ranked: Sequence[int], *, address: str = "") -> None:
    """Have ranked bots of authors play the hand of a seat; nothing happens where that was asked before.

    :param ranked: ids of versions, the best first; those whose owners agree play, `MOST_BOTS` at most.
    :raises RequestRefused: the cards are not open yet, or no such bot plays the game against people.
    :raises TooMany: matches of this kind on this day.
    """
    with transaction.atomic():
        table = PlayedTable.objects.select_for_update().get(pk=table.pk)
        if not may_ask(table):
            raise RequestRefused(_("No other bot may see these cards yet."))
        if table.same_hands.filter(seat=seat).exists():
            return
        agreed = {version.pk for version in services.opponents_for(table.game_name)}
        chosen = [version for version in ranked if version in agreed][:MOST_BOTS]
        if not chosen:
            raise RequestRefused(_("No ranked bot of an author plays this game against people at present."))
        rates.count("same hands", times=len(chosen), address=address, site="all")
        SameHand.objects.bulk_create(
            SameHand(table=table, seat=seat, version_id=version) for version in chosen
        )


def go_on() -> None:
    """Store the matches that are over, and begin the next where all that is rated has its places."""
    playing = SameHand.objects.filter(state=SameHandState.PLAYING)
    each_by_itself(WORK, playing.select_related("table"), _land, give_up=_give_up)
    if playing.exists() or queries.blocks_in_queue() or not queries.free_places():
        return
    waiting = SameHand.objects.filter(state=SameHandState.WAITING)
    each_by_itself(
        WORK, waiting.select_related("table", "version__bot__owner"), _begin, give_up=_give_up, at_most=1
    )


def _begin(hand: SameHand) -> None:
    table, version = hand.table, hand.version
    if version.pk not in {each.pk for each in services.opponents_for(table.game_name)}:
        _end(hand, SameHandState.FAILED)
        return
    seats: list[pb.Seat | Version] = [
        pb.Seat(bot=HOUSE + name, version=house_bot(name).version, house=name)
        for name in opponents(table.record)
    ]
    seats[hand.seat] = version
    try:
        gate().upload_missing([version])
        gate().start(
            key=hand.match,
            game=table.game_name,
            options=table.options,
            versions=seats,
            seed=bytes(table.seed),
            lane=hand.match,
            time_control=LADDER_CLOCK,
            fault_allowance=FAULT_ALLOWANCE,
            deals=table.deals,
        )
    except ArbiterGone as error:
        logger.info("%s cannot begin yet: %s", hand, error)
        return
    _end(hand, SameHandState.PLAYING)


def _land(hand: SameHand) -> None:
    try:
        reports = gate().collect([hand.match], seconds=0)
    except MatchForgotten:
        _end(hand, SameHandState.WAITING)  # with the arbiter that played it
        return
    except ArbiterGone:
        return
    for report in reports:
        if report.match.state == pb.MATCH_STATE_CANCELLED:
            _end(hand, SameHandState.WAITING)
        else:
            record = verified_record(report, seed=None if hand.table.deals else bytes(hand.table.seed))
            failed = any(fault["seat"] == hand.seat for fault in record["faults"])
            hand.points = None if failed else int(record["scores"][hand.seat])
            _end(hand, SameHandState.FAILED if failed else SameHandState.OVER)
        gate().acknowledge(hand.match)


def _end(hand: SameHand, state: SameHandState) -> None:
    """Store the state of a hand, unless another worker has changed it."""
    if SameHand.objects.filter(pk=hand.pk, state=hand.state).update(state=state, points=hand.points):
        hand.state = state


def _give_up(hand: SameHand, reason: str) -> None:
    logger.warning("%s: %s", hand, reason)
    _end(hand, SameHandState.FAILED)
