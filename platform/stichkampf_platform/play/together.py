"""Tables by link: several people sit down, bots take the seats that stay empty, and a few phrases are said.

While people gather there are neither cards nor a match; both are made when the table begins.
"""

from __future__ import annotations

import logging
import secrets
from datetime import timedelta

import redis
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.engine.seeds import SEED_BYTES

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed, RequestRefused
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.people.models import User
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.play import bus, matches, services
from stichkampf_platform.play.models import PlayedSeat, PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import SeatKey, seat_key

WAITS = (1, 3, 10)
"""The minutes for which empty seats may wait for people."""
PHRASES = (
    gettext_lazy("Hello!"),
    gettext_lazy("Well played!"),
    gettext_lazy("Oh no!"),
    gettext_lazy("One moment, please."),
    gettext_lazy("Thank you for the match."),
    gettext_lazy("Goodbye!"),
)
CALLED_OFF = Sentence("Whoever invited to this table has called it off.")

logger = logging.getLogger(__name__)


def invite(*, game: str, seats: int, level: str, minutes: int, account: User | None, address: str) -> SeatKey:
    """Open a table to which people come by its link, and return the key of the first seat.

    :param level: of the bots that take empty seats.
    :param minutes: one of `WAITS`, after which they do.
    :raises StichkampfError: no such game, seats, level or wait; the message says what would be right.
    :raises TooMany: tables of this person or address in an hour.
    """
    if minutes not in WAITS:
        raise RequestRefused(
            _("Empty seats wait for {waits} minutes; {minutes} is none of these.").format(
                waits=", ".join(map(str, WAITS)), minutes=minutes
            )
        )
    rules = services.rules_of(game, seats)
    services.check_level(level)
    with transaction.atomic():
        services.count_table(account, address)
        table = PlayedTable.objects.create(
            public_id=secrets.token_urlsafe(services.PUBLIC_ID_BYTES),
            game_name=rules.name,
            options=rules.options,
            seats_count=seats,
            seed=b"",
            state=PlayedState.GATHERING,
            begins_at=clock.now() + timedelta(minutes=minutes),
        )
        PlayedSeat.objects.bulk_create(
            PlayedSeat(
                table=table,
                number=number,
                person=number == 0,
                account=account if number == 0 else None,
                house="" if number == 0 else level,
            )
            for number in range(seats)
        )
    return seat_key(table.public_id, 0)


def sit_down(table: PlayedTable, number: int, account: User | None) -> SeatKey:
    """Take a seat for which a bot would play, and return its key. The last one begins the match.

    Nobody gives up a seat again before the match: who comes after would have the same key.

    :raises RequestRefused: the table has begun, there is no such seat, it is taken, or the account has one.
    """
    taken = _("This account has a seat at this table already.")
    if account is not None and table.seats.filter(account=account).exists():
        raise RequestRefused(taken)
    try:
        with transaction.atomic():
            current = PlayedTable.objects.select_for_update().get(pk=table.pk)
            if current.state != PlayedState.GATHERING:
                raise RequestRefused(_("This table has begun; nobody sits down there any more."))
            empty = current.seats.filter(number=number, person=False)
            if not empty.update(person=True, house="", account=account):
                raise RequestRefused(
                    _("Seat {seat} is not free. Choose another one.").format(seat=number + 1)
                )
    except IntegrityError as error:  # another window was first
        raise RequestRefused(taken) from error
    if not current.seats.filter(person=False).exists():
        begin_now(current)
    return seat_key(current.public_id, number)


def begin(key: SeatKey) -> None:
    """Begin the match of a table without waiting longer, as whoever invited to it.

    :raises RequestRefused: another's seat, or it has begun.
    """
    begin_now(_gathering(key))


def call_off(key: SeatKey) -> None:
    """End a table before its match, as whoever invited to it.

    :raises RequestRefused: another's seat, or it has begun.
    """
    table = _gathering(key)
    table.end_void(CALLED_OFF)
    PlayedTable.objects.filter(pk=table.pk, state=PlayedState.GATHERING).update(
        state=table.state, void_reason=table.void_reason, void_parts=table.void_parts, ended_at=clock.now()
    )


def begin_due() -> None:
    """Begin the matches of all tables whose empty seats have waited for long enough."""
    due = PlayedTable.objects.filter(state=PlayedState.GATHERING, begins_at__lte=clock.now())
    each_by_itself("table by link", list(due), begin_now)


def begin_now(table: PlayedTable) -> None:
    """Deal the cards of a table and start its match; of calls at once, one does.

    Where the arbiter is out of reach, the sweep starts it as it does with every table.
    """
    waiting = PlayedTable.objects.filter(pk=table.pk, state=PlayedState.GATHERING)
    seed = secrets.token_bytes(SEED_BYTES)
    if not waiting.update(state=PlayedState.OPEN, seed=seed, created_at=clock.now()):
        return
    table.refresh_from_db()
    try:
        matches.begin(table, matches.opening_of(table))
    except (ArbiterGone, MatchFailed, redis.RedisError) as error:
        logger.info("%s begins later: %s", table, error)


def say(key: SeatKey, phrase: int) -> None:
    """Say one of the phrases at a table of several people.

    :param phrase: its number, from 1.
    :raises RequestRefused: there is no such phrase, one plays alone, or said something just now.
    """
    key.check()
    if not 1 <= phrase <= len(PHRASES):
        raise RequestRefused(_("There is no such phrase at this table."))
    persons = PlayedSeat.objects.filter(table__public_id=key.table, person=True)
    if persons.count() < 2:
        raise RequestRefused(_("Nobody else is at this table who could hear it."))
    try:
        heard = bus.say(key.table, key.seat, phrase)
    except redis.RedisError as error:
        raise services.closed(error) from error
    if not heard:
        raise RequestRefused(_("You have said something just now. Wait a moment."))


def _gathering(key: SeatKey) -> PlayedTable:
    """Return the table to which somebody has invited.

    :raises RequestRefused: somebody else has, or its match has begun.
    """
    key.check()
    if key.seat != 0:
        raise RequestRefused(_("Only who invited to this table does that."))
    table = PlayedTable.objects.filter(public_id=key.table, state=PlayedState.GATHERING).first()
    if table is None:
        raise RequestRefused(_("This table has begun already."))
    return table
