"""A supervised platform on PostgreSQL that a Prometheus watches, by which tests see who is told."""

import json
import re
import socket
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import requests
import yaml
from stichkampf_platform.supervisor.installation import SECRETS
from stichkampf_platform.supervisor.launch import launch
from support import Program, free_port, wait_until

MONITORING = Path(__file__).parents[2] / "deploy" / "monitoring"
PAUSED = "SELECT 1 FROM tournaments_tournament WHERE slug = 'night' AND state = 'paused'"
LANDED = "SELECT count(*) FROM tournaments_table WHERE state = 'done'"
PART = re.compile(r'<th scope="row">([^<]+)</th>\s*<td>([^<]+)</td>')


class Site:
    """A supervised platform, and a Prometheus that watches it.

    :ivar database: a connection of an administrator, with autocommit.
    :ivar prometheus: its address.
    """

    def __init__(self, platform, database, prometheus):
        self.platform, self.database, self.prometheus = platform, database, prometheus
        self.admin = platform.administrator()

    def told(self):
        """Name the alerts that fire, each with the kind of work."""
        alerts = requests.get(f"{self.prometheus}/api/v1/alerts", timeout=10).json()["data"]["alerts"]
        firing = [alert["labels"] for alert in alerts if alert["state"] == "firing"]
        return {" ".join(filter(None, (each["alertname"], each.get("kind")))) for each in firing}

    def program(self, name):
        return wait_until(lambda: self.platform.program(name), goal=f"{name} runs")

    def sql(self, *statements):
        for statement in statements:
            self.database.execute(statement)

    def redis(self, *lines):
        """Send commands to Redis, as its administrator types them."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(str(self.platform.installation.redis_socket))
            for line in lines:
                client.sendall(f"{line}\r\n".encode())
                assert client.recv(256)[:1] in b"+:"

    def landed(self):
        return self.database.execute(LANDED).fetchone()[0]

    def go_on(self, alert):
        """Wait until this is not told any more, and another table has landed.

        A tournament that the platform has paused is resumed, as its organiser does.
        """
        if self.database.execute(PAUSED).fetchone():
            self.platform.act(self.admin, "tournaments/tournament", "resume", "night")
        before = self.landed()
        wait_until(lambda: self.landed() > before and alert not in self.told(), 300, goal="work goes on")

    def disrupted(self):
        """Name the parts that the status page calls disrupted, a few seconds late; or the page itself."""
        status, page = self.platform.visitor().get("/status/")
        if status == 503:
            return {"status page"}
        parts = PART.findall(page)
        assert parts
        return {name for name, word in parts if word == "disrupted"}

    def doctor(self):
        """Name the causes that the doctor finds."""
        command = [sys.executable, "-m", "stichkampf_platform", "doctor", "--json"]
        with launch(self.platform.installation, command, subprocess.PIPE, secrets=SECRETS) as process:
            said = process.communicate()[0].decode()
        return {found["cause"] for found in json.loads(said[said.index("[") : said.rindex("]") + 1])}


@contextmanager
def watched_site(folder, start_platform, server, name, **settings):
    """Start a platform in a folder, on an empty database of this name on a server of PostgreSQL."""
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with ExitStack() as stack:
        started = start_platform(folder, DATABASE_URL=f"{server}{name}", **settings)
        platform = stack.enter_context(started)
        prometheus = stack.enter_context(watching(platform, folder))
        database = stack.enter_context(closing(psycopg.connect(f"{server}{name}", autocommit=True)))
        yield Site(platform, database, prometheus)


@contextmanager
def watching(platform, folder):
    """Run Prometheus with the configuration of deploy/monitoring; yields its address."""
    settings = yaml.safe_load((MONITORING / "prometheus.yaml").read_text())
    settings["rule_files"] = [str(MONITORING / "alerts.yaml")]
    (job,) = settings["scrape_configs"]
    job["static_configs"] = [{"targets": [f"127.0.0.1:{platform.installation.port}"]}]
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(settings))
    place = f"127.0.0.1:{free_port()}"
    command = ["prometheus", f"--config.file={folder}/prometheus.yaml", f"--web.listen-address={place}"]
    command += [f"--storage.tsdb.path={folder}/prometheus"]
    with Program(command, folder / "prometheus.log", ready="Server is ready"):
        yield f"http://{place}"
