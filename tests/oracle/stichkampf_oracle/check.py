"""The referee of a finished record: replays it by the rules and names the first difference."""

from typing import Any

from stichkampf_oracle.common import Disagreement, Round, ranks
from stichkampf_oracle.walk import GAMES, ROUNDS


def check(record: dict[str, Any]) -> None:
    """Raise Disagreement unless the record is complete and all of it follows from its deals and moves."""
    seats = require_head(record)
    rules, options = GAMES[record["game"]], record["options"]
    totals = [0] * seats
    carry: Any = None
    dealers = rules.first_dealers(seats)
    for index, deal in enumerate(record["deals"]):
        if index and rules.finished(seats, options, index, totals, carry):
            raise Disagreement(index, None, "the match was over before this deal")
        round = replay(record["game"], seats, options, index, deal, dealers, carry)
        totals = [total + gain for total, gain in zip(totals, round.scores, strict=True)]
        carry = round.carry
        dealers = [rules.next_dealer(deal["dealer"], seats)]
    played = len(record["deals"])
    if not played or not rules.finished(seats, options, played, totals, carry):
        raise Disagreement(None, None, f"the match is not over after {played} deals")
    require_same(None, "scores", field(record, None, "scores"), totals)
    require_same(None, "ranks", field(record, None, "ranks"), ranks(totals))
    require_faults(record)


def field(place: dict[str, Any], deal: int | None, name: str) -> Any:
    if name not in place:
        raise Disagreement(deal, None, f"the field {name} is missing")
    return place[name]


def require_same(deal: int | None, name: str, given: Any, expected: Any) -> None:
    """Compare by value and by JSON type: 1 is neither true nor 1.0."""
    if repr(given) != repr(expected):
        raise Disagreement(deal, None, f"{name} {given!r} should be {expected!r}")


def require_head(record: dict[str, Any]) -> int:
    require_same(None, "format", field(record, None, "format"), "stichkampf-record/1")
    game = field(record, None, "game")
    if game not in GAMES:
        raise Disagreement(None, None, f"no such game: {game!r}")
    seats = len(field(record, None, "seats"))
    if seats not in GAMES[game].SEATS:
        raise Disagreement(None, None, f"{game} is not played with {seats} seats")
    try:
        GAMES[game].check_options(seats, field(record, None, "options"))
    except ValueError as error:
        raise Disagreement(None, None, str(error)) from error
    field(record, None, "deals")
    return seats


def replay(
    game: str,
    seats: int,
    options: dict[str, Any],
    index: int,
    deal: dict[str, Any],
    dealers: list[int],
    carry: Any,
) -> Round:
    dealer = field(deal, index, "dealer")
    if type(dealer) is not int or dealer not in dealers:
        raise Disagreement(index, None, f"dealer {dealer!r} should be one of {dealers}")
    try:
        round = ROUNDS[game](seats, options, index, dealer, deal, carry)
    except KeyError as error:
        raise Disagreement(index, None, f"the field {error} is missing") from error
    except ValueError as error:
        raise Disagreement(index, None, str(error)) from error
    known = set(GAMES[game].words(seats, options))
    for move, (seat, word) in enumerate(field(deal, index, "moves")):
        if round.over:
            raise Disagreement(index, move, "the deal was over before this move")
        expected = round.awaited()[0]
        if type(seat) is not int or seat != expected:
            raise Disagreement(index, move, f"seat {seat!r} moves where the record awaits seat {expected}")
        if word not in known or not round.is_legal(seat, word):
            raise Disagreement(index, move, f"{word!r} is not legal for seat {seat}")
        round.play(seat, word)
    if not round.over:
        raise Disagreement(index, len(deal["moves"]), f"cut short: seat {round.awaited()[0]} is awaited")
    for name, expected_value in round.found().items():
        require_same(index, name, field(deal, index, name), expected_value)
    require_same(index, "scores", field(deal, index, "scores"), round.scores)
    return round


def require_faults(record: dict[str, Any]) -> None:
    for fault in field(record, None, "faults"):
        deal, move = fault["deal"], fault["move"]
        if not 0 <= deal < len(record["deals"]) or not 0 <= move < len(record["deals"][deal]["moves"]):
            raise Disagreement(deal, move, "a fault at a move that does not exist")
        mover = record["deals"][deal]["moves"][move][0]
        if fault["seat"] != mover:
            raise Disagreement(deal, move, f"a fault of seat {fault['seat']} at a move of seat {mover}")
        if mover >= len(record["seats"]):
            raise Disagreement(deal, move, "a fault at a move of the card monster, which no bot makes")
