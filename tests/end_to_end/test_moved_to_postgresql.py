"""The rows of an installation with SQLite are those of PostgreSQL after a move, and its ratings the same."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg

DUMP = Path(__file__).parents[1] / "platform" / "operations" / "installation-8c9bc60f.sql"


def test_an_installation_moves_from_one_machine_to_a_server(postgresql, tmp_path):
    def says(database, *words):
        environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": database,
            "STICHKAMPF_STATE_DIR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.base",
        }
        command = [sys.executable, "-m", "stichkampf_platform", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    with closing(sqlite3.connect(tmp_path / "earlier.sqlite3")) as earlier:
        earlier.executescript(DUMP.read_text())
    with psycopg.connect(f"{postgresql}postgres", autocommit=True) as server:
        server.execute("CREATE DATABASE moved")
    (tmp_path / "old store").mkdir()
    old, new = f"sqlite:///{tmp_path / 'old.sqlite3'}", f"{postgresql}moved"
    says(old, "convert_installation", f"sqlite:///{tmp_path / 'earlier.sqlite3'}")
    assert "rows are here, as many as there" in says(
        new, "move_installation", old, str(tmp_path / "old store")
    )
    ask = (
        "from stichkampf_platform.ratings.models import Rating; from stichkampf_platform.people.models import"
    )
    ask += " User; print(list(Rating.objects.order_by('pk').values_list('elo', 'rank')),"
    ask += " list(User.objects.order_by('pk').values_list('username', 'date_joined', 'is_staff')))"
    told = {says(place, "shell", "--verbosity", "0", "--command", ask) for place in (old, new)}
    assert len(told) == 1
    assert "'olga'" in told.pop()
    says(new, "verify_ratings")
