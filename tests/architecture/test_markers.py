"""Markers of the tests: none is forgotten where a folder moves or a race on the database is tested."""

import ast
import tomllib

from repository import COMMITTED, ROOT, modules_in, text_of

STARTERS = {"Program", "running_arbiter", "running_site", "subprocess.Popen"}
"""Calls that start a server or another program which goes on beside a test."""
NO_DATABASE_OF_THEIR_OWN = ("tests/platform/web/", "tests/platform/serving/", "tests/platform/api/")


def named_in_conftest(name):
    """The value of a constant of tests/conftest.py."""
    tree = ast.parse(text_of("tests/conftest.py"))
    (value,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name
    )
    return ast.literal_eval(value.args[0] if isinstance(value, ast.Call) else value)


def test_places_with_a_marker_or_a_turn_hold_tests():
    for place in (*named_in_conftest("MACHINE"), *named_in_conftest("LONG")):
        tests = [path for path in COMMITTED if path.startswith(f"tests/{place}") and "/test_" in path]
        assert tests, place


def fixtures_that_start_something():
    """Yield the names of fixtures that start a server or a program, outside the folders of such tests."""
    machine = tuple(f"tests/{place}" for place in named_in_conftest("MACHINE"))
    for path in modules_in("tests/"):
        if path.startswith(machine):
            continue
        for node in ast.walk(ast.parse(text_of(path))):
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            decorators = [ast.unparse(each) for each in node.decorator_list] if is_function else []
            if any(each.startswith("pytest.fixture") for each in decorators):
                used = {ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
                if used & STARTERS:
                    yield path, node.name


def test_fixtures_that_start_something_mark_their_tests():
    known = named_in_conftest("STARTING")
    found = set(fixtures_that_start_something())
    assert {name for _, name in found} >= {"arbiter_process", "worker"} & known
    unknown = [(path, name) for path, name in found if name not in known]
    assert [each for each in unknown if "mark.machine" not in text_of(each[0])] == []


def test_races_on_the_database_are_also_run_on_postgresql():
    races = [path for path in modules_in("tests/platform/") if "transaction=True" in text_of(path)]
    unmarked = [path for path in races if "mark.database" not in text_of(path)]
    assert [path for path in unmarked if not path.startswith(NO_DATABASE_OF_THEIR_OWN)] == []


def test_make_check_and_make_test_run_every_folder():
    named = tomllib.loads(text_of("pyproject.toml"))["tool"]["pytest"]["ini_options"]["testpaths"]
    assert all((ROOT / folder).is_dir() for folder in named)
