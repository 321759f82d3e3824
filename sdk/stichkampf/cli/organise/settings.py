"""The settings of a tournament as a file and as words of the command line."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from stichkampf.errors import StichkampfError


class TournamentFileError(StichkampfError):
    """Settings that cannot be read; the message quotes them and says what would be right."""


def read_settings(file: Path | None, words: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a file, and over them those of the command line.

    :param file: TOML, or JSON where its name ends so; `-` for JSON or TOML on standard input.
    :param words: such as `rounds=5`; the value is JSON, or a text where it is none.
    :raises TournamentFileError: it cannot be read.
    """
    found = {} if file is None else _of_file(file)
    for word in words:
        name, given, value = word.partition("=")
        if not given or not name.strip():
            raise TournamentFileError(f"{word!r} is no setting; write FIELD=VALUE, such as rounds=5")
        found[name.strip()] = as_value(value)
    return found


def as_value(text: str) -> Any:
    """Return the value of a word: JSON, or the text itself where it is none.

    >>> as_value("5"), as_value("true"), as_value("friday"), as_value('["thumb"]')
    (5, True, 'friday', ['thumb'])
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _of_file(file: Path) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        told = getattr(error, "strerror", None) or "it is no text"
        raise TournamentFileError(f"{file}: {told}; name a TOML or JSON file with settings") from error
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise TournamentFileError(f'{file}: {error}; write TOML such as: game = "sticheln"') from error
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: the times of TOML as texts."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
