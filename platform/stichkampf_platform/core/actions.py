"""Actions and files: what people can do with something and fetch of it is one row each.

Every face shows what it needs of them: the administration and the site make buttons, entries of lists and
links, the API addresses and their description, the command of the SDK its words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import OperationalError, connection

TRIES = 3
DEADLOCK = "40P01"
"""PostgreSQL's code of a transaction that it ended so that another could go on."""


@dataclass(frozen=True)
class Need:
    """A value that an action takes.

    :ivar kind: `bool`, `int`, `str`, `list` or `dict`; the administration asks for texts alone.
    :ivar label: in the language of the reader, where the name is none; `note` stands under its field.
    :ivar meaning: in English, for the API and the command.
    :ivar option: its word in the command, where that is not its name.
    :ivar default: that of all but a text, which is required, as is what has none.
    :ivar least: of a number, or of the entries of a list; so `most`, which is of the characters of a text.
    :ivar of: what each entry of a list is.
    """

    kind: type
    meaning: str
    default: Any = None
    least: int | None = None
    most: int | None = None
    choices: Sequence[tuple[str, Any]] = ()
    label: Any = None
    note: Any = ""
    option: str = ""
    of: Need | None = None


def always(_subject: Any) -> bool:
    return True


def never_refused(_subject: Any, _by: Any, **_given: Any) -> str:
    return ""


@dataclass(frozen=True)
class Action:
    """A row: what can be done with something of one kind.

    :ivar words: of its button, in the language of the reader, or a function of what it is on.
    :ivar done: the sentence that tells that it is done, with places for needs and what it is `on`, or makes
        it of the needs; the log has it in English.
    :ivar meaning: in English, for the API and the command.
    :ivar act: the service: takes what it is done to, who does it and the needs; may return another thing.
        Faces call `do`.
    :ivar useful: tells whether it does something now.
    :ivar operators: only superusers do it.
    :ivar needs: by name.
    :ivar refusal: returns why it is not possible, before anybody is asked to confirm it; empty if it is.
    :ivar question: returns what is lost for good by those that were chosen; empty if there is nothing to ask.
    :ivar confirmed_by: the need that says yes to it.
    :ivar title: of the question, and `yes` the button below it.
    :ivar undone_by: the name of the action that undoes it.
    :ivar adds: it makes another thing, which the API answers with 201.
    """

    words: Any
    done: Any
    meaning: str
    act: Callable[..., Any]
    useful: Callable[[Any], bool] = always
    operators: bool = False
    needs: Mapping[str, Need] = field(default_factory=dict)
    refusal: Callable[..., str] = never_refused
    question: Callable[[Collection[Any]], str] = lambda _chosen: ""
    confirmed_by: str = ""
    title: Any = ""
    yes: Any = ""
    undone_by: str = ""
    adds: bool = False

    def do(self, on: Any, by: Any, **given: Any) -> Any:
        """Do it, again where the database ended it so that another transaction could go on.

        :returns: what `act` does.
        """
        left = TRIES
        while True:
            left -= 1
            try:
                return self.act(on, by, **given)
            except OperationalError as error:
                ended = getattr(error.__cause__, "sqlstate", "") == DEADLOCK
                if not (ended and left) or connection.in_atomic_block:
                    raise

    def told(self, on: Any, **given: Any) -> str:
        """Return the sentence that tells that it is done."""
        sentence = self.done(**given) if callable(self.done) else self.done
        return str(sentence).format(on=on, **given)


@dataclass(frozen=True)
class Export:
    """A row: a file that is made of something.

    :ivar lines: yields its parts, texts or bytes.
    :ivar meaning: what it holds, in English, for documents and the command.
    :ivar words: of its link, in the language of the reader, where the name is none.
    :ivar address: in the API, where that is not its name.
    :ivar long: whether it may take minutes to send, so that only so many are sent at a time.
    """

    content_type: str
    lines: Callable[[Any], Iterable[str] | Iterable[bytes]]
    meaning: str
    words: Any = ""
    address: str = ""
    long: bool = False
