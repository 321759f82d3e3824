"""The build's patches to the C code of mypyc, other than those for bits."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf.engine.seeds import Chance
from stichkampf.games import new_game

SDK = Path(__file__).parents[3] / "sdk"
BUILD = runpy.run_path(str(SDK / "build_engine.py"))
NUMBER = """\
    cpy_r_r4 = ((DealObject *)cpy_r_self)->_turn;
    if (unlikely(cpy_r_r4 == -113) && !(((DealObject *)cpy_r_self)->bitmap & 4)) {
        PyErr_SetString(PyExc_AttributeError, "attribute 'turn' of 'Deal' undefined");
    }
    cpy_r_r5 = cpy_r_r4 == -113;
    if (unlikely(cpy_r_r5)) goto CPyL2;
"""
PLACE = """\
    cpy_r_r7 = (uint64_t)cpy_r_seat < (uint64_t)cpy_r_r6;
    if (cpy_r_r7) goto CPyL8;
"""


def test_numbers_are_read_without_a_question_and_places_expected_in_bounds():
    assert BUILD["with_straight_paths"](NUMBER + PLACE) == (
        "    cpy_r_r4 = ((DealObject *)cpy_r_self)->_turn;\n"
        "    cpy_r_r5 = 0;\n"
        "    if (unlikely(cpy_r_r5)) goto CPyL2;\n"
        "    cpy_r_r7 = (uint64_t)cpy_r_seat < (uint64_t)cpy_r_r6;\n"
        "    if (likely(cpy_r_r7)) goto CPyL8;\n"
    )


@pytest.mark.parametrize("code", [NUMBER, PLACE, NUMBER.replace("-113", "-239") + PLACE])
def test_code_of_another_form_is_known_as_such(code):
    with pytest.raises(BUILD["UnknownCode"], match="mypyc reads attributes or vecs in a way unknown here"):
        BUILD["with_straight_paths"](code)


def test_code_of_another_form_is_left_as_it_is_and_a_line_says_so(tmp_path, capsys):
    written = tmp_path / "engine.c"
    written.write_text(NUMBER + PLACE)
    BUILD["complete"](written)
    assert written.read_text() == NUMBER + PLACE
    reason = r"mypyc wrote no function \w+ of engine/bits.py"
    line = rf"the rules are compiled as mypyc writes them, and slower: {reason}\n"
    assert re.fullmatch(line, capsys.readouterr().err)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--plain"]])
def test_rules_that_mypyc_writes_otherwise_are_compiled_all_the_same(tmp_path, options):
    """A small library, whose code is of another form: it has no function of `engine/bits.py`. A module that
    it leads to needs a library that is not here, as pip brings none of those for learners.
    """
    sdk = tmp_path / "sdk"
    (sdk / "stichkampf/engine").mkdir(parents=True)
    for name in ("build_engine.py", "quick_bits.h"):
        shutil.copy(SDK / name, sdk)
    for folder in ("stichkampf", "stichkampf/engine"):
        (sdk / folder / "__init__.py").touch()
    learners = "import no_such_library\n\n\nclass View(no_such_library.Env):\n    pass\n"
    (sdk / "stichkampf/learners.py").write_text(learners)
    leads = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from stichkampf import learners\n"
    (sdk / "stichkampf/engine/__init__.py").write_text(leads)
    counting = "from mypy_extensions import i64\n\n\ndef doubled(x: i64) -> i64:\n    return x + x\n"
    (sdk / "stichkampf/engine/counting.py").write_text(counting)
    built = subprocess.run(
        [sys.executable, sdk / "build_engine.py", *options], capture_output=True, text=True, check=True
    )
    assert ("compiled as mypyc writes them" in built.stderr) == (not options)
    program = "from stichkampf.engine import counting; print(counting.doubled(21), counting.__file__)"
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=sdk, env={}, capture_output=True, text=True, check=True
    )
    assert told.stdout.startswith("42 ")
    assert told.stdout.endswith(".so\n")


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_rules_compiled_without_patches_play_alike(tmp_path):
    copied = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(SDK / "stichkampf", tmp_path / "stichkampf", ignore=copied)
    BUILD["compile_into"](tmp_path, plain=True)
    reports = [
        json.loads(
            subprocess.run(
                [sys.executable, Path(__file__).with_name("engine_digest.py")],
                env={**os.environ, "PYTHONPATH": str(folder)},
                capture_output=True,
                check=True,
            ).stdout
        )
        for folder in (tmp_path, SDK)
    ]
    assert all(reports[0]["compiled"].values())
    assert reports[0]["digests"] == reports[1]["digests"]


def test_a_number_may_be_the_sign_that_mypyc_has_for_one_never_set():
    game = new_game("sticheln", 3)
    deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    deal.best_power = -113
    assert (deal.best_power, deal.clone().best_power) == (-113, -113)


def test_a_build_tells_on_the_terminal_what_goes_on_though_pip_keeps_its_output():
    program = (
        f"import runpy; tell = runpy.run_path({str(SDK / 'build_engine.py')!r})['told_on_the_terminal']\n"
        "import sys; sys.stdout = sys.stderr = open('/dev/null', 'w')\n"
        "with tell('compiling the rules', 0.01):\n    for _ in range(5_000_000):\n        pass\n"
    )
    status, said = run_on_a_terminal(program)
    assert status == 0, said
    assert len(re.findall(rb"stichkampf: compiling the rules: \d+ s\r\n", said)) > 2


@pytest.mark.slow
def test_a_compiler_that_fails_leaves_the_rules_interpreted_and_the_terminal_tells(monkeypatch):
    monkeypatch.setenv("CC", "/bin/false")
    monkeypatch.delenv("STICHKAMPF_ENGINE", raising=False)
    program = (
        f"import runpy; build = runpy.run_path({str(SDK / 'build_engine.py')!r})\n"
        "import sys; sys.stdout = sys.stderr = open('/dev/null', 'w')\n"
        "build['compile_into'].__globals__['sources'] = lambda: ['stichkampf/engine/bits.py']\n"
        "build['EngineHook']('.', {}, None, None, '', 'wheel').initialize('standard', {})\n"
    )
    status, said = run_on_a_terminal(program)
    assert status == 0, said
    told = rb"\r\nstichkampf: the rules stay interpreted, which is right but slow: .*'/bin/false'.{0,200}\r\n"
    assert re.search(told, said), said


def run_on_a_terminal(program):
    """Run a program of Python on a terminal of its own; return its status and what it said there."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", program])
    said = b""
    with contextlib.suppress(OSError):  # Linux says so that the other end is closed
        while part := os.read(terminal, 4096):
            said += part
    return os.waitpid(child, 0)[1], said
