"""`mypy --strict` passes on a bot outside the project that uses the typed views, and finds its mistakes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf.games import GAMES

HEADER = """from stichkampf import Bot, Table
from stichkampf.games.views import {views}
from stichkampf.testing import assert_legal, table_at


class Mine(Bot):
    def choose(self, table: Table) -> str:
        holder: int | None = table.holder
        if holder is not None and holder in table.partners and not table.would_take(table.own_cards[0]):
            print(table.describe("de"), table.out["R1"], table.voids(0))
        return table.legal[0]

"""


def uses_of_every_field() -> str:
    lines = [HEADER.format(views=", ".join(sorted(game.view.__name__ for game in GAMES.values())))]
    for game in GAMES.values():
        view, name = game.view, game.view.__name__.lower()
        lines.append(f"def use_{name}(view: {view.__name__}) -> None:\n")
        lines += [f"    {field}: {view.__annotations__[field]} = view.{field}\n" for field in view.fields]
        lines.append("    print(" + ", ".join(view.fields) + ")\n\n")
    return "".join(lines)


def misspelt_fields() -> str:
    lines = ["\ndef misspell(table: Table) -> None:\n"]
    for game in GAMES.values():
        lines.append(f"    print(table.view({game.view.__name__}).{misspelt(game)})\n")
    lines.append("    points: list[str] = table.view(StichelnView).points\n")
    return "".join(lines)


def misspelt(game) -> str:
    return next(reversed(game.view.fields)) + "s"


@pytest.mark.slow
def test_a_misspelt_fact_is_the_only_thing_that_mypy_finds(tmp_path):
    bot = tmp_path / "bot.py"
    sound = uses_of_every_field()
    bot.write_text(sound + misspelt_fields())
    cache = Path(__file__).parents[2] / ".mypy_cache" / "authors"
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", "bot.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert checked.stderr == ""
    errors = [line for line in checked.stdout.splitlines() if ": error: " in line]
    assert all(int(re.match(r"bot\.py:(\d+):", line)[1]) > sound.count("\n") for line in errors), errors
    for game in GAMES.values():
        told = f'"{game.view.__name__}" has no attribute "{misspelt(game)}"'
        assert any(told in line for line in errors), (told, errors)
    assert "Incompatible types in assignment" in errors[-1]
    assert len(errors) == len(GAMES) + 1
