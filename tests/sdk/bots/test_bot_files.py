"""The bot of an author: loading it, asking it, and the answers that it may return."""

from __future__ import annotations

import sys

import pytest
from stichkampf import Bot, Note, Table, new_game
from stichkampf.bots.bot import BotFailure, decide, load_bot, start
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.errors import BotError

FIVE_LINES = """\
from stichkampf import Bot

class Mine(Bot):
    def choose(self, table):
        return table.legal[0]
"""


def written(folder, text, name="mine.py"):
    path = folder / name
    path.write_text(text)
    return path


def table():
    return Table(new_game("stiche-raten", 3, {}), 0, bytes(32))


def answering(answer):
    class Answering(Bot):
        def choose(self, table):
            return answer

    return Answering()


def test_a_bot_is_written_in_five_lines(tmp_path):
    path = written(tmp_path, FIVE_LINES)
    game = new_game("stiche-raten", 3, {"length": "deals:3"})
    played = play_match(game, [entrant(str(path)), entrant("thumb"), entrant("random")], bytes(32))
    assert played.failures == []
    assert played.record["seats"][0] == {"bot": path.as_posix()}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("class Mine(:\n", r"mine.py, line 1: invalid syntax"),
        ("x = 1\n", "defines no subclass of stichkampf.Bot"),
        ("from stichkampf import Bot\n", "defines no subclass of stichkampf.Bot"),
        ("import no_such_module_anywhere\n", "does not load: .*mine.py, line 1: ModuleNotFoundError"),
        ("1 / 0\n", "does not load: mine.py, line 1: ZeroDivisionError"),
        ("raise SystemExit(3)\n", "does not load: mine.py, line 1: SystemExit: 3"),
        (FIVE_LINES + FIVE_LINES.replace("Mine", "Other"), r"defines 2 bots \(Mine, Other\); it must be one"),
        (
            "from stichkampf import Bot\nclass Mine(Bot):\n    pass\n",
            r"Mine has no method choose\(self, table\)",
        ),
        ("\0", "mine.py"),
    ],
)
def test_a_file_that_holds_no_bot_is_refused_with_the_reason(tmp_path, text, complaint):
    with pytest.raises(BotError, match=complaint):
        load_bot(written(tmp_path, text))


ABSTRACT = """
from abc import abstractmethod
from stichkampf import Bot
class Base(Bot):
    @abstractmethod
    def worth(self, action): ...
    def choose(self, table):
        return max(table.legal, key=self.worth)
"""
WORTH = "    def worth(self, action):\n        return len(action)\n"


@pytest.mark.parametrize(
    "text",
    [
        FIVE_LINES + "BOT = Mine\n",
        FIVE_LINES + "BOT = THE_BOT = Mine\nfrom stichkampf.bots.house import HouseBot\n",
        ABSTRACT + "class Mine(Base):\n" + WORTH,
        ABSTRACT + "class Half(Base): ...\nclass Mine(Half):\n" + WORTH,
        "from beside_it import *\n",
        "from beside_it import Mine as Karl\n",
        "import beside_it\nclass Mine(beside_it.Mine): ...\n",
        "from beside_it import Mine as Other\nclass Mine(Other): ...\n",
    ],
)
def test_each_class_that_can_play_counts_once(tmp_path, monkeypatch, text):
    written(tmp_path, FIVE_LINES, "beside_it.py")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "beside_it", raising=False)
    assert load_bot(written(tmp_path, text)).__name__ == "Mine"


def test_a_bot_without_a_method_of_its_base_is_refused_by_name(tmp_path):
    with pytest.raises(BotError, match="Mine has no method worth"):
        load_bot(written(tmp_path, ABSTRACT + "class Mine(Base): ...\n"), "Mine")


def test_several_bots_are_refused_with_the_line_of_the_manifest_that_chooses(tmp_path):
    with pytest.raises(BotError, match=r'stichkampf\.toml names one: class = "Other"'):
        load_bot(written(tmp_path, FIVE_LINES + "class Other(Mine): ...\n"))


def test_one_of_several_bots_in_a_file_can_be_named(tmp_path):
    path = written(tmp_path, FIVE_LINES + FIVE_LINES.replace("Mine", "Other"))
    assert load_bot(path, "Other").__name__ == "Other"
    with pytest.raises(BotError, match=r"defines no class Third\(Bot\)"):
        load_bot(path, "Third")


def test_a_file_that_is_missing_or_no_python_is_refused(tmp_path):
    with pytest.raises(BotError, match="there is no file"):
        load_bot(tmp_path / "missing.py")
    with pytest.raises(BotError, match=r"its name must end in \.py"):
        load_bot(written(tmp_path, FIVE_LINES, "mine.txt"))


def test_two_files_of_one_name_are_two_bots(tmp_path):
    (tmp_path / "other").mkdir()
    first = load_bot(written(tmp_path, FIVE_LINES))
    second = load_bot(written(tmp_path / "other", FIVE_LINES.replace("legal[0]", "legal[-1]")))
    assert first is not second
    assert first.__module__ != second.__module__


def test_an_answer_is_an_action_or_an_action_and_a_note():
    assert decide(answering("bid 0"), table()) == ("bid 0", None)
    assert decide(answering(("bid 0", "weak hand")), table()) == ("bid 0", Note("weak hand"))
    note = Note("two aces", {"bid 2": 0.75, "bid 0": 0})
    assert decide(answering(("bid 2", note)), table()) == ("bid 2", note)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        0,
        b"bid 0",
        ["bid 0"],
        (),
        ("bid 0",),
        ("bid 0", 3),
        (None, "why"),
        ("bid 0", Note("why", {"bid 0": float("nan")})),
        ("bid 0", Note("why", {"bid 0": float("inf")})),
        ("bid 0", Note("why", {"bid 0": 10**400})),
        ("bid 0", Note("why", {"bid 0": "much"})),
        ("bid 0", Note("why", {0: 1.0})),
        ("bid 0", Note("why", [1.0])),
        ("bid 0", Note(7)),
    ],
)
def test_any_other_answer_is_malformed(answer):
    with pytest.raises(BotFailure, match=r"choose\(\) must return an action or \(action, Note\)") as caught:
        decide(answering(answer), table())
    assert caught.value.kind == "malformed"


def test_a_bot_that_raises_has_crashed_and_the_line_is_named():
    class Crashing(Bot):
        def choose(self, table):
            return 1 // 0

    with pytest.raises(BotFailure, match=r"test_bot_files\.py, line \d+: ZeroDivisionError") as caught:
        decide(Crashing(), table())
    assert caught.value.kind == "crashed"


def test_a_bot_that_leaves_the_program_has_crashed():
    class Leaving(Bot):
        def choose(self, table):
            raise SystemExit(0)

    with pytest.raises(BotFailure) as caught:
        decide(Leaving(), table())
    assert caught.value.kind == "crashed"


def test_a_long_note_is_cut():
    assert len(Note("x" * 500).to_json()["text"]) == 200


def test_a_bot_that_does_not_start_is_named():
    class Broken(Bot):
        def __init__(self):
            raise RuntimeError("no book of openings")

        def choose(self, table):
            return table.legal[0]

    with pytest.raises(BotFailure, match="RuntimeError: no book of openings"):
        start(Broken)
    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    with pytest.raises(BotError, match=r"broken\.py does not start: .*no book of openings"):
        play_match(game, [Entrant("broken.py", Broken)] * 3, bytes(32))
