"""The request of a match, checked before anything is started."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stichkampf import limits
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.errors import BotError, RecordError, SeedError, StichkampfError, TimeControlError
from stichkampf.games import new_game
from stichkampf.match.deal_source import RecordedDeals
from stichkampf.match.match import Match
from stichkampf.time_control import TimeControl
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_arbiter.bots.hosted_pool import ArchiveCopy

MOST_MOVES = 20_000
"""More than any match has."""


@dataclass(frozen=True, kw_only=True)
class MatchRequest:
    """A checked request: a match that can be played.

    :ivar seed: seed of the match; empty if its deals are given.
    :ivar deals_json: the given deals; empty if they come from the seed.
    :ivar substitute_version: of the house bot that moves in place of failing bots; None for the current one.
    :ivar moves: seats and words of the moves that are made before anybody is asked.
    :ivar alone: true if no other match may run beside it.
    """

    game: Game
    seats: Sequence[pb.Seat]
    seed: bytes
    deals_json: str
    lane: str
    block: str
    block_tables: int
    tournament: str
    control: TimeControl
    fault_allowance: int
    substitute_version: int | None = None
    moves: Sequence[tuple[int, str]] = ()
    alone: bool = False

    @property
    def digests(self) -> set[str]:
        return {seat.archive_sha256 for seat in self.seats if seat.archive_sha256}

    @property
    def remote_names(self) -> list[str]:
        return [seat.remote for seat in self.seats if seat.remote]

    @property
    def has_people(self) -> bool:
        return any(seat.person for seat in self.seats)

    @property
    def copies(self) -> list[ArchiveCopy | None]:
        """The copy of its archive on each seat; None for house bots and remote bots."""
        met: Counter[str] = Counter()
        copies: list[ArchiveCopy | None] = []
        for seat in self.seats:
            digest = seat.archive_sha256
            copies.append(ArchiveCopy(digest, met[digest]) if digest else None)
            met[digest] += 1
        return copies


def read_request(request: pb.StartMatchRequest) -> MatchRequest:
    """Check a request.

    :raises StichkampfError: the request describes no match; the message says what would be right.
    """
    try:
        options = json.loads(request.options_json or "{}")
    except ValueError as error:
        raise StichkampfError(f"options_json is not JSON: {error}") from None
    if not isinstance(options, dict):
        raise StichkampfError(f"options_json must be a JSON object, not {options!r:.80}")
    game = new_game(request.game, len(request.seats), options)
    for number, seat in enumerate(request.seats):
        _check_seat(number, seat)
    cards = request.WhichOneof("cards")
    if cards is None:
        raise SeedError(f"give the cards: a seed of {SEED_BYTES} bytes, or deals")
    if cards == "seed" and len(request.seed) != SEED_BYTES:
        raise SeedError(f"a match seed has {SEED_BYTES} bytes, this one has {len(request.seed)}")
    given = request.time_control
    control = (
        TimeControl(
            move_seconds=given.move_seconds, bank_seconds=given.bank_seconds, cap_seconds=given.cap_seconds
        )
        if request.HasField("time_control") and given.ByteSize()
        else TimeControl()
    )
    checked = MatchRequest(
        game=game,
        seats=list(request.seats),
        seed=request.seed,
        deals_json=request.deals_json,
        lane=request.lane,
        block=request.block,
        block_tables=max(1, request.block_tables),
        tournament=request.tournament,
        control=control,
        fault_allowance=request.fault_allowance,
        substitute_version=request.substitute_version or None,
        moves=_moves(request.moves_json),
        alone=request.alone,
    )
    house_bot(SUBSTITUTE, checked.substitute_version)
    _check_remote(checked)
    new_match(checked)
    return checked


def _check_seat(number: int, seat: pb.Seat) -> None:
    program = seat.WhichOneof("program")
    if not seat.bot or len(seat.bot) > 200:
        raise BotError(f"seats[{number}] needs a bot name of 1 to 200 characters, which the record will show")
    if program is None:
        raise BotError(
            f"seats[{number}] names no program: a house bot, the SHA-256 of an archive, a remote bot or a"
            " person"
        )
    if program == "person" and not seat.person:
        raise BotError(f"seats[{number}] has person false; leave it out where no person sits")
    if program == "house":
        house_bot(seat.house, seat.version or None)


def _check_remote(request: MatchRequest) -> None:
    names = request.remote_names
    for name, seats in Counter(names).items():
        if seats > 1:
            raise BotError(f"{name!r} holds {seats} seats; a remote bot holds one, as it would see two hands")
    least = limits.REMOTE_MOVE_SECONDS_MIN
    if names and request.control.move_seconds < least:
        raise TimeControlError(
            f"move_seconds is {request.control.move_seconds:g}; with remote bots it is at least {least:g}"
        )


def _moves(moves_json: str) -> list[tuple[int, str]]:
    try:
        moves = json.loads(moves_json or "[]")
    except ValueError as error:
        raise RecordError(f"moves_json is not JSON: {error}") from None
    if not isinstance(moves, list) or len(moves) > MOST_MOVES:
        raise RecordError(f"moves_json must be a list of at most {MOST_MOVES:,} moves")
    for number, move in enumerate(moves):
        if not (isinstance(move, list) and [type(part) for part in move] == [int, str]):
            raise RecordError(f"moves_json[{number}] must be a seat and a word, not {move!r:.80}")
    return [(seat, word) for seat, word in moves]


def new_match(request: MatchRequest) -> Match:
    """Make the match that a request describes, after the moves that it begins with.

    :raises StichkampfError: the deals are not deals of this game, or a move is not legal when it is made.
    """
    match = _dealt_match(request)
    for number, (seat, word) in enumerate(request.moves):
        try:
            match.play(seat, word)
        except StichkampfError as error:
            raise RecordError(f"moves_json[{number}]: {error}") from None
    return match


def moves_of(match: Match) -> list[list[Json]]:
    """Return the moves of a match so far as `new_match` plays them: without those that the rules make."""
    seats = match.game.seats
    return [move for deal in match.played for move in deal.moves if move[0] < seats]


def _dealt_match(request: MatchRequest) -> Match:
    if not request.deals_json:
        return Match(request.game, seed=request.seed)
    try:
        deals = json.loads(request.deals_json)
    except ValueError as error:
        raise RecordError(f"deals_json is not JSON: {error}") from None
    if not isinstance(deals, list) or not all(isinstance(deal, dict) for deal in deals):
        raise RecordError("deals_json must be a list of deals as in a match record")
    return Match(request.game, deals=RecordedDeals(request.game, deals))
