"""The rows of an installation with SQLite are those of PostgreSQL after a move or a conversion there."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

BEFORE = Path(__file__).parents[1] / "platform" / "operations"
ROWS = """
import json
from django.contrib.auth.models import Group
from stichkampf_platform.operations.conversion import kept_models
def told(value):
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else str(value)
for model in kept_models():
    if model._meta.app_label not in ("auth", "contenttypes"):  # numbered anew
        rows = list(model.objects.order_by("pk").values_list())
        print(model._meta.db_table, json.dumps(rows, default=told, sort_keys=True))
print(sorted(Group.objects.values_list("name", "permissions__codename")))
"""


@pytest.fixture
def says(tmp_path):
    """Run a command of the installation with a database, and return what it says."""

    def says(database, *words):
        environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": database,
            "STICHKAMPF_STATE_DIR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.base",
        }
        command = [sys.executable, "-m", "stichkampf_platform", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    return says


@pytest.fixture
def earlier(tmp_path):
    """The database of an installation of 8c9bc60f, as its own programs filled it."""
    path = tmp_path / "earlier.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.executescript((BEFORE / "installation-8c9bc60f.sql").read_text())
    return path


@pytest.fixture
def new_database(postgresql):
    """Make a database on the server, and return its address."""

    def new_database(name):
        with psycopg.connect(f"{postgresql}postgres", autocommit=True) as server:
            server.execute(f"CREATE DATABASE {name}")
        return f"{postgresql}{name}"

    return new_database


def rows(says, database):
    return says(database, "shell", "--verbosity", "0", "--command", ROWS).splitlines()


def test_an_installation_moves_from_one_machine_to_a_server(new_database, earlier, says, tmp_path):
    (tmp_path / "old store").mkdir()
    old, new = f"sqlite:///{tmp_path / 'old.sqlite3'}", new_database("moved")
    says(old, "convert_installation", f"sqlite:///{earlier}")
    assert "rows are here, as many as there" in says(
        new, "move_installation", old, str(tmp_path / "old store")
    )
    there, here = (
        [line for line in rows(says, place) if line.startswith(("ratings_rating ", "people_user "))]
        for place in (old, new)
    )
    assert there == here
    assert '"olga"' in "".join(here)
    says(new, "verify_ratings")


def test_an_installation_of_8c9bc60f_on_postgresql_is_converted_as_one_on_sqlite(
    new_database, earlier, says, tmp_path
):
    before = new_database("before")
    with (
        closing(sqlite3.connect(earlier)) as source,
        psycopg.connect(before, options="-c timezone=UTC") as target,
    ):
        for statement in (BEFORE / "tables-8c9bc60f.sql").read_text().splitlines():
            target.execute(statement)
            table = statement.split()[2]
            found = source.execute(f'SELECT * FROM "{table}"')
            columns = ", ".join(f'"{column[0]}"' for column in found.description)
            marks = ", ".join(["%s"] * len(found.description))
            for row in found:
                values = [value if isinstance(value, bytes | None) else str(value) for value in row]
                target.execute(f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', values)
    old, new = f"sqlite:///{tmp_path / 'old.sqlite3'}", new_database("converted")
    told = says(old, "convert_installation", f"sqlite:///{earlier}")
    assert "rows of 28 tables were taken over" in told
    assert says(new, "convert_installation", before) == told
    assert rows(says, new) == rows(says, old)
    says(new, "verify_ratings")
    add = "from stichkampf_platform.people.models import User; print(User.objects.create(username='new').pk)"
    assert int(says(new, "shell", "--verbosity", "0", "--command", add)) > 1
