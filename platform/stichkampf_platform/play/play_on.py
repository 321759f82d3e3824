"""Playing on: a table that begins in the middle of a recorded match."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from stichkampf.bots.practice import HOUSE
from stichkampf.bots.registry import house_bots
from stichkampf.bots.search import SearchBot
from stichkampf.engine.deal import Json
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.errors import RecordError
from stichkampf.games import new_game
from stichkampf.limits import MIB
from stichkampf.match import records
from stichkampf.match.deal_source import SeededDeals
from stichkampf.match.match import Match
from stichkampf.match.verify import seed_of, verified

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.number_formats import size
from stichkampf_platform.people.models import User
from stichkampf_platform.play import bus, daily, matches, services
from stichkampf_platform.play.models import PlayedTable
from stichkampf_platform.play.seat_keys import SeatKey

FURTHER_DEALS = 12
"""Deals after the last one of a record without a seed, whose match is over by points or the like."""
COUNTED_LENGTHS = ("deals:", "full")
RECORD_BYTES = 2 * MIB
"""The most of a record file; a long match has some 100 kB."""


@dataclass(frozen=True, kw_only=True)
class PlayOnPoint:
    """A decision of a verified record, from which somebody plays on.

    :ivar decision: its number among all decisions of the match, from 1; it is taken anew.
    :ivar seat: the person's.
    :ivar origin: the address of the replay; empty for a file.
    :ivar seed: of the cards, where it is known.
    """

    record: Mapping[str, Json]
    decision: int
    seat: int
    origin: str = ""
    seed: bytes = b""

    def check(self) -> None:
        """Check that there are such a decision and seat.

        :raises RequestRefused: there are not; the message says what there is.
        """
        seats, last = len(self.record["seats"]), len(records.deciding_seats(self.record))
        if not 1 <= self.decision <= last:
            raise RequestRefused(
                _("There is no decision {decision} in this match; there are 1 to {last}.").format(
                    decision=self.decision, last=last
                )
            )
        if not 0 <= self.seat < seats:
            raise RequestRefused(
                _("Seat {seat} is not at this table; its seats are 1 to {seats}.").format(
                    seat=self.seat + 1, seats=seats
                )
            )

    @property
    def opening(self) -> list[list[Json]]:
        """The moves before, without those that the rules make."""
        seats = len(self.record["seats"])
        made = [[move.seat, move.word] for move in records.moves(self.record) if move.seat < seats]
        return made[: self.decision - 1]


def uploaded_record(file: UploadedFile) -> dict[str, Json]:
    """Read and referee the record in a file that was sent; no more of it is read than a record may have.

    :raises RequestRefused: it is too large, or it holds no match under the rules.
    """
    if (file.size or 0) > RECORD_BYTES:
        raise RequestRefused(
            _("The file has {bytes}; a match record may have {most}.").format(
                bytes=size(file.size or 0), most=size(RECORD_BYTES)
            )
        )
    try:
        return verified(file.read(RECORD_BYTES).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RequestRefused(_("This file is no match record: it is no text in UTF-8.")) from error
    except RecordError as error:
        raise RequestRefused(
            _("This file holds no match that can be played on: {reason}").format(reason=error)
        ) from error


def start(point: PlayOnPoint, *, level: str, open_cards: bool, account: User | None, address: str) -> SeatKey:
    """Start a table at a point of a recorded match, and return the key of the person's seat.

    The other seats are those of the record, as far as they may play against people.

    :param level: of those that may not.
    :raises StichkampfError: no such decision, seat or level; the message says what would be right.
    :raises TooMany: tables of this person or address in an hour.
    """
    point.check()
    services.check_level(level)
    record = point.record
    if daily.is_of_closed_day(record):
        raise RequestRefused(_("This is the deal of the day: it is played on once the day is over."))
    seed = point.seed or seed_of(record)
    return services.start_table(
        game=record["game"],
        seats=len(record["seats"]),
        seat=point.seat,
        opponents=_opponents(point, level),
        options=record["options"],
        account=account,
        address=address,
        practice=True,
        seed=seed or b"",
        played_on={
            "deals": None if seed else _deals(record),
            "opening": point.opening,
            "open_cards": open_cards,
            "origin": point.origin,
            "origin_points": record["scores"][point.seat],
        },
    )


def decider(record: Mapping[str, Json], decision: int) -> int:
    """Return the seat whose decision it is; 0 where there is none of that number."""
    seats = records.deciding_seats(record)
    return seats[decision - 1] if 1 <= decision <= len(seats) else 0


def open_hands(table: PlayedTable) -> list[list[str]]:
    """Return all hands of a table with open cards as they are now, by seat; none while that is unknown."""
    kept = bus.kept_progress(table.match) if table.open_cards else None
    if kept is None:
        return []
    if table.deals:
        seats: list[Mapping[str, Json]] = [{}] * table.seats_count
        match = Match.from_record(
            {"game": table.game_name, "seats": seats, "options": table.options, "deals": table.deals}
        )
    else:
        match = Match(table.game, seed=bytes(table.seed))
    for seat, word in matches.MovesSoFar.of(kept).moves:
        match.play(seat, word)
    return [] if match.over else [match.deal.hand(seat) for seat in range(table.game.table_seats)]


def _opponents(point: PlayOnPoint, level: str) -> list[str | Version | None]:
    allowed = {version.bot.full_name: version for version in services.opponents_for(point.record["game"])}
    playing = {*services.LEVELS, *house_bots()} - {SearchBot.name}
    found: list[str | Version | None] = []
    for number, entry in enumerate(point.record["seats"]):
        name = str(entry["bot"])
        plain = name.removeprefix(HOUSE)
        if number == point.seat:
            found.append(None)
        elif name.startswith(HOUSE) and plain in playing:
            found.append(plain)
        else:
            found.append(allowed.get(name, level))
    return found


def _deals(record: Mapping[str, Json]) -> list[dict[str, Json]]:
    """Return the deals of a record without a seed, with further ones where points may decide the end."""
    game = new_game(record["game"], len(record["seats"]), record["options"])
    fields = game.chance_fields()
    given = [
        {"dealer": deal["dealer"], **{name: deal[name] for name in fields if name in deal}}
        for deal in record["deals"]
    ]
    if str(game.options.get("length", "")).startswith(COUNTED_LENGTHS):
        return given
    further = SeededDeals(game, secrets.token_bytes(SEED_BYTES))
    numbers = range(len(given), len(given) + FURTHER_DEALS)
    return [*given, *({"dealer": 0, **further.dealt(number, {})} for number in numbers)]
