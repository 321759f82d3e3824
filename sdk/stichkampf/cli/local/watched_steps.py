"""The decisions of a recorded match as texts for a terminal, as one seat saw them or with all hands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stichkampf.engine.deal import Deal, Json
from stichkampf.engine.declaration import Fact
from stichkampf.engine.game import Game
from stichkampf.match.events import Event
from stichkampf.match.narrator import ALL_HANDS
from stichkampf.match.records import RecordedMove, steps
from stichkampf.match.table import Table
from stichkampf.match.wording import Wording

Told = tuple[str, str]
"""A line and its style for `terminal.coloured`, empty for none."""


class WatchedStep(NamedTuple):
    """A decision, told in lines.

    :ivar number: among all decisions of the match, from 1.
    """

    number: int
    lines: list[Told]


def watched_steps(record: Mapping[str, Json], seat: int | None) -> Iterator[WatchedStep]:
    """Tell each decision of a verified record: the table before it, the choice, and what followed.

    :param seat: the seat, from 0, as which to see the match; None for all hands.
    """
    names = [str(entry["bot"]) for entry in record["seats"]]
    table: Table | None = None
    for number, step in enumerate(steps(record), start=1):
        match, move = step.match, step.move
        if seat is not None and table is None:
            table = Table(match.game, seat, b"")
            table.follow(match.events(seat))
        deal = match.deal if table is None else table.deal
        title = f"Decision {number} · deal {len(match.played)} · {deal.phase()} · {_seat(move.seat)}"
        lines = [(title, "bold"), *_seats(deal, move.seat, names, seat), *_known(match.game, deal, seat)]
        shown = seat in (None, move.seat)
        if shown:
            lines += _choice(move, step.legal)
        told = len(match.log)
        step.play()
        events = match.events(ALL_HANDS if seat is None else seat, told)
        if table is not None:
            table.follow(events)
        own = Event("move", move.seat, move.word)
        lines += [line for event in events if not (shown and event == own) for line in _event(event)]
        yield WatchedStep(number, lines)


def _seats(deal: Deal, asked: int, names: list[str], seat: int | None) -> Iterator[Told]:
    width = max(map(len, names))
    for one, name in enumerate(names):
        mark = ">" if one == asked else " "
        shown = " ".join(deal.hand(one)) if seat in (None, one) else f"{deal.hand_size(one)} cards"
        yield f"{mark} {one + 1} {name.ljust(width)}  {shown}", ""


def _known(game: Game, deal: Deal, seat: int | None) -> Iterator[Told]:
    laid = deal.table()
    if laid:
        yield "  on the table: " + ", ".join(f"{_seat(at)} {card}" for at, card in laid), ""
    words = Wording(type(game), "en", _seat)
    yield from _facts(words, game.facts, deal.facts())
    if seat is not None:
        yield from _facts(words, game.secrets, deal.secrets(seat))


def _facts(words: Wording, declared: Mapping[str, Fact], known: Mapping[str, Json]) -> Iterator[Told]:
    for name, value in known.items():
        if value not in (None, [], {}):
            yield f"  {declared[name].meaning}: {words.fact(declared[name], value)}", "dim"


def _seat(number: int) -> str:
    return f"seat {number + 1}"


def _choice(move: RecordedMove, legal: list[str]) -> Iterator[Told]:
    """Tell what only the seat itself knows of its choice: the other actions, the note and the time."""
    if move.fault:
        yield f"  fault: {move.fault}; thumb moved in its place", "red"
    others = [word for word in legal if word != move.word]
    yield f"  choice: {move.word}" + (f" (or {', '.join(others)})" if others else ""), "green"
    if move.note:
        yield f"  note: {_note(move.note)}", ""
    if move.cost is not None:
        wall = f", {move.wall:.3f} s on the clock" if move.wall is not None else ""
        yield f"  cost: {move.cost:.3f} s{wall}", "dim"


def _note(note: Mapping[str, Json]) -> str:
    weights = ", ".join(f"{action} {weight:g}" for action, weight in note.get("weights", {}).items())
    return "  ".join(filter(None, [note.get("text", ""), f"({weights})" if weights else ""]))


def _event(event: Event) -> Iterator[Told]:
    """Tell an event after a choice; facts, phases and hands are told with the next decision."""
    match event.kind:
        case "move":
            yield f"  {_seat(event.seat)}: {event.text}", ""
        case "trick":
            cards = " ".join(event.cards)
            yield (
                f"  trick to {_seat(event.seat) if event.seat >= 0 else 'no seat'}: {cards}",
                "yellow",
            )
        case "score":
            totals = (event.facts or {}).get("totals", [])
            yield f"  score of the deal: {_numbers(event.numbers)}; so far {_numbers(totals)}", "bold"
        case "end":
            yield f"  ranks: {_numbers(event.numbers)}", "bold"


def _numbers(numbers: Json) -> str:
    return ", ".join(map(str, numbers))
