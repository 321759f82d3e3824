"""Results from match records.

Records with equal game, options, number of seats and first deal form a block, and a hand is a seat of it.
Deals are equal where chance dealt the same (`Game.chance_fields`): all else in a deal follows from its moves.
An entrant is a bot's name and version ("house/thumb v3"): every version is one of its own.

In At Sixes and Sevens two seats are one side, so a pair of bots makes one comparison a block. The same
seating of a deal is rated once, however often its record stands in the file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stichkampf.engine.deal import Json
from stichkampf.errors import OptionError, RecordError, SeatsError, UnknownGame
from stichkampf.faults import forfeits
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import FORMAT
from stichkampf.match.records import read
from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.errors import RatingError, refuse
from stichkampf.rating.results import Results


@dataclass(frozen=True)
class _Played:
    """The parts of one record that are rated; `ladder` is game, options and number of seats, `deal` the first
    deal, both as text.
    """

    line: int
    game: str
    ladder: str
    deal: str
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    forfeits: tuple[bool, ...]


def entrant_name(bot: str, version: Json = None) -> str:
    """Return the name of an entrant: the bot's name, and its version where it has one.

    >>> entrant_name("ann/karl", 3)
    'ann/karl v3'
    """
    return bot if version is None else f"{bot} v{version}"


def comparisons_of_records(lines: Iterable[bytes]) -> tuple[Comparisons, tuple[str, ...]]:
    """Read match records, a JSON array or JSON lines: their comparisons, and remarks that a reader should
    see.

    :raises RatingError: naming malformed records with their line; and when the file compares bots in more
        than one game.
    """
    played, complaints = [], []
    for line, document in read(lines):
        try:
            played.append(_played(line, document))
        except (RecordError, RatingError) as error:
            complaints.append(f"line {line}: {error}")
    rated, repeated, contradictions = _each_seating_once(played)
    refuse(complaints + contradictions)
    if not rated:
        raise RatingError("the file holds no match record")
    results = Results.from_rows(_rows(rated))
    comparisons = compare(results)
    ladders = {comparisons.blocks[block][0] for block in np.unique(comparisons.block)}
    games = sorted({match.game for match in rated if match.ladder in ladders})
    if len(games) > 1:
        raise RatingError(
            f"the file compares bots in several games ({', '.join(games)}); rate one game at a time"
        )
    if all(name in GAMES and GAMES[name].partners for name in games):
        comparisons = compare(results, partners=True)
    remarks = []
    if repeated:
        remarks.append(f"{repeated} records repeat a seating of the same deal; each seating is rated once")
    if len(ladders) > 1:
        remarks.append(
            f"{len(ladders)} option sets or numbers of seats are rated together; each is a ladder of its own"
        )
    return comparisons, tuple(remarks)


def _played(line: int, record: Json) -> _Played:
    if isinstance(record, RecordError):
        raise record
    _need(isinstance(record, dict), "a match record is a JSON object")
    _need(
        record.get("format", FORMAT) == FORMAT,
        f'"format" must be "{FORMAT}", not {record.get("format")!r:.60}',
    )
    game, options, seats = (record.get(name) for name in ("game", "options", "seats"))
    _need(isinstance(game, str) and game, '"game" must be the name of a game')
    _need(isinstance(options, dict), '"options" must be an object')
    _need(isinstance(seats, list) and len(seats) > 1, '"seats" must be a list of two or more seats')
    bots = tuple(_bot(seat, entry) for seat, entry in enumerate(seats))
    scores = record.get("scores")
    _need(
        isinstance(scores, list)
        and len(scores) == len(seats)
        and all(type(score) is int for score in scores),
        f'"scores" must be {len(seats)} whole numbers',
    )
    deals = record.get("deals")
    _need(
        isinstance(deals, list) and deals and isinstance(deals[0], dict),
        '"deals" must be a list of one deal or more',
    )
    return _Played(
        line=line,
        game=game,
        ladder=_canonical([game, options, len(seats)]),
        deal=_first_deal(deals[0], _chance_fields(game, len(seats), options)),
        bots=bots,
        scores=tuple(scores),
        forfeits=_forfeits(record.get("faults", []), len(seats), deals),
    )


def _bot(seat: int, entry: Json) -> str:
    bot: Json = entry.get("bot") if isinstance(entry, dict) else None
    _need(
        isinstance(bot, str) and bot.strip() and bot.isprintable(),
        f'seats[{seat}]: "bot" must be the name of a bot',
    )
    version = entry.get("version")
    _need(
        version is None
        or type(version) is int
        or (isinstance(version, str) and version and version.isprintable()),
        f'seats[{seat}]: "version" must be a whole number or a text',
    )
    return entrant_name(bot.strip(), version)


def _chance_fields(game: str, seats: int, options: dict[str, Json]) -> frozenset[str]:
    """Return the fields of a deal that chance draws; for rules that are not known here the hands."""
    try:
        return new_game(game, seats, options).chance_fields()
    except (UnknownGame, SeatsError, OptionError):
        return frozenset({"hands"})


def _first_deal(deal: dict[str, Json], fields: frozenset[str]) -> str:
    """Return all that chance gave to a deal, as text: equal texts, equal deals."""
    drawn = sorted(fields & deal.keys())
    _need(drawn, "the first deal must have " + " and ".join(f'"{name}"' for name in sorted(fields)))
    _need("dealer" in deal, 'the first deal must have a "dealer"')
    chance = {name: deal[name] for name in ("dealer", *drawn)}
    if "hands" in chance:
        hands = chance["hands"]
        _need(
            isinstance(hands, list) and all(_is_hand(hand) for hand in hands),
            '"hands" must be lists of cards, by seat',
        )
        chance["hands"] = [sorted(hand) for hand in hands]
    return _canonical(chance)


def _is_hand(hand: Json) -> bool:
    return isinstance(hand, list) and all(isinstance(card, str) for card in hand)


def _forfeits(faults: Json, seats: int, deals: Json) -> tuple[bool, ...]:
    _need(
        isinstance(faults, list)
        and all(isinstance(fault, dict) and type(fault.get("seat")) is int for fault in faults),
        '"faults" must be a list of objects with a seat',
    )
    kinds: dict[int, list[str]] = {seat: [] for seat in range(seats)}
    for fault in faults:
        _need(fault["seat"] in kinds, f'"faults": the seats are 0 to {seats - 1}')
        kinds[fault["seat"]].append(fault.get("kind"))
    moves = [move for deal in deals if isinstance(deal, dict) for move in deal.get("moves") or []]
    decisions = Counter(move[0] for move in moves if isinstance(move, list) and move)
    return tuple(forfeits(kinds[seat], decisions[seat]) for seat in range(seats))


def _need(holds: Any, message: str) -> None:
    if not holds:
        raise RatingError(message)


def _canonical(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _each_seating_once(played: Iterable[_Played]) -> tuple[list[_Played], int, list[str]]:
    """Return the records without repetitions, the number left out, and complaints about repetitions with
    another outcome.
    """
    first: dict[tuple[str, str, tuple[str, ...]], _Played] = {}
    repeated, complaints = 0, []
    for match in played:
        known = first.setdefault((match.ladder, match.deal, match.bots), match)
        if known is match:
            continue
        repeated += 1
        if (known.scores, known.forfeits) != (match.scores, match.forfeits):
            complaints.append(
                f"line {match.line}: the same deal and seating as line {known.line}, but other scores; "
                "a seating is rated once"
            )
    return list(first.values()), repeated, complaints


def _rows(played: list[_Played]) -> list[tuple[Any, ...]]:
    return [
        ((match.ladder, match.deal), seat, bot, match.scores[seat], table, match.forfeits[seat])
        for table, match in enumerate(played)
        for seat, bot in enumerate(match.bots)
    ]
