"""`stichkampf new`: projects that play, pass and hold to strict types at once, or nothing at all."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf.cli import main
from stichkampf.cli.project.decision_test import TEMPLATE
from stichkampf.errors import installing
from stichkampf.games import GAMES
from stichkampf.limits import NET
from stichkampf.packaging.archive import check_archive, pack

EXAMPLE = Path(__file__).parents[3] / "examples" / "net"
PYRIGHT = Path(__file__).parents[2] / "markup/node_modules/pyright/index.js"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in an empty folder; returns status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def command(*arguments):
        try:
            status = main(arguments)
        except SystemExit as error:
            status = error.code
        return status, *capsys.readouterr()

    return command


@pytest.mark.parametrize("name", ["None", "true", "False", "class", "bot", "path", "none-none"])
def test_a_new_bot_may_be_called_like_a_word_of_python(run, name):
    assert run("new", name)[0] == 0
    table = ["stiche-raten", name, "thumb", "random", "--no-clock", "-o", "length=deals:1"]
    assert run("play", *table)[0] == 0


@pytest.mark.parametrize("kind", ["rules", "search"])
def test_a_new_bot_plays_as_it_says_and_passes_its_own_test(run, monkeypatch, kind):
    status, out, err = run("new", "karl", "--kind", kind)
    assert (status, err) == (0, "")
    play = out.splitlines()[-1].removeprefix("next: stichkampf ").split()
    assert run(*play, "--no-clock", "-o", "length=deals:1")[0] == 0
    monkeypatch.syspath_prepend("karl")
    monkeypatch.delitem(sys.modules, "bot", raising=False)
    test = runpy.run_path("karl/test_bot.py")
    assert [game for game, _ in test["TABLES"]] == list(GAMES)
    test["test_it_plays_without_a_fault"](*test["TABLES"][0])
    sys.modules.pop("bot")
    archive = check_archive(pack(Path("karl")))
    assert (archive.manifest.name, archive.manifest.games) == ("karl", ())


@pytest.mark.slow
def test_a_new_trained_bot_plays_at_once_and_learns(run, monkeypatch, tmp_path):
    status, out, err = run("new", "karl", "--kind", "net", "--game", "sixes-and-sevens")
    assert (status, err) == (0, "")
    play = out.splitlines()[-1].removeprefix("next: stichkampf ").split()
    assert run(*play, "--no-clock", "-o", "length=deals:1")[0] == 0
    archive = check_archive(pack(Path("karl")))
    assert (archive.manifest.weight, archive.manifest.games) == (NET, ("sixes-and-sevens",))
    untrained = Path("karl/net.onnx").read_bytes()
    monkeypatch.setattr(sys, "argv", ["train.py", "--decisions", "60", "--epochs", "1"])
    runpy.run_path("karl/train.py", run_name="__main__")
    assert Path("karl/net.onnx").read_bytes() != untrained
    assert run(*play, "--no-clock", "-o", "length=deals:1")[0] == 0
    assert run("check", "karl")[0] == 0


def test_the_example_of_a_trained_bot_is_what_new_makes(run):
    run("new", "imitator", "--kind", "net", "--game", "sixes-and-sevens")
    for name in ("bot.py", "train.py", "stichkampf.toml"):
        assert (EXAMPLE / name).read_text() == Path("imitator", name).read_text()


def test_without_onnx_no_trained_bot_is_made(run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnx", None)
    status, out, err = run("new", "karl", "--kind", "net")
    assert (status, out) == (2, "")
    assert err.endswith(
        "writing a network needs onnx: in a checkout of Stichkampf, pip install '.[train]'; elsewhere,"
        " pip install 'numpy>=2.2' 'onnx>=1.18' 'onnxruntime>=1.22'\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            "from stichkampf.cli import main; main(['new', 'karl', '--kind', 'net'])",
            f"stichkampf: a network needs numpy: {installing('train')}\n",
        ),
        ("from stichkampf.lab import Net", f"stichkampf.lab.Net needs numpy: {installing('net')}\n"),
        ("from stichkampf.lab import load", f"stichkampf.lab.load needs numpy: {installing('dataset')}\n"),
        ("from stichkampf.lab import Batch", f"stichkampf.lab.Batch needs numpy: {installing('batch')}\n"),
        (
            "from stichkampf.lab import DealView",
            f"stichkampf.lab.DealView needs numpy: {installing('pettingzoo')}\n",
        ),
        (
            "import stichkampf.lab.environments",
            f"stichkampf.lab.environments needs numpy: {installing('sb3')}\n",
        ),
        (
            "sys.modules['gymnasium'] = None; import stichkampf.lab.environments",
            f"stichkampf.lab.environments needs gymnasium: {installing('sb3')}\n",
        ),
    ],
)
def test_without_a_library_the_extra_is_named_that_brings_it(tmp_path, program, said):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules['numpy'] = None; {program}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.endswith(said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("language", ["javascript", "cpp", "lines"])
def test_a_new_bot_in_another_language_plays_as_it_says_and_passes_its_own_test(run, monkeypatch, language):
    status, out, err = run("new", "karl", "--language", language)
    assert (status, err) == (0, "")
    for build in re.findall("^then, in karl: (.*)$", out, re.MULTILINE):
        subprocess.run(build.split(), cwd="karl", check=True)
    play = out.splitlines()[-1].removeprefix("next: stichkampf ").split()
    assert run(*play, "--no-clock", "-o", "length=deals:1")[0] == 0
    test = runpy.run_path("karl/test_bot.py")
    assert [game for game, _ in test["TABLES"]] == list(GAMES)
    test["test_it_plays_without_a_fault"](*test["TABLES"][0])
    archive = check_archive(pack(Path("karl")))
    assert (archive.manifest.name, archive.manifest.protocol) == ("karl", "lines")
    assert archive.archive_bytes < 2**20
    (shown,) = re.findall(r"    stichkampf (run .*)", Path("karl/README.md").read_text())
    monkeypatch.chdir("karl")
    assert run("run", "--quiet", *shown.split()[1:])[0] == 0


def test_a_bot_for_one_game_names_it(run):
    assert run("new", "some-bot", "--game", "mue")[0] == 0
    assert check_archive(pack(Path("some-bot"))).manifest.games == ("mue",)
    assert 'class SomeBot(Bot):\n    games = ("mue",)\n' in Path("some-bot/bot.py").read_text()
    assert '    ("mue", 4),\n]' in Path("some-bot/test_bot.py").read_text()


@pytest.mark.slow
def test_new_bots_hold_to_strict_types(run, tmp_path):
    for kind in ("rules", "search", "net"):
        run("new", kind, "--kind", kind)
        (tmp_path / kind / "bot.py").rename(tmp_path / f"{kind}_bot.py")
    (tmp_path / "net" / "train.py").rename(tmp_path / "train.py")
    (tmp_path / "test_it.py").write_text(
        (tmp_path / "rules" / "test_bot.py").read_text().replace("from bot", "from rules_bot")
    )
    fields = {"number": 1, "record": "r.json", "game": "mue", "seat": 1, "made": "it chose", "name": "r"}
    (tmp_path / "test_decision.py").write_text(TEMPLATE.format(**fields, entry=""))
    files = ["rules_bot.py", "search_bot.py", "net_bot.py", "train.py", "test_it.py", "test_decision.py"]
    for checker in (
        [sys.executable, "-m", "mypy", "--strict"],  # once: it reads the whole SDK
        ["node", str(PYRIGHT), "--pythonpath", sys.executable, "--warnings"],
    ):
        checked = subprocess.run(
            [*checker, *files], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["karl"], "karl is there already; choose another name, or remove it"),
        (["no/karl"], "cannot make no/karl: No such file or directory"),
        (["3 bots"], "a bot cannot be called '3 bots'; a name has letters, digits and hyphens"),
        (["berta", "--game", "skat"], "no game is called 'skat'"),
        (["berta", "--kind", "deep"], "unknown value 'deep'; possible: rules, search, net"),
        (["berta", "--language", "cobol"], "unknown value 'cobol'; possible: python, javascript, cpp, lines"),
        (["berta", "--language", "lines", "--kind", "search"], "--kind search needs the rules"),
    ],
)
def test_what_cannot_be_made_is_one_clear_line_and_no_file(run, tmp_path, arguments, complaint):
    (tmp_path / "karl").mkdir()
    status, out, err = run("new", *arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert complaint in err
    assert [path.name for path in tmp_path.rglob("*")] == ["karl"]
