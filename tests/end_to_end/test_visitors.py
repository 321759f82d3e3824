"""Many visitors at once, on the running platform: connections are bounded, and each has an answer."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psycopg
import pytest
from stichkampf_platform.supervisor.installation import checkout

from .conftest import children, wait_until

VISITORS, SECONDS = 100, 10
PATHS = ["/ladders/sticheln/", "/bots/thumb/", "/games/sticheln/"]
PLACES = 8  # six for pages, one for health, one for logs
OTHERS = 12  # workers, which may connect meanwhile


def connections(installation):
    """To PostgreSQL's database, from all programs; to SQLite's file, from the site."""
    address = os.environ.get("DATABASE_URL")
    if address:
        with psycopg.connect(address) as connection:
            query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            return connection.execute(query).fetchone()[0] - 1
    found = 0
    for pid in site_of(installation):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            try:
                found += os.readlink(descriptor).endswith("stichkampf.sqlite3")
            except FileNotFoundError:
                continue
    return found


def site_of(installation):
    pid = installation.running["site"].pid
    return [pid, *children(pid)]


def open_files(installation):
    return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in site_of(installation))


@pytest.mark.timeout(300)
def test_a_hundred_visitors_leave_the_site_as_it_was(installation):
    for path in PATHS:
        installation.visitor().page(path)
    before = connections(installation), open_files(installation)
    command = [sys.executable, "benchmarks/storm.py", installation.place.address, "--apart"]
    command += ["--visitors", str(VISITORS), "--seconds", str(SECONDS), *PATHS]
    most, healthy = 0, []
    with subprocess.Popen(command, cwd=checkout(), stdout=subprocess.PIPE) as storm:
        while storm.poll() is None:
            most = max(most, connections(installation))
            with urllib.request.urlopen(f"{installation.place.address}health/", timeout=60) as answer:
                healthy.append(answer.status)
            time.sleep(0.2)
        met = json.load(storm.stdout)
    assert set(met["statuses"]) <= {"200", "503"}
    assert met["statuses"]["200"]
    assert not met["errors"]
    assert not met["503 without a time"]
    assert set(healthy) == {200}
    assert most <= before[0] + PLACES + OTHERS
    # SQLite has three files: the database, its log and that one's index
    wait_until("the visitors' lines are closed", lambda: open_files(installation) <= before[1] + 3 * PLACES)
    assert installation.visitor().open(PATHS[0])[0] == 200
    log = (installation.place.logs / "site.log").read_text()
    assert "too many clients" not in log
    assert "Traceback" not in log
