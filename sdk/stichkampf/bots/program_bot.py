"""Bots in any language: a program that reads questions, each a line of JSON, and writes answers.

To every line on its standard input the program writes one line to its standard output. It stays for many
matches, one after the other; question 1 begins a new one. `json_lines.schema.json` describes both lines, and
docs/json-lines.md explains them.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Final

from stichkampf.bots.bot import Bot, BotFailure, Note
from stichkampf.engine.deal import Json
from stichkampf.errors import BotError
from stichkampf.faults import FaultKind
from stichkampf.limits import MESSAGE_BYTES
from stichkampf.match.table import Table

LINES_VERSION: Final = 1
SCHEMA: Final = Path(__file__).with_name("json_lines.schema.json")
ANSWER_KEYS: Final = ("action", "note", "weights", "question")
END_SECONDS: Final = 1.0
SHOWN_CHARACTERS: Final = 80
FORM: Final = 'it must write one line such as {"action": "%s"} to standard output for every question'
FLUSH: Final = "a program must read line by line, and flush its standard output after each answer"
PYTHON_NAMES: Final = ("python", "python3")
"""Programs of these names are the Python that runs the SDK, wherever that is."""


def question_of(table: Table, number: int, told: int = 0) -> dict[str, Json]:
    """Return a question as the object of its line.

    :param number: counts the questions to this seat in this match, from 1.
    :param told: the length of the history that the program has been sent.

    >>> from stichkampf.testing import table_at
    >>> question = question_of(table_at("stiche-raten", 3, seed="docs", phase="tricks"), 2)
    >>> question["hand"], question["trick"], question["legal"]
    (['C8'], [], ['play C8'])
    """
    game = table.game
    return {
        "version": LINES_VERSION,
        "question": number,
        "game": game.name,
        "rules_version": game.rules_version,
        "options": dict(game.options),
        "seats": table.seats,
        "seat": table.seat,
        "seed": table.seed.hex(),
        "seconds": table.seconds,
        "clock": table.clock.to_json() if table.clock else None,
        "deal": table.deal_number,
        "dealer": table.dealer,
        "phase": table.phase,
        "hand": table.hand,
        "trick": [{"seat": seat, "card": card} for seat, card in table.trick],
        "facts": table.facts,
        "secrets": table.secrets,
        "totals": table.totals,
        "legal": table.legal,
        "events": [event.to_json() for event in table.history[told:]],
    }


def answer_of(line: str, number: int, legal: Sequence[str]) -> tuple[str, Note]:
    """Read the line of an answer.

    :param number: that of the question.
    :param legal: the legal actions, for messages; the match judges the answer itself.
    :raises BotFailure: it is no answer to this question.

    >>> answer_of('{"action": "bid 2", "note": "two aces"}', 1, ["bid 2"])
    ('bid 2', Note(text='two aces', weights={}))
    """
    form = FORM % (legal[0] if legal else "pass")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise _malformed(
            f"its answer is not JSON: {_shown(line)}; {form}, and everything else, such as"
            " debugging text, to standard error"
        ) from None
    if not isinstance(found, dict):
        raise _malformed(f"its answer is no JSON object: {_shown(line)}; {form}")
    unknown = next((key for key in found if key not in ANSWER_KEYS), None)
    if unknown is not None:
        possible = ", ".join(ANSWER_KEYS)
        raise _malformed(f"its answer has the unknown key {unknown!r}; possible are {possible}")
    action, text, weights = found.get("action"), found.get("note", ""), found.get("weights", {})
    if not isinstance(action, str):
        raise _malformed(f"its answer has no text as action: {_shown(line)}; {form}")
    if found.get("question", number) != number:
        raise _malformed(f"it answers question {found['question']!r:.20} when asked question {number}")
    if not isinstance(text, str):
        raise _malformed(f"the note of its answer must be a text, not {text!r:.40}")
    sound = isinstance(weights, dict) and all(_is_number(weight) for weight in weights.values())
    if not sound:
        raise _malformed(f"the weights of its answer must be an object of numbers, not {weights!r:.40}")
    return action, Note(text, weights)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _malformed(message: str) -> BotFailure:
    return BotFailure(FaultKind.MALFORMED, message)


def _shown(line: str) -> str:
    cut = line if len(line) <= SHOWN_CHARACTERS else line[:SHOWN_CHARACTERS] + "…"
    return repr(cut)


class AnsweringProgram:
    """A running program.

    :param command: the program and its arguments. A path is that of a file below `folder`.
    :param folder: where it runs.
    :ivar sound: it can be asked: it lives, and is not working on a question that was given up.
    :raises BotError: it cannot be started.
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.sound = True
        self._unsure = False
        self._kept = b""
        name, *arguments = command
        inside = folder.resolve() / name
        if name in PYTHON_NAMES:
            name = sys.executable
        elif "/" in name and inside.is_file():
            name = str(inside)
        try:
            # A group of its own: Ctrl-C is for the command, which lets matches end.
            self._process = subprocess.Popen(
                [name, *arguments],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                process_group=None if sys.platform == "win32" else 0,
            )
        except OSError as error:
            raise BotError(f"{command[0]!r} does not start: {_start_problem(error)}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        _running.add(self)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, question: str, seconds: float | None = None) -> str:
        """Send a line and return the next one, both without the end of the line.

        :param seconds: wait no longer, None for as long as it takes.
        :raises BotFailure: it has written something before it was asked, has ended, its line is too long, or
            it does not come in time.
        """
        stray = self._unasked()
        if stray:
            raise _malformed(
                f"it wrote {_shown(stray)} to standard output when nothing was asked; it must write one line"
                " for every question there, and everything else to standard error"
            )
        self.sound = False
        try:
            self._input.write(question.encode() + b"\n")
        except OSError:
            raise self._ended() from None
        line = self._read_answer(seconds)
        self.sound = True
        return line

    def distrust(self) -> None:
        """Discard its output up to the next question: its last answer was not usable."""
        self._unsure = True

    def end(self, seconds: float = END_SECONDS) -> None:
        """End it: close its standard input, and kill it if it has not ended after this time."""
        self.sound = False
        _running.discard(self)
        with suppress(OSError):
            self._input.close()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def _unasked(self) -> str:
        """Return what it wrote without a question, and forget it; empty where that is to be left out."""
        while self._is_readable(0):
            part = os.read(self._output.fileno(), MESSAGE_BYTES)
            if not part:
                break
            self._kept = (self._kept + part)[:MESSAGE_BYTES]
        found, self._kept = self._kept, b""
        unsure, self._unsure = self._unsure, False
        return "" if unsure else found.decode("utf-8", "replace").strip()

    def _is_readable(self, seconds: float) -> bool:
        """Wait until something can be read. Windows cannot tell: there only what was read with an answer is
        found before the next question, and nothing ends the wait for an answer.
        """
        if sys.platform == "win32":
            return seconds > 0
        return bool(select.select([self._output], [], [], seconds)[0])

    def _read_answer(self, seconds: float | None) -> str:
        end = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self._kept:
            if end is not None and not self._is_readable(max(0.0, end - time.monotonic())):
                message = f"timeout: it did not answer within {seconds:g} s; {FLUSH}"
                raise BotFailure(FaultKind.TIMEOUT, message)
            if len(self._kept) > MESSAGE_BYTES:
                raise _malformed(f"its answer has more than {MESSAGE_BYTES:,} bytes without an end of line")
            part = os.read(self._output.fileno(), MESSAGE_BYTES)
            if not part:
                raise self._ended()
            self._kept += part
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    def _ended(self) -> BotFailure:
        self.sound = False
        try:
            status = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            how = "has closed its standard input or output"
        else:
            how = (
                f"has ended with exit status {status}" if status >= 0 else f"was ended by {_signal(-status)}"
            )
        return BotFailure(
            FaultKind.CRASHED,
            f"the program {how} instead of answering; standard error may say why",
        )


_running: set[AnsweringProgram] = set()


def end_programs(seconds: float = END_SECONDS) -> None:
    """End all programs of this process, each after this time at the latest."""
    for program in list(_running):
        program.end(seconds)


atexit.register(end_programs)


def _start_problem(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return (
            "it, or the program that its first line names, is not there. On the server, ask in"
            " stichkampf.toml for the part that holds it, such as parts = ['perl']"
        )
    if isinstance(error, PermissionError):
        return "it may not be executed; chmod +x allows it"
    return f"{error.strerror}; is it a program, or a script whose first line begins with #!?"


def _signal(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


class ProgramBot(Bot):
    """A bot that asks a program. Use `program_bot`, which makes a class for a program.

    :raises BotFailure: the program cannot be started.

    :cvar command: the program and its arguments.
    :cvar folder: where it runs.
    :cvar idle: programs that have no match.
    :cvar patience: seconds to wait for an answer where no clock ends the wait; None for no end.
    """

    command: ClassVar[Sequence[str]] = ()
    folder: ClassVar[Path] = Path()
    idle: ClassVar[list[AnsweringProgram]] = []
    patience: ClassVar[float | None] = None

    def __init__(self) -> None:
        try:
            self.program = self._take()
        except BotError as error:
            raise BotFailure(FaultKind.CRASHED, str(error)) from None
        self._asked = 0
        self._told = 0
        weakref.finalize(self, _give_back, self.program, self.idle)

    @classmethod
    def prepare(cls) -> None:
        """Start a program for the first match.

        :raises BotError: it cannot be started.
        """
        cls.idle.append(AnsweringProgram(cls.command, cls.folder))

    @classmethod
    def _take(cls) -> AnsweringProgram:
        while cls.idle:
            program = cls.idle.pop()
            if program.is_alive():
                return program
            program.end()
        return AnsweringProgram(cls.command, cls.folder)

    def choose(self, table: Table) -> tuple[str, Note]:
        """Ask the program.

        :raises BotFailure: it gives no answer.
        """
        self._asked += 1
        question = json.dumps(question_of(table, self._asked, self._told), separators=(",", ":"))
        try:
            line = self.exchange(question)
            self._told = len(table.history)
            return answer_of(line, self._asked, table.legal)
        except BotFailure as failure:
            if failure.kind is FaultKind.MALFORMED:
                self.program.distrust()
            raise

    def exchange(self, question: str) -> str:
        """Send the line of a question and return that of the answer.

        :raises BotFailure: as `AnsweringProgram.ask`.
        """
        return self.program.ask(question, self.patience)


def _give_back(program: AnsweringProgram, idle: list[AnsweringProgram]) -> None:
    """Keep the program of a match that is over for the next one, if it can be asked."""
    if program.sound and program.is_alive():
        idle.append(program)
    else:
        program.end(0)


def program_bot(
    command: Sequence[str],
    folder: Path = Path(),
    games: Sequence[str] = (),
    *,
    base: type[ProgramBot] = ProgramBot,
) -> type[ProgramBot]:
    """Make the class of a bot that asks a program.

    :param command: the program and its arguments.
    :param folder: where it runs.
    :param games: those that it plays; empty for every game.
    :param base: the class to derive from.

    >>> first = "import sys,json\\nfor line in sys.stdin:\\n  " \\
    ...     "print(json.dumps({'action': json.loads(line)['legal'][0]}), flush=True)"
    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import Entrant, entrant, play_match
    >>> seats = [Entrant("first", program_bot(["python", "-c", first])), entrant("thumb"), entrant("random")]
    >>> play_match(new_game("stiche-raten", 3, {"length": "deals:1"}), seats, bytes(32)).failures
    []
    """
    fields = {"command": tuple(command), "folder": folder, "games": tuple(games), "idle": []}
    return type(base.__name__, (base,), fields)
