"""The question to a language model: the rules, the table as its seat sees it, and numbered choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from stichkampf.lab.language_model.endpoint import Message
from stichkampf.match.table import Table
from stichkampf.rulebook.text import rules_text

_INSTRUCTION: Final = """\
You play a card game against other players and want to score as many points as you can. The rules follow. \
Each message shows the table as you see it, and your choices, numbered. Think if you like, but end your \
answer with a line that holds the number of your choice and nothing else."""
_AGAIN: Final = "Answer with one number from 1 to {choices} and nothing else: the number of your choice."


def conversation(table: Table) -> list[Message]:
    """Return the messages that ask for a decision."""
    rules = rules_text(table.game.name)
    return [
        {"role": "system", "content": f"{_INSTRUCTION}\n\n{rules}"},
        {"role": "user", "content": f"{table.describe()}\n\nYour choices:\n{numbered(table.legal)}"},
    ]


def asked_again(messages: Sequence[Message], said: str, choices: int) -> list[Message]:
    """Return the messages that ask for the number after an answer in which none was found."""
    return [
        *messages,
        {"role": "assistant", "content": said or "(nothing)"},
        {"role": "user", "content": _AGAIN.format(choices=choices)},
    ]


def numbered(actions: Sequence[str]) -> str:
    """List actions, one a line, counted from 1.

    >>> print(numbered(["pass", "lay B3"]))
    1. pass
    2. lay B3
    """
    return "\n".join(f"{number}. {action}" for number, action in enumerate(actions, 1))
