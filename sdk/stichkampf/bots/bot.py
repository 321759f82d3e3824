"""A bot, as its author writes it.

    from stichkampf import Bot

    class Mine(Bot):
        def choose(self, table):
            return table.legal[0]

Save it as mine.py and try it: `stichkampf play stiche-raten mine.py thumb random`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from stichkampf.engine.deal import Json
from stichkampf.errors import BotError, StichkampfError
from stichkampf.faults import FaultKind
from stichkampf.match.match import WORD_LENGTH
from stichkampf.match.table import Table
from stichkampf.values import Value

if TYPE_CHECKING:
    from pathlib import Path

NOTE_CHARACTERS = 200
NOTE_WEIGHTS = 100


class Note(Value, kw_only=False):
    """The thoughts of a bot on one decision, kept with the record for the replay and shown to no other bot.

    :ivar text: at most 200 characters; a longer text is cut.
    :ivar weights: the bot's opinion of actions; any finite numbers, greater is better.

    >>> print(Note("long suit", {"play R6": 0.7, "play R2": 0.25}))
    long suit (play R6: 0.7, play R2: 0.25)
    """

    text: str = ""
    weights: dict[str, float] = {}  # noqa: RUF012 - every note has a copy

    def __str__(self) -> str:
        weights = ", ".join(f"{action}: {weight:g}" for action, weight in self.weights.items())
        return " ".join(filter(None, [self.text, f"({weights})" if weights else ""]))

    def to_json(self) -> dict[str, Json]:
        """Return the note as it goes into the record."""
        fields: dict[str, Json] = {"text": self.text[:NOTE_CHARACTERS]} if self.text else {}
        return fields | ({"weights": self.weights} if self.weights else {})


Choice = str | tuple[str, Note | str]
"""An action, alone or with a note."""


class Bot(ABC):
    """A player. One instance plays one seat of one match, so it may keep anything on itself.

    :cvar games: the names of the games that it plays; empty for every game.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import Entrant, entrant, play_match
    >>> class First(Bot):
    ...     def choose(self, table):
    ...         return table.legal[0]
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> played = play_match(game, [Entrant("first", First), entrant("thumb"), entrant("random")], bytes(32))
    >>> played.failures
    []
    """

    games: ClassVar[Iterable[str]] = ()

    @abstractmethod
    def choose(self, table: Table) -> Choice | Coroutine[Any, Any, Choice]:
        """Return one of `table.legal`, alone or with a note.

        `return action` or `return action, Note("long suit", {"play R6": 0.7})`.
        Also asked where there is only one legal action.

        It may be an `async def`, for a bot that waits for answers from elsewhere. All async bots of a process
        share one event loop, so that `stichkampf connect` plays at several tables while they wait.
        """


class BotFailure(StichkampfError):
    """A bot that does not start or has no usable answer.

    :ivar kind: crashed or malformed; timeout of a program that has no clock.
    """

    def __init__(self, kind: FaultKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def start(make: Callable[[], Bot]) -> Bot:
    """Make a new instance of a bot.

    :raises BotFailure: its constructor raised an error.

    >>> from stichkampf.bots.registry import house_bot
    >>> start(house_bot("thumb")).name
    'thumb'
    """
    try:
        return make()
    except BotFailure:
        raise
    except (Exception, SystemExit) as error:
        raise BotFailure(FaultKind.CRASHED, last_line(error)) from error


def ask(bot: Bot, table: Table) -> Choice:
    """Ask a bot for a decision, unchecked, and wait for the answer of an async one.

    >>> from stichkampf.bots.registry import house_bot
    >>> from stichkampf.testing import table_at
    >>> ask(house_bot("timid")(), table_at("stiche-raten", 3))
    'bid 0'
    """
    return awaited(bot.choose(table))


def awaited(answer: Choice | Coroutine[Any, Any, Choice]) -> Choice:
    """Wait for what `Bot.choose` has returned, where it is an async method.

    >>> awaited("bid 1")
    'bid 1'
    """
    if not isinstance(answer, Coroutine):
        return answer
    # loads asyncio, which few bots need
    from stichkampf.bots.event_loop import LOOP

    return LOOP.finish(answer)


def decide(bot: Bot, table: Table) -> tuple[str, Note | None]:
    """Ask a bot for a decision. The match judges whether it is legal.

    :raises BotFailure: the bot raised an error (this one, if it speaks for a program that failed), or
        returned anything but a text or a text and a note.

    >>> class Silent(Bot):
    ...     def choose(self, table):
    ...         return None
    >>> try:
    ...     decide(Silent(), table=None)
    ... except BotFailure as failure:
    ...     print(failure.kind, failure)
    malformed choose() must return an action or (action, Note), not None
    """
    try:
        answer = ask(bot, table)
    except BotFailure:
        raise
    except (
        Exception,
        SystemExit,
    ) as error:  # the code of strangers may raise anything
        raise BotFailure(FaultKind.CRASHED, last_line(error)) from error
    word, note = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
    if isinstance(note, str):
        note = Note(note)
    if not isinstance(word, str) or not (note is None or _is_sound(note)):
        message = f"choose() must return an action or (action, Note), not {answer!r:.80}"
        raise BotFailure(FaultKind.MALFORMED, message)
    if note is not None:
        weights = {_sendable(action, WORD_LENGTH): weight for action, weight in note.weights.items()}
        note = Note(_sendable(note.text, NOTE_CHARACTERS), weights)
    return _sendable(word, WORD_LENGTH + 1), note


def _sendable(text: str, most: int) -> str:
    """Return a text as messages hold it, so that the same is judged at home and on a server."""
    return text[:most].encode("utf-8", "replace").decode()


def _is_sound(note: object) -> bool:
    return (
        isinstance(note, Note)
        and isinstance(note.text, str)
        and isinstance(note.weights, dict)
        and all(isinstance(action, str) for action in note.weights)
        and all(isinstance(weight, int | float) and abs(weight) < 1e300 for weight in note.weights.values())
    )


def last_line(error: BaseException) -> str:
    """Describe an error of a bot, in one line, with the file and line of its code that raised it.

    >>> last_line(ValueError("no\\ncards"))
    'ValueError: no cards'
    """
    # loads the tokenizer, which only failures need
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}: " if frames else ""
    return where + " ".join(traceback.format_exception_only(error)[-1].split())


def traceback_of(error: BaseException | None) -> str:
    """Format an error of a bot from the bot's own first frame on; empty for none.

    >>> traceback_of(ValueError("no cards"))
    'ValueError: no cards'
    """
    if error is None:
        return ""
    # as above
    import traceback

    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None and _is_own(trace.tb_frame):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace)).rstrip()


def failure_text(failure: BotFailure, table: Table, *, first: bool) -> str:
    """Write what a bot's log shows of its failure at a table: a line, below the traceback of the first.

    >>> from stichkampf.games import new_game
    >>> table = Table(new_game("mue", 4), 1, bytes(32))
    >>> failure_text(BotFailure(FaultKind.CRASHED, "no cards"), table, first=True)
    'mue, seat 2: no cards'
    """
    trace = traceback_of(failure.__cause__) if first else ""
    line = f"{table.game.name}, seat {table.seat + 1}: {failure}"
    return f"{trace}\n{line}" if trace else line


def _is_own(frame: FrameType) -> bool:
    """Tell whether code of this library runs in a frame, such as that which asks the bot."""
    return str(frame.f_globals.get("__name__")).startswith("stichkampf.")


def load_bot(path: str | Path, class_name: str = "") -> type[Bot]:
    """Load the bot that a Python file defines.

    Classes that it imports count where it has none; abstract ones, and those of this package, never do.

    :param class_name: the name of the class, where the file has several.
    :raises BotError: no such file, the file does not load, or it does not have just one bot.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "mine.py")
    >>> lines = ["import stichkampf", "class Mine(stichkampf.Bot):", "    choose = lambda self, _: 'keep'"]
    >>> _ = file.write_text("\\n".join(lines))
    >>> load_bot(file).__name__
    'Mine'
    """
    if not os.path.isfile(path):
        raise BotError(f"there is no file {path}")
    module = _load_module(path)
    if class_name:
        named = getattr(module, class_name, None)
        if not _is_bot(named):
            raise BotError(f"{path} defines no class {class_name}(Bot)")
        found = [named]
    else:
        bots = list(dict.fromkeys(thing for thing in vars(module).values() if _is_bot(thing)))
        own = [bot for bot in bots if bot.__module__ == module.__name__]
        found = _playable(own) or _playable(bots) or own[:1]
    if not found:
        raise BotError(f"{path} defines no subclass of stichkampf.Bot")
    if len(found) > 1:
        names = ", ".join(bot.__name__ for bot in found)
        raise BotError(
            f"{path} defines {len(found)} bots ({names}); it must be one, or stichkampf.toml names one:"
            f' class = "{found[-1].__name__}"'
        )
    (bot,) = found
    if missing := sorted(bot.__abstractmethods__):
        methods = " and ".join(f"{name}(self, table)" if name == "choose" else name for name in missing)
        raise BotError(f"{path}: {bot.__name__} has no method {methods}")
    return bot


def _is_bot(thing: object) -> TypeGuard[type[Bot]]:
    """Tell whether a thing of a module is a class of bots that is not of this package."""
    is_bot = isinstance(thing, type) and issubclass(thing, Bot)
    return is_bot and not f"{thing.__module__}.".startswith("stichkampf.")


def _playable(bots: Iterable[type[Bot]]) -> list[type[Bot]]:
    return [bot for bot in bots if not bot.__abstractmethods__]


def load_program(
    entry: str | Path, class_name: str = "", values: Iterable[tuple[str, float]] = ()
) -> type[Bot]:
    """Load the bot of a file that may import the files beside it.

    :param values: what attributes of its class are set to, by name.
    :raises BotError: as for `load_bot` and `with_values`.

    >>> try:
    ...     load_program("missing.py")
    ... except BotError as error:
    ...     print(error)
    there is no file missing.py
    """
    # As for any Python program, its own folder comes first.
    sys.path.insert(0, os.path.dirname(os.path.realpath(entry)))
    return with_values(load_bot(entry, class_name), values)


def with_values(bot: type[Bot], values: Iterable[tuple[str, float]]) -> type[Bot]:
    """Return a bot with other numbers; those that are whole in its class stay whole.

    :param values: what attributes of its class are set to, by name.
    :raises BotError: the class has no such attribute, or none that is a number.

    >>> class Mine(Bot):
    ...     margin = 3.0
    ...     choose = lambda self, table: table.legal[0]
    >>> with_values(Mine, [("margin", 2.5)]).margin
    2.5
    """
    numbers: dict[str, float] = {}
    for name, value in values:
        now = getattr(bot, name, None)
        if isinstance(now, bool) or not isinstance(now, int | float):
            raise BotError(
                f"{bot.__name__} has no number {name}, as class {bot.__name__}(Bot): {name} = {value:g}"
            )
        numbers[name] = round(value) if isinstance(now, int) else value
    return type(bot.__name__, (bot,), numbers | {"__module__": bot.__module__}) if numbers else bot


def _load_module(path: str | Path) -> ModuleType:
    stem = os.path.splitext(os.path.basename(path))[0]
    name = f"stichkampf_bot_{stem}_{len(sys.modules)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BotError(f"{path} is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look a class's module up here
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        del sys.modules[name]
        raise BotError(f"{path}, line {error.lineno}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise BotError(f"{path} does not load: {last_line(error)}") from error
    return module
