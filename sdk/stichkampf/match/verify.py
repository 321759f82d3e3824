"""The referee of records: checks that a record, written by any program, is a match under the rules.

It needs nothing but the fixed fields; further ones that our own programs write must be right where there are
any. Deals and moves are counted from 0, as the record counts them. Where a
record names its `seed` (64 hex digits), and the `shuffle` of `engine.seeds`, its deals must also follow from
that seed. A record that names a `rules_version` is refereed only under that version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from stichkampf.engine.deal import Carry, Deal, Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES, SHUFFLE, Chance
from stichkampf.errors import ActionError, DealError, RecordError, StichkampfError
from stichkampf.games import new_game
from stichkampf.match.deal_source import SeededDeals
from stichkampf.match.match import WORD_LENGTH, ranks_of
from stichkampf.match.record_shape import check_shape
from stichkampf.match.records import parse
from stichkampf.time_control import BOUNDS, problems

HEX: Final = re.compile(rf"[0-9A-Fa-f]{{{2 * SEED_BYTES}}}")
CHARGED: Final = {"cpu", "wall"}


class Difference(RecordError):
    """The first point at which a record departs from the rules.

    :ivar deal: the deal, from 0; None for the whole match.
    :ivar move: the move in that deal, from 0; None for the whole deal.
    """

    def __init__(self, message: str, deal: int | None = None, move: int | None = None) -> None:
        where = [f"deal {deal}"] * (deal is not None) + [f"move {move}"] * (move is not None)
        super().__init__(": ".join([", ".join(where), message] if where else [message]))
        self.deal = deal
        self.move = move


def verify(record: Json, *, seed: bytes | None = None) -> None:
    """Referee a record.

    :param seed: 32 bytes from which the deals must follow, where the caller knows better than the record.
    :raises RecordError: a field is missing or of the wrong type, the game, seats or options do not exist, or
        (as `Difference`) cards, moves, scores or ranks are not what the rules make them.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> verify(record)
    >>> record["deals"][0]["moves"][0][1] = "bid 7"
    >>> verify(record)
    Traceback (most recent call last):
    stichkampf.match.verify.Difference: deal 0, move 0: expected one of bid 0, bid 1; found 'bid 7'
    """
    check_shape(record)
    game = _game_of(record)
    _check_further(record)
    seed = seed or seed_of(record)
    totals = _check_deals(game, record["deals"], SeededDeals(game, seed) if seed else None)
    _check_equal("scores", record["scores"], totals)
    _check_equal("ranks", record["ranks"], ranks_of(totals))
    _check_faults(game, record)


def verified(text: str, *, seed: bytes | None = None) -> dict[str, Json]:
    """Read the text of a record and referee it.

    :param seed: as for `verify`.
    :raises RecordError: it is not JSON, or `verify` refuses it.

    >>> verified("[]")
    Traceback (most recent call last):
    stichkampf.errors.RecordError: a match record is a JSON object, not []
    """
    record = parse(text)
    verify(record, seed=seed)
    return dict(record)


def _game_of(record: Mapping[str, Json]) -> Game:
    try:
        game = new_game(record["game"], len(record["seats"]), record["options"])
    except StichkampfError as error:
        raise RecordError(str(error)) from error
    for name, value in game.options.items():
        if name not in record["options"]:
            raise RecordError(
                f"options: {name} is missing (every option is spelled out; its default is {value!r})"
            )
    version = record.get("rules_version")
    if version is not None and version != game.rules_version:
        other = "a newer" if version > game.rules_version else "an older"
        raise RecordError(
            f"the record names version {version} of the rules of {game.name};"
            f" this program knows version {game.rules_version}; read it with {other} stichkampf"
        )
    return game


def seed_of(record: Mapping[str, Json]) -> bytes | None:
    """Return the seed of our own shuffling; None where the record names none, or that of another program.

    >>> seed_of({"seed": "dealt by hand", "shuffle": "by hand"})
    """
    text = record.get("seed")
    return bytes.fromhex(text) if record.get("shuffle") == SHUFFLE and isinstance(text, str) else None


def unchecked(record: Mapping[str, Json]) -> str:
    """Say what a verified record gives no means to check; empty for nothing.

    >>> unchecked({"seats": []})
    'cards not checked against a seed'
    """
    return "" if seed_of(record) else "cards not checked against a seed"


def _check_further(record: Mapping[str, Json]) -> None:
    """Referee the further fields, whose form is right already, against the rest of the record."""
    seed = record.get("seed")
    if seed is not None and record.get("shuffle") == SHUFFLE and not HEX.fullmatch(seed):
        raise RecordError(f"seed: expected {2 * SEED_BYTES} hex digits, found {seed!r:.80}")
    control = record.get("time_control", {})
    for name, problem in problems({name: control[name] for name in BOUNDS if name in control}).items():
        raise RecordError(f"time_control: {name} {problem}")
    charged = control.get("charged")
    if charged is not None and (len(charged) != len(record["seats"]) or not set(charged) <= CHARGED):
        kinds = " or ".join(sorted(CHARGED))
        raise RecordError(f"time_control: charged: expected {kinds} for each seat, found {charged!r:.80}")
    moves = [len(deal["moves"]) for deal in record["deals"]]
    for name in ("costs", "wall_times"):
        if name in record and [len(times) for times in record[name]] != moves:
            raise Difference(f"{name}: expected a number or null for each move of each deal")
    for note in record.get("notes", []):
        deal, move = note["deal"], note["move"]
        if not (0 <= deal < len(moves) and 0 <= move < moves[deal]):
            raise Difference("notes: there is no such move", deal, move)
        seat = record["deals"][deal]["moves"][move][0]
        if note.get("seat", seat) != seat:
            raise Difference(f"notes: expected seat {seat}, found seat {note['seat']}", deal, move)


def _check_deals(game: Game, deals: list[dict[str, Json]], seeded: SeededDeals | None) -> list[int]:
    """Referee all deals; returns the totals."""
    totals = [0] * game.seats
    carry = game.start()
    dealers = [seeded.first_dealer()] if seeded else _first_dealers(game)
    for number, recorded in enumerate(deals):
        if number and game.is_finished(number, totals, carry):
            raise Difference(f"the match was over after {number} deals; the record lists {len(deals)}")
        if recorded["dealer"] not in dealers:
            expected = " or ".join(map(str, dealers))
            raise Difference(f"expected dealer {expected}, found {recorded['dealer']}", number)
        if seeded:
            _check_seeded(recorded, seeded.dealt(number, carry), number)
        deal = _played(game, number, recorded, carry)
        for name, value in game.derived(deal).items():
            _check_equal(name, recorded.get(name), value, number)
        _check_equal("scores", recorded["scores"], deal.scores(), number)
        totals = [total + points for total, points in zip(totals, recorded["scores"], strict=True)]
        carry = game.carry(deal, carry)
        dealers = [game.next_dealer(recorded["dealer"])]
    if not game.is_finished(len(deals), totals, carry):
        raise Difference(f"the record ends after {len(deals)} deals; the match is not over then")
    return totals


class _Given(Chance):
    """Chance that always falls on the same number."""

    def __init__(self, number: int) -> None:
        super().__init__(bytes(SEED_BYTES), "")
        self._number = number

    def below(self, n: int) -> int:
        return self._number % n


def _first_dealers(game: Game) -> list[int]:
    """Every seat that chance may make the first dealer."""
    return sorted({game.first_dealer(_Given(number)) for number in range(game.table_seats)})


def _check_seeded(recorded: Mapping[str, Json], dealt: dict[str, Json], number: int) -> None:
    for name, value in dealt.items():
        if recorded.get(name) != value:
            raise Difference(f"{name} are not those that follow from the seed of the record", number)


def _played(game: Game, number: int, recorded: dict[str, Json], carry: Carry) -> Deal:
    """The deal after all its recorded moves."""
    try:
        deal = game.new_deal(number, recorded["dealer"], recorded, carry)
    except DealError as error:
        raise Difference(str(error), number) from error
    moves = recorded["moves"]
    for place, (seat, word) in enumerate(moves):
        if deal.is_over():
            raise Difference(f"expected no further move, the deal is over; found {word!r:.80}", number, place)
        if seat != deal.player():
            raise Difference(
                f"expected a move of seat {deal.player()}, found one of seat {seat}", number, place
            )
        deal.apply_by(seat, _action(deal, word, number, place))
    if not deal.is_over():
        raise Difference(
            f"expected a move of seat {deal.player()}, found the end of the moves", number, len(moves)
        )
    return deal


def _action(deal: Deal, word: str, number: int, place: int) -> int:
    for action in deal.legal_actions():
        if deal.word(action) == word:
            return action
    possible = f"expected one of {', '.join(map(deal.word, deal.legal_actions()))}"
    if len(word) <= WORD_LENGTH:
        try:
            deal.action(word)
        except ActionError as error:
            raise Difference(f"{possible}; {error}", number, place) from error
    raise Difference(f"{possible}; found {word!r:.80}", number, place)


def _check_faults(game: Game, record: Mapping[str, Json]) -> None:
    seen = set()
    for fault in record["faults"]:
        deal, move, seat = fault["deal"], fault["move"], fault["seat"]
        if not 0 <= deal < len(record["deals"]):
            raise Difference(f"faults: there is no deal {deal}")
        moves = record["deals"][deal]["moves"]
        if not 0 <= move < len(moves):
            raise Difference("faults: there is no such move", deal, move)
        if moves[move][0] != seat or seat >= game.seats:
            raise Difference(f"faults: expected seat {moves[move][0]}, found seat {seat}", deal, move)
        if (deal, move) in seen:
            raise Difference("faults: the move is listed twice", deal, move)
        seen.add((deal, move))


def _check_equal(what: str, found: Json, expected: Json, deal: int | None = None) -> None:
    if found != expected or not _same_types(found, expected):
        raise Difference(f"expected {what} {expected}, found {found!r:.120}", deal)


def _same_types(found: Json, expected: Json) -> bool:
    """Compare the types of equal values: `true` equals 1."""
    if isinstance(expected, list):
        return all(map(_same_types, found, expected))
    return type(found) is type(expected)
