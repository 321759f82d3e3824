"""`stichkampf marks`: which decisions of a match cost something, and what would have come of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from stichkampf.analysis import (
    ANALYSIS_VERSION,
    Continuations,
    Mark,
    MatchAnalysis,
    analyse_match,
    continuations,
)
from stichkampf.cli.parser import UNUSABLE, add_command, positive
from stichkampf.cli.project.record_sources import read_record, short_name
from stichkampf.cli.server.listing import print_columns
from stichkampf.cli.terminal import ProgressBar
from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.plain_text import json_text

DESCRIPTION = """\
Tell which decisions of a recorded match cost something: an estimate by our search, with its 95% interval.

The cost is how many points of the deal another action brings more, above the mean of the table, in worlds
that agree with what the player knew. A decision is listed only where the interval excludes 0. The last column
is a second figure: the cost against the best action with all cards open.
"""
EPILOG = f"""\
RECORD is a file of records, with :N for its line N; or the address of a replay on a site, of a block that is
over. With compiled rules a match takes seconds, with interpreted ones minutes.

--from DECISION tells what would have come of it instead: the deal is played on from there by a house bot at
every seat, 100 times, from the cards that were dealt.

examples:
  stichkampf marks matches.jsonl:3
  stichkampf marks http://127.0.0.1:8000/r/499/ --bot karl --json
  stichkampf marks matches.jsonl:3 --from 17 --by glimpse
  stichkampf marks matches.jsonl:3 --from 17 --action "play R7"

exit status: 0 done, {UNUSABLE} no such record, seat, decision, action or bot
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "marks",
        "tell which decisions of a match cost something",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("record", metavar="RECORD", help="a file of records, or the address of a replay")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--seat", type=positive, metavar="N", help="only the decisions of this seat, from 1")
    whose.add_argument("--bot", default="", metavar="BOT", help="only the decisions of this bot, at any seat")
    parser.add_argument("--json", action="store_true", help="print JSON; seats and deals count from 0 there")
    parser.add_argument(
        "--from", dest="decision", type=positive, metavar="DECISION", help="play on from there instead"
    )
    parser.add_argument("--by", default="thumb", metavar="BOT", help="the house bot that plays on (thumb)")
    parser.add_argument("--action", default="", help="the action to begin with, if not the one chosen then")
    parser.add_argument(
        "--times", type=positive, default=100, metavar="N", help="how often to play on, at most 1000 (100)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    record = read_record(args.record)
    if args.decision:
        found = continuations(record, args.decision, args.by, action=args.action, number=args.times)
        print(json_text(found.to_json(), indent=None) if args.json else "\n".join(_told(found, args.by)))
        return 0
    seats = len(record["seats"])
    if args.seat and args.seat > seats:
        raise RecordError(f"the match has seats 1 to {seats}, not {args.seat}")
    chosen = [args.seat - 1] if args.seat else list(range(seats))
    analysis = _analysed(record, _seats_of(record, args.bot) if args.bot else chosen)
    if args.json:
        print(json_text(_as_json(record, analysis), indent=None))
    else:
        _list(record, analysis)
    return 0


def _seats_of(record: Json, bot: str) -> list[int]:
    """Return the seats of one bot.

    :raises RecordError: it has no seat; the message names the bots that have.
    """
    names = [str(seat["bot"]) for seat in record["seats"]]
    seats = [seat for seat, name in enumerate(names) if bot == name or short_name(bot) == short_name(name)]
    if not seats:
        raise RecordError(f"{bot!r} has no seat in this match; there play {', '.join(dict.fromkeys(names))}")
    return seats


def _analysed(record: Json, seats: Sequence[int]) -> MatchAnalysis:
    """Analyse the decisions of some seats."""
    found = []
    with ProgressBar(len(seats), "seats") as progress:
        for seat in seats:
            found.append(analyse_match(record, seat))
            progress.step()
    marks = sorted((mark for each in found for mark in each.marks), key=lambda mark: mark.decision)
    judged = zip(*(each.judged for each in found), strict=True)
    return MatchAnalysis(marks=tuple(marks), judged=tuple(map(sum, judged)))


def _as_json(record: Json, analysis: MatchAnalysis) -> dict[str, Json]:
    return {
        "game": record["game"],
        "analysis_version": ANALYSIS_VERSION,
        "bots": [seat["bot"] for seat in record["seats"]],
        "judged": list(analysis.judged),
        "marks": [mark.to_json() for mark in analysis.marks],
    }


def _list(record: Json, analysis: MatchAnalysis) -> None:
    """Print a line for each mark, the costliest first, and the numbers by seat."""
    costliest = sorted(analysis.marks, key=lambda mark: -mark.cost.points)
    if costliest:
        head = ("decision", "deal", "seat", "bot", "chosen", "better", "cost, 95%", "all cards open")
        print_columns(head, [_row(record, mark) for mark in costliest])
    for seat, judged in enumerate(analysis.judged):
        if judged:
            marks = sum(mark.seat == seat for mark in analysis.marks)
            bot = record["seats"][seat]["bot"]
            print(f"seat {seat + 1} ({bot}): {marks} of {judged} decisions with a choice cost something.")
    print("An estimate by our search: points of the deal above the mean of the table.")


def _row(record: Json, mark: Mark) -> tuple[object, ...]:
    cost = f"{mark.cost.points:.1f} ± {mark.cost.margin:.1f}"
    open_cost = f"{mark.open_better}: {mark.open_cost.points:.1f} ± {mark.open_cost.margin:.1f}"
    return (
        *(mark.decision, mark.deal + 1, mark.seat + 1, record["seats"][mark.seat]["bot"]),
        *(mark.chosen, mark.better, cost),
        "none better" if mark.open_better == mark.chosen else open_cost,
    )


def _told(found: Continuations, bot: str) -> list[str]:
    """Return the distribution of the scores, one a line, with a bar."""
    most = max(found.outcomes.values())
    return [
        f"{found.action!r}, then {bot} at every seat, {found.number} times. Seat {found.seat + 1} scores:",
        *(
            f"{score:>6}  {times:>4}  {'#' * round(40 * times / most)}".rstrip()
            for score, times in found.outcomes.items()
        ),
        f"mean {found.mean:.1f}",
    ]
