"""The rules are written once and run in two ways: compiled by mypyc, and interpreted. Both must agree bit for
bit.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SDK = HERE.parents[2] / "sdk"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("engine")]


def copy_of_sdk(target: Path, *, with_compiled: bool) -> Path:
    left_out = ["__pycache__"] if with_compiled else ["__pycache__", "*.so"]
    shutil.copytree(SDK / "stichkampf", target / "stichkampf", ignore=shutil.ignore_patterns(*left_out))
    if with_compiled:
        for library in SDK.glob("*__mypyc*.so"):
            shutil.copy(library, target)
    return target


def report_of(folder: Path) -> dict[str, dict]:
    """Run `engine_digest.py` with the engine in a folder."""
    answer = subprocess.run(
        [sys.executable, HERE / "engine_digest.py"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The engine that was compiled in place, where it was; else one compiled for this test."""
    folder = tmp_path_factory.mktemp("compiled")
    if list((SDK / "stichkampf").rglob("*.so")):
        return report_of(copy_of_sdk(folder, with_compiled=True))
    copy_of_sdk(folder, with_compiled=False)
    specification = importlib.util.spec_from_file_location("build_engine", SDK / "build_engine.py")
    build_engine = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(build_engine)
    build_engine.compile_into(folder)
    return report_of(folder)


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory):
    return report_of(copy_of_sdk(tmp_path_factory.mktemp("interpreted"), with_compiled=False))


def test_every_engine_module_of_a_compiled_engine_is_compiled(compiled):
    assert compiled["compiled"]
    assert all(compiled["compiled"].values()), compiled["compiled"]


def test_no_engine_module_is_compiled_in_the_pure_copy(interpreted):
    assert not any(interpreted["compiled"].values()), interpreted["compiled"]


def test_compiled_and_interpreted_engine_agree_in_every_game(compiled, interpreted):
    assert len(interpreted["digests"]) > 40
    differing = [s for s, digest in interpreted["digests"].items() if compiled["digests"][s] != digest]
    assert differing == []


def test_help_of_compiled_modules_says_all_that_their_sources_say(compiled, interpreted):
    names = [name for name, _, _ in interpreted["shown"]]
    assert {"Deal", "Deal.rollouts", "Search", "MueDeal.apply", "stichkampf.games.njet"} <= set(names)
    missing = [
        (name, said)
        for name, said, arguments in interpreted["shown"]
        if not any(
            (name, arguments) == (also, same) and all(part in more for part in said.split("\n\n"))
            for also, more, same in compiled["shown"]
        )
    ]
    assert missing == []


def test_the_first_search_on_interpreted_rules_says_what_to_do(tmp_path):
    game = "from stichkampf.games import new_game; game = new_game('stiche-raten', 3)"
    deal = "deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), 'deal 0'), 0, {}), {})"
    search = "for _ in range(3): Search(deal, deal.player(), most_iterations=1, seed=1)"
    imports = "from stichkampf.engine.search import Search; from stichkampf.engine.seeds import Chance"
    answer = subprocess.run(
        [sys.executable, "-c", "\n".join([imports, game, deal, search])],
        env={**os.environ, "PYTHONPATH": str(copy_of_sdk(tmp_path, with_compiled=False))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stderr.count("InterpretedRules: the rules are interpreted here") == 1
    assert "Install stichkampf again where a C compiler" in answer.stderr
