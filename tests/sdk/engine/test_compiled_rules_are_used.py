"""Every module of the rules is compiled where set-up says so, as it must for `make test`."""

from __future__ import annotations

import runpy
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path

ROOT = Path(__file__).parents[3]
SAYS_COMPILED = ROOT / ".venv" / ".stichkampf-engine"  # written by deploy/setup.sh
MODULES = [
    path.removesuffix(".py").replace("/", ".")
    for path in runpy.run_path(str(ROOT / "sdk" / "build_engine.py"))["sources"]()
]


def interpreted(sdk: Path) -> list[str]:
    """List the modules of the rules that Python would interpret in this folder."""
    files = {
        name: PathFinder.find_spec(name, [str((sdk / name.replace(".", "/")).parent)]) for name in MODULES
    }
    return [name for name, found in files.items() if not found.origin.endswith(EXTENSION_SUFFIXES[0])]


def test_compiled_rules_are_used_where_set_up_says_so():
    assert len(MODULES) > 25
    if SAYS_COMPILED.exists():
        assert interpreted(ROOT / "sdk") == []
    imported = {name: import_module(name).__file__ for name in MODULES}
    in_use = [name for name, file in imported.items() if not file.endswith(EXTENSION_SUFFIXES[0])]
    assert in_use == interpreted(ROOT / "sdk")


def test_a_module_whose_compiled_file_is_missing_is_named(tmp_path):
    for name in MODULES:
        path = tmp_path / name.replace(".", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(EXTENSION_SUFFIXES[0]).touch()
        path.with_suffix(".py").touch()
    assert interpreted(tmp_path) == []
    (tmp_path / "stichkampf/games/njet").with_suffix(EXTENSION_SUFFIXES[0]).unlink()
    assert interpreted(tmp_path) == ["stichkampf.games.njet"]
