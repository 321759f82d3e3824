"""Markers of the tests: none is forgotten where a folder moves or a race on the database is tested."""

import ast
import re
import tomllib

from repository import COMMITTED, ROOT, modules_in, text_of
from stichkampf.games import GAMES

STARTERS = {"Program", "running_arbiter", "running_site", "subprocess.Popen"}
"""Calls that start a server or another program which goes on beside a test."""
ONLY_IN_THE_LONG_PART = {"mypy", "pyright", "ruff", "djlint", "lint-imports", "npm", "java", "g++"}
"""Programs that check what `make lint` checks, and those that `make test` does not set up."""
READS_ONLY = "tests/architecture/test_typed_documents.py"
"""A test that names such programs and starts none."""
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
    for place in (*named_in_conftest("MACHINE"), *named_in_conftest("FIRST")):
        tests = [path for path in COMMITTED if path.startswith(f"tests/{place}") and "/test_" in path]
        assert tests, place


def test_every_place_of_the_long_part_is_there():
    for place in named_in_conftest("LONG"):
        path, _, name = place.partition("::")
        name, _, parameter = name.rstrip("]").partition("[")
        assert f"tests/{path}" in COMMITTED, place
        text = text_of(f"tests/{path}")
        assert not name or f"def {name}(" in text, place
        assert parameter in text or (parameter in GAMES and "for game in GAMES" in text), place


def test_every_test_is_run_by_make_test_or_by_make_test_long_and_by_one_of_them():
    makefile = text_of("Makefile")
    for target, marked in (("test", '"not long"'), ("test-long", "long")):
        (recipe,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
        assert recipe.splitlines()[-1] == f"\t@exec $(PYTEST) -m {marked}"
    (options,) = re.findall(r"^PYTEST_OPTIONS := (.*)$", makefile, re.MULTILINE)
    assert not re.search(r"-k\b|-m\b|--(ignore|deselect)|tests/", options)


def test_make_test_goes_one_way_through_all_of_a_platform():
    files = {path for path in modules_in("tests/end_to_end/") if "/test_" in path}
    assert files - {f"tests/{place}" for place in named_in_conftest("LONG")} == {
        "tests/end_to_end/test_play.py",
        "tests/end_to_end/test_stranger.py",
    }


def commands_in(path):
    """Yield the words of lists, tuples and calls, among which those of a command are."""
    for node in ast.walk(ast.parse(text_of(path))):
        words = {ast.List: "elts", ast.Tuple: "elts", ast.Call: "args"}.get(type(node))
        yield from (each.value for each in getattr(node, words or "", ()) if isinstance(each, ast.Constant))


def test_what_lint_checks_and_what_make_test_does_not_set_up_is_run_by_the_long_part():
    tests = [path for path in modules_in("tests/") if "/test_" in path]
    using = {path for path in tests if not ONLY_IN_THE_LONG_PART.isdisjoint(commands_in(path))}
    long = {f"tests/{place.partition('::')[0]}" for place in named_in_conftest("LONG")}
    assert using - long - {READS_ONLY} == set()
    assert "tests/sdk/test_types_for_authors.py" in using


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
