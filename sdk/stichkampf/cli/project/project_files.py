"""The files of a new bot's project."""

from __future__ import annotations

import json
from keyword import iskeyword
from typing import Final

from stichkampf.cli.project import net_files
from stichkampf.cli.project.program_files import LANGUAGES as OTHER_LANGUAGES
from stichkampf.cli.project.program_files import program_files
from stichkampf.engine.game import Game
from stichkampf.errors import MissingLibrary, installing
from stichkampf.games import GAMES
from stichkampf.limits import NET

USUAL_SEATS: Final = 4
IMPORTED: Final = ("Bot", "Net", "Note", "Path", "Search", "Table", "World")
"""Names that a project imports, so that its class needs another."""
OPPONENTS: Final = ("thumb", "glimpse", "random", "timid", "bold")

_RULES: Final = '''\
"""{name}: rules of thumb, and a look one action ahead where no rule holds."""

from __future__ import annotations

from stichkampf import Bot, Note, Table, World

WORLDS = 4


class {class_name}(Bot):
{games}    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1:
            return table.legal[0]
        values = look_ahead(table)
        action = self.by_rule(table) or max(table.legal, key=values.__getitem__)
        return action, Note(weights=values)

    def by_rule(self, table: Table) -> str | None:
        """Return an action that a rule of thumb tells, or None where none does. Your rules go here.

        table.hand, table.trick, table.facts and table.would_take(card) tell what to judge by.
        """
        return None


def look_ahead(table: Table) -> dict[str, float]:
    """Value every action: played on by chance in a few worlds, the bot's score above the mean."""
    values = dict.fromkeys(table.legal, 0.0)
    for _ in range(WORLDS):
        world = World(table)
        chance = table.rng.getrandbits(62)
        for action in table.legal:
            after = world.copy()
            after.play(action)
            scores = after.rollout(chance)
            values[action] += (scores[table.seat] - sum(scores) / len(scores)) / WORLDS
    return values
'''

_SEARCH: Final = '''\
"""{name}: Monte-Carlo tree search over what the seat knows, for a share of its clock."""

from __future__ import annotations

from stichkampf import Bot, Note, Search, Table

ITERATIONS = 600
DECISIONS = 20
"""Decisions that the reserve of the clock is planned for; more, and more of it is left at the end."""


class {class_name}(Bot):
{games}    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1:
            return table.legal[0]
        search = Search(table, iterations=ITERATIONS)
        search.run_for(seconds=0.8 * table.clock.for_one_of(DECISIONS) if table.clock else None)
        return search.best, Note(f"{{search.iterations}} iterations", search.weights)
'''

_TEST: Final = '''\
"""{name} answers every question of a few deals with a legal action."""

import pytest
from stichkampf.testing import play_deals

from bot import {class_name}

TABLES = [
{tables}
]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_it_plays_without_a_fault(game: str, seats: int) -> None:
    play_deals({class_name}, game, seats, deals=2)
'''

_README: Final = """\
# {name}

A bot for Stichkampf: `bot.py` decides, `test_bot.py` tests it. In the folder above this one:

    stichkampf play {table}
    stichkampf duel {game} {name} thumb --better-than 0
    stichkampf check {name}
    stichkampf submit {name} --wait
    python -m pytest {name}

The first plays a match on this machine, the second tells whether the bot is surely better than `thumb`, the
third says what the server would say, the fourth hands it in (after `stichkampf login ADDRESS`) and follows it
until it is rated. The last runs its tests, and needs pytest (`pip install pytest`). When the bot has a fault
or plays badly, `stichkampf debug RECORD DECISION {name}` stops it in that very decision.
"""

_FILES: Final = {"rules": _RULES, "search": _SEARCH, NET.name: net_files.BOT}
KINDS: Final = tuple(_FILES)
PYTHON: Final = "python"
LANGUAGES: Final = (PYTHON, *OTHER_LANGUAGES)


def program_of(name: str, kind: str, game: type[Game] | None) -> str:
    """Return the program of a project in Python.

    :param kind: one of `KINDS`.
    :param game: the only game that the bot plays; None for every game, or the first for a network.
    """
    return _FILES[kind].format(**_fields(name, kind, game))


def _fields(name: str, kind: str, game: type[Game] | None) -> dict[str, str | float]:
    """Return what the texts of a project in Python are filled in with."""
    if kind == NET.name and game is None:
        game = next(iter(GAMES.values()))
    class_name = "".join(word[:1].upper() + word[1:] for word in name.split("-"))
    shown = game or next(iter(GAMES.values()))
    return {
        "name": name,
        "class_name": f"{class_name}Bot" if class_name in IMPORTED or iskeyword(class_name) else class_name,
        "games": f'    games = ("{game.name}",)\n\n' if game else "",
        "game": shown.name,
        "seats": _seats(shown),
    }


def project_files(name: str, kind: str, language: str, game: type[Game] | None) -> dict[str, str | bytes]:
    """Return the files of a project, by name.

    :param kind: one of `KINDS`.
    :param language: one of `LANGUAGES`.
    :param game: the only game that the bot plays; None for every game, or the first for a network.
    :raises BotError: a library that the kind needs is missing.
    """
    if kind == NET.name and game is None:
        game = next(iter(GAMES.values()))
    tables = "\n".join(f'    ("{one.name}", {_seats(one)}),' for one in ([game] if game else GAMES.values()))
    if language != PYTHON:
        return {**program_files(name, language, game, tables, first_table(name, game))}
    shown = game or next(iter(GAMES.values()))
    manifest = [f"name = {json.dumps(name)}", f"games = {json.dumps([game.name])}" if game else ""]
    fields = _fields(name, kind, game)
    more: dict[str, str | bytes] = {}
    readme = _README.format(**fields, table=first_table(name, game))
    if kind == NET.name:
        manifest.append(f"weight = {json.dumps(NET.name)}")
        readme += net_files.README.format(**fields)
        more["train.py"] = net_files.TRAIN.format(**fields)
        try:  # numpy takes longer to import than all else of the command
            from stichkampf.lab.batch.untrained import untrained_net
        except ModuleNotFoundError as missing:
            raise MissingLibrary(f"a network needs {missing.name}: {installing('train')}") from None
        more["net.onnx"] = untrained_net(shown.name, _seats(shown))
    return {
        "bot.py": program_of(name, kind, game),
        "test_bot.py": _TEST.format(**fields, tables=tables),
        "stichkampf.toml": "\n".join(filter(None, manifest)) + "\n",
        "README.md": readme,
        ".gitignore": "__pycache__/\n*.zip\n",
        **more,
    }


def first_table(bot: str, game: type[Game] | None) -> str:
    """Return the words of a match of a bot against house bots, for `stichkampf play`."""
    shown = game or next(iter(GAMES.values()))
    return " ".join([shown.name, bot, *OPPONENTS[: _seats(shown) - 1]])


def _seats(game: type[Game]) -> int:
    """Return the number of seats nearest to the usual one that a game has."""
    return min(game.players, key=lambda seats: (abs(seats - USUAL_SEATS), seats))
