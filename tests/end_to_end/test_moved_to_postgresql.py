"""The rows of an installation with SQLite are those of PostgreSQL after a move or a conversion there, play
goes on, and a backup of them is restored for a rehearsal, as unit and as job.

STICHKAMPF_MOVED_BLOCKS has more of them played before the move: an hour's play has some 2,400.
"""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import yaml
from documents import typed_lines
from stichkampf_platform.supervisor import preparation
from support import wait_until

DEPLOY = Path(__file__).parents[2] / "deploy"
BEFORE = Path(__file__).parents[1] / "platform" / "operations"
FINAL = """
SELECT count(*) FROM ratings_snapshot s JOIN tournaments_tournament o ON o.id = s.tournament_id
WHERE o.slug = 'over' AND s.final AND s.published
"""
UNDER_WAY = 40
"""Blocks of which some are played before the move, and never all."""
PLAYED_BLOCKS = int(os.environ.get("STICHKAMPF_MOVED_BLOCKS", "2"))
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
SHOW_ROWS = ("shell", "--verbosity", "0", "--command", ROWS)


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
    return says(database, *SHOW_ROWS).splitlines()


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


def fields(name, blocks, deals):
    bots = ["random", "timid", "bold", "thumb"]
    options = f'{{"length": "deals:{deals}"}}'
    return {
        "name": name, "slug": name.lower(), "game": "sticheln", "seats": 4, "options": options,
        "blocks_planned": blocks, "bots": bots,
    }  # fmt: skip


def sit_down(visitor, path, **words):
    """Begin to play as a person does; return what the page of the table says of the hand."""
    wait_until(lambda: 'name="csrfmiddlewaretoken"' in visitor.get(path)[1], goal=f"{path} offers a table")
    return wait_until(
        lambda: re.search(r'name="decision" value="\d+"', visitor.send(path, **words)), goal="a seat"
    )


def seen(platform):
    """Return what visitors see of ladders, and of the tournament that was over, with its records."""
    visitor, own = platform.visitor(), platform.installation.address  # which links to further pages name
    ladders = {each["slug"]: each for each in visitor.api("/api/v1/ladders/")["results"]}
    pages = [visitor.page(f"/api/v1/tournaments/over/{part}/") for part in ("tables", "records")]
    return ladders, [page.replace(own, "/") for page in pages]


@pytest.mark.timeout(1800 + 4 * PLAYED_BLOCKS)
def test_what_is_under_way_goes_on_after_a_move(start_platform, new_database, monkeypatch):
    with tempfile.TemporaryDirectory(prefix="sk-moved-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with start_platform(folder) as before:
            admin = before.administrator()
            before.make_tournament(admin, **fields("Over", PLAYED_BLOCKS, deals=1))
            sit_down(before.visitor(), "/play/", game="stiche-raten")
            sit_down(before.visitor(), "/play/daily/stiche-raten/")
            state = before.installation.state
            with closing(sqlite3.connect(f"{state}/stichkampf.sqlite3")) as database:
                wait_until(
                    lambda: database.execute(FINAL).fetchone() > (0,),
                    1200 + 3 * PLAYED_BLOCKS,
                    goal="final ratings",
                )
            before.make_tournament(admin, **fields("Under-way", UNDER_WAY, deals=6))
            wait_until(
                lambda: before.progress("under-way")["progress"]["tables_done"], goal="some of it is played"
            )
            preparation.manage(before.installation, ("drain",))
            shown = seen(before)
            done = before.progress("under-way")["progress"]["tables_done"]
        here = before.installation
        there = {"DATABASE_URL": new_database("goes_on"), "STICHKAMPF_STORE": str(here.state / "new store")}
        rows = preparation.manage(here, SHOW_ROWS)
        with monkeypatch.context() as environment:
            for variable, value in there.items():
                environment.setenv(variable, value)
            began = time.monotonic()
            told = preparation.manage(
                here,
                (
                    "move_installation",
                    f"sqlite:///{here.state}/stichkampf.sqlite3",
                    str(here.state / "store"),
                ),
            )
            print(f"{told} in {time.monotonic() - began:.0f} s")
            assert "rows are here, as many as there" in told
            assert preparation.manage(here, SHOW_ROWS) == rows
        for table in ("play_playedtable", "play_dailyentry", "ratings_rating"):
            assert re.search(rf"^{table} \[\[", rows, re.MULTILINE), table
        with start_platform(folder, **there) as after:
            assert seen(after) == shown
            assert 0 < done <= after.progress("under-way")["progress"]["tables_done"] < 4 * UNDER_WAY
            preparation.manage(after.installation, ("drain", "--off"))
            wait_until(lambda: after.is_finished("under-way"), 600, goal="the tournament goes on to its end")
            assert after.progress("under-way")["progress"]["tables_done"] == 4 * UNDER_WAY
            assert seen(after) == shown
            sit_down(after.visitor(), "/play/", game="stiche-raten")


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


def commands_of_a_rehearsal(folder):
    """Yield the words of the document, the unit and the job, with this folder in place of theirs."""
    (typed,) = typed_lines("docs/operators.md", "python -m stichkampf_platform rehearse")
    unit = (DEPLOY / "systemd" / "stichkampf-rehearsal.service").read_text()
    jobs = yaml.safe_load_all((DEPLOY / "kubernetes/base/backup.yaml").read_text())
    (job,) = (each for each in jobs if each["metadata"]["name"] == "rehearsal")
    (container,) = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    for words in (typed.split(), re.search(r"ExecStart=(.*)", unit)[1].split(), container["command"]):
        *_, program, command, place = words
        assert (program, place) in (
            ("stichkampf_platform", "/var/backups/stichkampf"),
            ("stichkampf_platform", "/backups"),
        )
        yield command, str(folder)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_rehearsal_restores_the_newest_backup_beside_the_installation(
    kind, new_database, earlier, says, tmp_path, postgresql
):
    here = f"sqlite:///{tmp_path / 'here.sqlite3'}"
    says(here, "convert_installation", f"sqlite:///{earlier}")
    if kind == "postgresql":
        (tmp_path / "old store").mkdir()
        moved = here
        here = new_database("rehearsed")
        says(here, "move_installation", moved, str(tmp_path / "old store"))
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "older.tar").write_bytes(b"no backup")
    os.utime(folder / "older.tar", (1, 1))
    says(here, "backup", str(folder / "today.tar"))
    before = rows(says, here)
    for command in commands_of_a_rehearsal(folder):
        told = says(here, *command)
        assert "today.tar: Restored as of" in told
        assert "Restart" not in told  # everything runs on beside a rehearsal
        assert re.search(r"^\d+ ladders have the ratings of their results", told, re.MULTILINE)
    assert rows(says, here) == before
    if kind == "postgresql":
        with psycopg.connect(f"{postgresql}postgres") as server:
            left = server.execute("SELECT datname FROM pg_database WHERE datname LIKE '%rehearsal%'")
            assert left.fetchall() == []
    today = folder / "today.tar"
    today.write_bytes(today.read_bytes()[:10_000])
    assert "cannot be restored: " in refusal(says, here, folder)
    os.utime(today, (2, 2))
    assert "hours old, of 36 at most" in refusal(says, here, folder)
    for each in folder.iterdir():
        each.unlink()
    assert "has no backup (*.tar)" in refusal(says, here, folder)


def refusal(says, here, folder):
    with pytest.raises(subprocess.CalledProcessError) as failed:
        says(here, "rehearse", str(folder))
    return failed.value.stderr
