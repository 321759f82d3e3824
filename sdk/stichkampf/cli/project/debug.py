"""`stichkampf debug`: put a decision of a recorded match to a bot again, in a debugger."""

from __future__ import annotations

import argparse
import bdb
import os
import pdb  # noqa: T100 - this is what the command is for
import re
import sys
from collections.abc import Callable, Coroutine
from inspect import iscoroutine, unwrap
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final
from urllib.parse import urlsplit

from stichkampf.bots.bot import Bot, ask, awaited, traceback_of
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.project.decision_test import write_test
from stichkampf.cli.project.record_sources import decision_of_address, read_record, short_name
from stichkampf.cli.streams import raw_output
from stichkampf.engine.deal import Json
from stichkampf.errors import BotError, RecordError
from stichkampf.local_play.programs import LocalProgram, local_program
from stichkampf.local_play.repeated_decisions import AskedAgain, Comparison, questions, stand_at
from stichkampf.match.records import decisions_of
from stichkampf.match.table import Table
from stichkampf.match.verify import seed_of

CRASHED: Final = 1
SHOWN: Final = 12
OURS: Final = "pdb.set_trace"

DESCRIPTION = """\
Put a decision of a recorded match to a bot again and stop in a debugger before it answers.

The bot gets the very same question: the same events, the same legal actions, and table.rng in the same state,
because its earlier decisions of the match are put to it first. Only state from other matches is missing.
"""
EPILOG = f"""\
RECORD is a file of records, with :N for its line N; or the address of a replay on a site, of a block that is
over. DECISION is its number among all decisions of the match, from 1. An address of a replay that ends in it,
as the pages and `stichkampf faults` show, needs no other.

It stops in the first line of the bot's `choose`, async or not. PYTHONBREAKPOINT names another debugger, which
stops before it. Debuggers of editors stop at their own breakpoints in the bot's file. Without a terminal
nothing stops; the answer is printed.

examples:
  stichkampf debug matches.jsonl 8 bot.py
  stichkampf debug matches.jsonl:3 8 karl --fresh      # without its earlier decisions
  stichkampf debug http://127.0.0.1:8000/r/499/8 karl
  stichkampf debug matches.jsonl 8 karl --test         # write karl/test_matches_8.py

exit status: 0 the bot answered, {CRASHED} it crashed or its answer is not legal, 2 no such record or decision
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "debug",
        "stop in a debugger in a decision of a recorded match",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("record", metavar="RECORD", help="a file of records, or the address of a replay")
    parser.add_argument(
        "decision",
        metavar="DECISION",
        type=positive,
        nargs="?",
        help="which decision, from 1, unless the address ends in it",
    )
    parser.add_argument("bot", metavar="BOT", help="a house bot, Python file, folder or archive")
    parser.add_argument("--fresh", action="store_true", help="do not put its earlier decisions to the bot")
    parser.add_argument(
        "--test", action="store_true", help="write the decision as a test beside the bot, and do not stop"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    program = local_program(args.bot)
    record = read_record(args.record)
    decision = _decision(args, record)
    question = questions(record, decision)[-1]
    check_seat(record, question, program)
    if args.test:
        for file in write_test(record, question, program, Path(args.bot), _stem(args.record)):
            print(f"wrote {file}")
        return 0
    bot, table, comparison = stand_at(record, decision, program.load(), fresh=args.fresh)
    print("\n".join(_situation(record, question, table, comparison, args.fresh)))
    return _ask(bot, table, question)


def _decision(args: argparse.Namespace, record: Json) -> int:
    """Return the decision that the arguments or the address name.

    :raises RecordError: neither names one, or they name two.
    """
    named = decision_of_address(args.record)
    if named and args.decision and named != args.decision:
        raise RecordError(
            f"the address names decision {named}, and DECISION is {args.decision}: leave one of them out"
        )
    decision: int | None = args.decision or named
    if decision is None:
        raise RecordError(
            "say which decision: its number among all of the match, from 1, such as"
            f" stichkampf debug {args.record} 8 {args.bot}"
        )
    return decision


def check_seat(record: Json, question: AskedAgain, program: LocalProgram) -> None:
    """Refuse a decision of another bot where the record names this one at other seats.

    :raises BotError: naming the decisions that are this bot's.
    """
    names = [str(seat["bot"]) for seat in record["seats"]]
    own = [seat for seat, name in enumerate(names) if short_name(name) == short_name(program.name)]
    if own and question.seat not in own:
        numbers = sorted(number for seat in own for number in decisions_of(record, seat))
        listed = ", ".join(map(str, numbers[:SHOWN])) + ", …" * (len(numbers) > SHOWN)
        raise BotError(
            f"decision {question.number} is {names[question.seat]}'s, not {program.name}'s; its decisions are"
            f" {listed}"
        )


def _stem(source: str) -> str:
    named = urlsplit(source).path if "://" in source else source
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"\.jsonl?\b", "", Path(named.rstrip("/")).name))
    return "_".join(words).lower() or "record"


def _situation(
    record: Json, question: AskedAgain, table: Table, comparison: Comparison, fresh: bool
) -> list[str]:
    """Tell where the bot stands, and what is not as it was in the match."""
    lines = [str(table), ""]
    name, move = record["seats"][question.seat]["bot"], question.move
    made = (
        f"thumb played {move.word!r} after its fault, {move.fault}"
        if move.fault
        else f"it chose {move.word!r}"
    )
    lines.append(
        f"decision {question.number}, {name} on seat {question.seat} (from 0, as above and in the record):"
        f" in the match {made}."
    )
    if fresh:
        lines.append("Its earlier decisions are left out; table.rng is as at the beginning of the match.")
    elif comparison.otherwise:
        numbers = ", ".join(map(str, comparison.otherwise[:SHOWN]))
        lines.append(
            f"It now decides otherwise than in the record {len(comparison.otherwise)} times of"
            f" {comparison.answered} before ({numbers}): it is another bot, or draws from elsewhere."
        )
    if not seed_of(record):
        lines.append("The record names no seed of ours: table.rng is not that of the match.")
    lines.append("State that the bot kept from other matches is missing.")
    return lines


def _ask(bot: Bot, table: Table, question: AskedAgain) -> int:
    stops = sys.stdin.isatty() or bool(os.environ.get("PYTHONBREAKPOINT"))
    try:
        answer = _choose(bot, table) if stops else ask(bot, table)
    except bdb.BdbQuit:
        return 0
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code of an author may raise anything
        print(traceback_of(error), file=sys.stderr)
        return CRASHED
    word = answer[0] if isinstance(answer, tuple) and answer else answer
    print(f"answer: {answer!r}")
    if word not in question.legal:
        print(f"not legal; possible: {', '.join(question.legal)}")
        return CRASHED
    return 0


def _choose(bot: Bot, table: Table) -> Any:
    """Stop in the first line of the bot's method, decorated and async ones too; other debuggers before it."""
    code = getattr(unwrap(bot.choose), "__code__", None)
    with raw_output():
        if code is None or os.environ.get("PYTHONBREAKPOINT", OURS) != OURS:
            breakpoint()  # noqa: T100 - this is what the command is for
            return awaited(bot.choose(table))
        stop = _stop_in(code)
        sys.settrace(stop)
        try:
            answer = bot.choose(table)
        finally:
            sys.settrace(None)
        return awaited(_traced(answer, stop)) if iscoroutine(answer) else answer


def _stop_in(code: CodeType) -> Callable[[FrameType, str, Any], Any]:
    """Return a trace function that wakes a debugger where this code begins."""
    debugger = pdb.Pdb()
    debugger.reset()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is not code:
            return None
        sys.settrace(debugger.trace_dispatch)
        return debugger.trace_dispatch(frame, event, argument)

    return trace


async def _traced(answer: Coroutine[Any, Any, Any], trace: Callable[[FrameType, str, Any], Any]) -> Any:
    """Wait for an answer in the thread of async bots, with a trace function there."""
    sys.settrace(trace)
    try:
        return await answer
    finally:
        sys.settrace(None)
