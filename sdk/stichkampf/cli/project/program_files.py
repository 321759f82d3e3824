"""The files of a new bot's project in another language, which speaks JSON lines."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from stichkampf.engine.game import Game
from stichkampf.games import GAMES


class ProjectLanguage(NamedTuple):
    """A language of projects.

    :ivar title: shown on pages.
    :ivar file: the name of the program's file.
    :ivar program: its content; {name} stands for the bot's name.
    :ivar build: the command that makes the program in its folder; empty where there is nothing to make.
    """

    title: str
    file: str
    command: tuple[str, ...]
    program: str
    build: str = ""


_JAVASCRIPT: Final = """\
// {name}: answers each question, a line of JSON on standard input, by a line on standard output.
"use strict";

const readline = require("node:readline");

// Your rules go here. A question has hand, trick, facts, secrets, totals, events and more; console.error
// shows what you want to see of it.
function choose(question) {{
  return {{ action: question.legal[0], note: `the first of ${{question.legal.length}}` }};
}}

if (require.main === module) {{
  const lines = readline.createInterface({{ input: process.stdin }});
  lines.on("line", (line) => {{
    process.stdout.write(JSON.stringify(choose(JSON.parse(line))) + "\\n");
  }});
}}

module.exports = {{ choose }};
"""

_CPP: Final = """\
// {name}: answers each question, a line of JSON on standard input, by a line on standard output.
#include <iostream>
#include <string>
#include <vector>

// Returns the texts of a list in a question, such as "legal" or "hand". They hold no quotation marks.
std::vector<std::string> texts(const std::string& question, const std::string& key) {{
  std::vector<std::string> found;
  const std::string name = "\\"" + key + "\\":[";
  std::size_t at = question.find(name);
  if (at == std::string::npos) return found;
  const std::size_t end = question.find(']', at);
  at += name.size();
  while ((at = question.find('"', at)) < end) {{
    const std::size_t close = question.find('"', at + 1);
    found.push_back(question.substr(at + 1, close - at - 1));
    at = close + 1;
  }}
  return found;
}}

// Your rules go here. A question has hand, trick, facts, secrets, totals, events and more; std::cerr shows
// what you want to see of it.
std::string choose(const std::string& question) {{
  return texts(question, "legal").front();
}}

int main() {{
  for (std::string question; std::getline(std::cin, question);) {{
    std::cout << "{{\\"action\\":\\"" << choose(question) << "\\"}}" << std::endl;
  }}
}}
"""

_LINES: Final = '''\
"""{name}: answers each question, a line of JSON on standard input, by a line on standard output.

Rewrite it in any language. It needs no more than to read lines, and to write one for each, flushed.
"""

import json
import sys


def choose(question):
    """Return the answer. Your rules go here; print to sys.stderr what you want to see."""
    return {{"action": question["legal"][0], "note": f"the first of {{len(question['legal'])}}"}}


for line in sys.stdin:
    print(json.dumps(choose(json.loads(line))), flush=True)
'''

_TEST: Final = '''\
"""{name} answers every question of a few deals with a legal action."""

from pathlib import Path

import pytest
from stichkampf.testing import play_deals

TABLES = [
{tables}
]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_it_plays_without_a_fault(game: str, seats: int) -> None:
    play_deals(Path(__file__).parent, game, seats, deals=2)
'''

_README: Final = """\
# {name}

A bot for Stichkampf that speaks JSON lines: for every question on its standard input, `{file}` writes an
answer to its standard output. `stichkampf.toml` names the command that starts it. In this folder, then in the
one above it:

{build}    stichkampf run --game {game} -- {command}

    stichkampf play {table}
    stichkampf duel {game} {name} thumb
    stichkampf check {name}
    stichkampf submit {name} --wait
    python -m pytest {name}

The first shows every line of a match. `stichkampf run --schema` describes them, `stichkampf facts {game}`
the facts of a game. On the server a program has what is in this folder, Python, and the parts of the runtime
(javascript, perl, awk, sh) that it asks for, such as `parts = ["perl"]`.
"""

LANGUAGES: Final = {
    "javascript": ProjectLanguage(
        "JavaScript", "bot.js", ("node", "--max-old-space-size=150", "bot.js"), _JAVASCRIPT
    ),
    "cpp": ProjectLanguage(
        "C++", "bot.cpp", ("./bot",), _CPP, "g++ -std=c++17 -O2 -static -s -o bot bot.cpp"
    ),
    "lines": ProjectLanguage("Python", "bot.py", ("python3", "bot.py"), _LINES),
}


def program_files(
    name: str, language: str, game: type[Game] | None, tables: str, table: str
) -> dict[str, str]:
    """Return the files of a project, by name.

    :param language: one of `LANGUAGES`.
    :param game: the only game that the bot plays; None for every game.
    :param tables: the tables of its test.
    :param table: the words of a match against house bots.
    """
    chosen = LANGUAGES[language]
    manifest = [
        f"name = {json.dumps(name)}",
        *([f"games = {json.dumps([game.name])}"] if game else []),
        f"language = {json.dumps(chosen.title)}",
        f"command = {json.dumps(list(chosen.command))}",
        'protocol = "lines"',
    ]
    shown = game or next(iter(GAMES.values()))
    readme = _README.format(
        name=name,
        file=chosen.file,
        game=shown.name,
        command=" ".join(chosen.command),
        table=table,
        build=f"    {chosen.build}\n" if chosen.build else "",
    )
    return {
        chosen.file: chosen.program.format(name=name),
        "test_bot.py": _TEST.format(name=name, tables=tables),
        "stichkampf.toml": "\n".join(manifest) + "\n",
        "README.md": readme,
        ".gitignore": "__pycache__/\n*.zip\n" + ("bot\n" if chosen.build else ""),
    }
