"""Markers of the tests: none is forgotten where a folder moves or a race on the database is tested."""

import tomllib

from repository import COMMITTED, ROOT, modules_in, text_of

NO_DATABASE_OF_THEIR_OWN = ("tests/platform/web/", "tests/platform/serving/", "tests/platform/api/")


def test_folders_with_a_marker_hold_tests():
    source = text_of("tests/conftest.py")
    folders = [line.strip().strip('",') for line in source.splitlines() if line.startswith('    "')]
    assert folders
    for folder in folders:
        assert any(path.startswith(f"tests/{folder}/test_") for path in COMMITTED), folder


def test_races_on_the_database_are_also_run_on_postgresql():
    races = [path for path in modules_in("tests/platform/") if "transaction=True" in text_of(path)]
    unmarked = [path for path in races if "mark.database" not in text_of(path)]
    assert [path for path in unmarked if not path.startswith(NO_DATABASE_OF_THEIR_OWN)] == []


def test_make_check_and_make_test_run_every_folder():
    named = tomllib.loads(text_of("pyproject.toml"))["tool"]["pytest"]["ini_options"]["testpaths"]
    assert all((ROOT / folder).is_dir() for folder in named)
