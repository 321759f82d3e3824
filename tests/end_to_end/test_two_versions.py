"""An upgrade under load: an earlier version plays on while the schema changes and the newer one joins it.

The earlier version is the last one before there were several machines. It comes out of the repository's
history, and runs in today's environment, on hosts of namespaces.
"""

import json
import subprocess
import sys

import pytest
from stichkampf_platform.supervisor.installation import checkout

from benchmarks.nodes.machines import Machines

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800), pytest.mark.xdist_group("supervised")]

EARLIER = "3ae20f33"
MISSING = "drf_spectacular_sidecar"
"""A package of static files that the earlier version names, and today's environment lacks."""
PROGRAMS = ("arbiter", "worker", "maintenance", "beat", "site")
WAITING_SECONDS = "0.15"
BLOCKS, TABLES_A_BLOCK = 10, 4
DONE = "SELECT count(*) FROM tournaments_table WHERE state = 'done'"
PLAYED_BY = "SELECT count(*) FROM tournaments_block WHERE node = %s AND over_at IS NOT NULL"
RATED = "SELECT 1 FROM ratings_snapshot WHERE tournament_id IS NOT NULL AND final AND published"
ANSWER = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).status)"


def earlier(folder):
    """Put the earlier version into a folder; return what its programs have in their environment."""
    folder.mkdir()
    archive = subprocess.run(["git", "-C", checkout(), "archive", EARLIER], check=True, capture_output=True)
    subprocess.run(["tar", "--extract", "--directory", folder], input=archive.stdout, check=True)
    (folder / "platform" / f"{MISSING}.py").touch()
    return {"PYTHONPATH": ":".join(str(folder / name) for name in ("sdk", "arbiter", "platform"))}


def test_an_upgrade_while_both_versions_play_loses_nothing():
    with Machines() as machines:

        def done_more(tables, by):
            begun = machines.sql(DONE)[0][0]
            machines.wait_for(lambda: machines.sql(DONE)[0][0] >= begun + tables, f"{by} plays", 300)

        machines.start_servers()
        machines.settings_of_hosts["head"] = earlier(machines.folder / "earlier")
        for command in (("migrate", "--no-input", "-v0"), ("seed_house",)):
            machines.call_python("-m", "django", *command)
        machines.call_python("-m", "benchmarks.nodes.tournaments", "bots", WAITING_SECONDS)
        machines.call_python("-m", "benchmarks.nodes.tournaments", "start", "upgrade", str(BLOCKS))
        old = machines.add("old")
        machines.settings_of_hosts["old"] = {
            **machines.settings_of_hosts["head"],
            "ALLOWED_HOSTS": old.address,
        }
        for program in PROGRAMS:
            machines.run(old, program)
        done_more(1, "the earlier version")

        machines.settings_of_hosts["head"] = {}
        machines.manage("upgrade")
        done_more(TABLES_A_BLOCK + 1, "the earlier version on the newer schema")
        health = f"http://{old.address}:8000/health/"
        assert machines.head.call(sys.executable, "-c", ANSWER, health).strip() == "200"

        machines.start_node("new")
        machines.wait_for(lambda: machines.sql(PLAYED_BY, "new")[0][0], "the newer version plays too", 300)

        old.kill()
        for program in PROGRAMS:
            machines.run(machines.head, program)
        machines.wait_for(lambda: machines.sql(RATED), "the final ratings are published", 600)
        found = json.loads(machines.call_python("-m", "benchmarks.nodes.tournaments", "check", "upgrade"))
        expected = {
            "state": "finished",
            "tables": {"done": BLOCKS * TABLES_A_BLOCK},
            "replaced blocks": 0,
            "results a table": {"4": BLOCKS * TABLES_A_BLOCK},
            "rated tables": BLOCKS * TABLES_A_BLOCK,
            "faults": 0,
            "ladder equals the records": True,
            "ladder equals the results": True,
        }
        assert {name: found[name] for name in expected} == expected
        assert found["nodes"].keys() >= {"", "new"}
