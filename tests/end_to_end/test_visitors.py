"""Many visitors at once: connections are bounded, and every visitor gets an answer."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from stichkampf_platform.supervisor.installation import checkout
from support import children_of, wait_until

VISITORS, SECONDS = 100, 5
PATHS = ["/ladders/sticheln/", "/bots/house/thumb/", "/games/sticheln/"]
SLOTS = 8  # six for pages, one for health, one for logs
OTHERS = 12  # workers, which may connect meanwhile


def connections(platform):
    """Count connections to PostgreSQL from all programs, or to SQLite's file from the site."""
    address = os.environ.get("DATABASE_URL")
    if address:
        with psycopg.connect(address) as connection:
            query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            return connection.execute(query).fetchone()[0] - 1
    found = 0
    for pid in site_processes(platform):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            try:
                found += os.readlink(descriptor).endswith("stichkampf.sqlite3")
            except FileNotFoundError:
                continue
    return found


def site_processes(platform):
    pid = platform.running["site"].pid
    return [pid, *children_of(pid)]


def open_files(platform):
    return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in site_processes(platform))


@pytest.mark.timeout(300)
@pytest.mark.xdist_group("end_to_end")
def test_a_hundred_visitors_leave_no_connection_behind(platform):
    for path in PATHS:
        platform.visitor().page(path)
    before = connections(platform), open_files(platform)
    site_log = platform.installation.logs / "site.log"
    logged = len(site_log.read_text())  # by other tests, which kill programs
    command = [sys.executable, "benchmarks/storm.py", platform.installation.address, "--apart"]
    command += ["--visitors", str(VISITORS), "--seconds", str(SECONDS), *PATHS]
    most, healthy = 0, []
    with subprocess.Popen(command, cwd=checkout(), stdout=subprocess.PIPE) as storm:
        while storm.poll() is None:
            most = max(most, connections(platform))
            healthy.append(platform.visitor().get("/health/")[0])
            time.sleep(0.2)
        met = json.load(storm.stdout)
    assert set(met["statuses"]) <= {"200", "503"}
    assert met["statuses"]["200"]
    assert not met["errors"]
    assert not met["503 without a time"]
    assert set(healthy) == {200}
    assert most <= before[0] + SLOTS + OTHERS
    # SQLite has three files: the database, its log and that one's index
    wait_until(
        lambda: open_files(platform) <= before[1] + 3 * SLOTS, goal="the visitors' connections are closed"
    )
    assert platform.visitor().get(PATHS[0])[0] == 200
    log = site_log.read_text()[logged:]
    assert "too many clients" not in log
    assert "Traceback" not in log
