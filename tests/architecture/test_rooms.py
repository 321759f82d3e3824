"""Rooms of the platform: every one stands in its contract, and the domain holds no page."""

from __future__ import annotations

import ast
import tomllib

import pytest
from repository import COMMITTED, ROOT, text_of, trees_in

PLATFORM = "platform/stichkampf_platform/"
DOMAIN = ("people", "bots", "ladders", "tournaments", "ratings", "classes", "experiments", "marks", "play")
FACES = ("web", "api", "desk")
ROOT_OF_COMPOSITION = {"settings", "celery_app"}
OF_PAGES = (
    "django.contrib.admin",
    "django.contrib.messages",
    "django.http",
    "django.shortcuts",
    "django.template",
    "django.urls",
    "django.views",
    "rest_framework",
    "stichkampf_platform.serving",
)
"""Modules of pages and requests."""
LOG = "django.contrib.admin.models"
"""The table in which the administration and the API log what was done."""
CHANGING = {"add", "append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"}
"""Methods that change a list, a set or a dictionary."""


def contract() -> dict:
    found = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (of_rooms,) = [each for each in found if each.get("containers") == ["stichkampf_platform"]]
    return of_rooms


def imported(tree: ast.Module) -> list[str]:
    """List the modules that a module imports, as dotted names with what is taken from each."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def is_of_pages(name: str) -> bool:
    return not name.startswith(f"{LOG}.") and any(
        name == module or name.startswith(f"{module}.") for module in OF_PAGES
    )


def names_request(tree: ast.Module) -> bool:
    """Tell whether a module names a request, or what a form looks like on a page."""
    return any(
        (isinstance(node, ast.arg | ast.keyword) and node.arg in {"request", "widget"})
        or (isinstance(node, ast.Name) and node.id == "request")
        or (isinstance(node, ast.Attribute) and node.attr == "widget")
        for node in ast.walk(tree)
    )


def test_every_room_stands_in_the_contract_without_an_exception():
    of_rooms = contract()
    assert of_rooms["exhaustive"]
    assert not {"ignore_imports", "exhaustive_ignores"} & of_rooms.keys()


def test_the_contract_names_the_composition_root_first_and_then_the_faces():
    top, faces = contract()["layers"][:2]
    assert set(top.replace(" ", "").split(":")) > ROOT_OF_COMPOSITION
    assert set(faces.replace(" ", "").split("|")) == set(FACES)


def changed_elsewhere(tree: ast.Module, room: str) -> list[str]:
    """List what a room changes of the constants and classes of others: hooks, by which rooms reach up."""
    foreign = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("stichkampf_platform.")
        and node.module.split(".")[1] != room
        for alias in node.names
    }
    changed = [
        node.func.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING
    ] + [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    ]
    return [
        ast.unparse(node)
        for node in changed
        if parts(node)[0] in foreign and not all(map(str.islower, parts(node)))
    ]


def parts(node: ast.expr) -> list[str]:
    """Return the names that an expression consists of, as in `banner.BUTTONS["final"]`, without its keys."""
    if isinstance(node, ast.Attribute):
        return [*parts(node.value), node.attr]
    if isinstance(node, ast.Subscript):
        return parts(node.value)
    return [node.id] if isinstance(node, ast.Name) else [""]


def test_no_room_changes_a_table_of_another():
    hooks = {
        path.removeprefix(PLATFORM): found
        for path, tree in trees_in(PLATFORM)
        if (found := changed_elsewhere(tree, path.removeprefix(PLATFORM).split("/")[0]))
    }
    assert hooks == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            "from stichkampf_platform.tournaments.exports import EXPORTS\nEXPORTS['a.csv'] = 1",
            ["EXPORTS['a.csv']"],
        ),
        ("from stichkampf_platform.desk import site\nsite.Site.pages.append(1)", ["site.Site.pages"]),
        ("from stichkampf_platform.tournaments import kept_progress\nkept_progress.add(1)", []),
        ("from stichkampf_platform.ratings.figures import FIGURES\nFIGURES.append(1)", []),
        ("BUTTONS = {}\nBUTTONS['final'] = 1", []),
    ],
)
def test_a_hook_is_noticed(line, found):
    assert changed_elsewhere(ast.parse(line), "ratings") == found


@pytest.mark.parametrize("room", DOMAIN)
def test_a_domain_app_has_no_page_and_knows_no_request(room):
    folder = f"{PLATFORM}{room}/"
    wrong = {
        path: [name for name in imported(tree) if is_of_pages(name)] or "request"
        for path, tree in trees_in(folder)
        if any(map(is_of_pages, imported(tree))) or names_request(tree)
    }
    assert wrong == {}
    files = [path.removeprefix(folder) for path in COMMITTED if path.startswith(folder)]
    assert [file for file in files if file.startswith(("templates/", "static/", "admin"))] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from django.contrib import admin", True),
        ("from django.contrib.admin.models import LogEntry", False),
        ("from django.template.loader import render_to_string", True),
        ("from django.db import models", False),
    ],
)
def test_an_import_of_pages_is_noticed(line, found):
    assert any(map(is_of_pages, imported(ast.parse(line)))) == found


def calls_in(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def services_of_rows() -> set[str]:
    """Return the services that the rows of actions name, as their modules call them."""
    rows = [
        call.args[3]
        for _, tree in trees_in(*(f"{PLATFORM}{room}/" for room in DOMAIN))
        for call in calls_in(tree)
        if ast.unparse(call.func) == "Action" and len(call.args) > 3
    ]
    return {ast.unparse(call.func) for row in rows for call in calls_in(row)} - {"isinstance"}


def test_an_action_is_one_row_whose_service_no_face_calls_by_another_way():
    services = services_of_rows()
    assert {"lifecycle.pause", "rulings.publish", "services.approve"} <= services
    found = {
        (path.removeprefix(PLATFORM), ast.unparse(call.func))
        for path, tree in trees_in(*(f"{PLATFORM}{face}/" for face in FACES))
        for call in calls_in(tree)
        if ast.unparse(call.func) in services | {"Action", "Export"}
    }
    # authors take out their own bots, without a reason
    assert found == {
        ("api/views/tournaments.py", "leaving.withdraw"),
        ("web/entry/views.py", "leaving.withdraw"),
    }


def test_the_table_of_what_is_where_stays_short():
    text = text_of("ARCHITECTURE.md")
    table = text[text.index("| looking for |") :].split("\n\n")[0]
    assert len(table.splitlines()) - 2 <= 45


def test_times_come_from_the_shared_clock():
    own = {
        path.removeprefix(PLATFORM)
        for path, tree in trees_in(PLATFORM)
        for node in ast.walk(tree)
        if "/migrations/" not in path
        and isinstance(node, ast.Attribute)
        and ast.unparse(node) == "timezone.now"
    }
    # the clock itself, and two that compare it with the machine's
    assert own == {"core/clock.py", "core/machines/expiring_tasks.py", "operations/doctor/database.py"}
