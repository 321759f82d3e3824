"""A platform of real programs, on SQLite or PostgreSQL, which tests drive over HTTP as any visitor would."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import SECRETS, checkout
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.output import last_line
from stichkampf_platform.supervisor.services import arbiter, hub, redis, site, workers
from support import PASSWORD, Visitor, children_of, command_of, wait_until

ACCOUNTS = """
from django.contrib.auth.models import Group
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token
rights = dict(is_superuser={superuser}, is_staff={superuser})
people = [User.objects.update_or_create(username=name, defaults=rights)[0] for name in {names}]
for person in people:
    person.set_password({password!r})
    person.save(update_fields=["password"])
for group in Group.objects.filter(name={group!r}):
    group.user_set.add(*people)
names = ((person, "by the server, %d" % person.api_tokens.count()) for person in people)
print(*(create_token(owner=person, name=name, scope={scope!r})[1] for person, name in names))
"""


def _name_of(pid):
    """Return the short name that a process has given itself; empty once it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


class RunningPlatform:
    """The programs of `make up`, each of which a test may kill and start again.

    :ivar installation: its folders, port and sockets.
    :ivar password: the administrator's.
    """

    def __init__(self, installation):
        self.installation = installation
        self.services = {
            service.name: service
            for service in [
                redis(installation),
                arbiter(installation),
                hub(),
                *workers(),
                site(installation),
            ]
        }
        self.running = {}
        self.password = ""
        self.lock = threading.RLock()
        self.ending = threading.Event()
        self.restarter = threading.Thread(target=self._restart_ended_programs, daemon=True)

    def up(self):
        self.installation.prepare_folders()
        self.start("redis")
        preparation.manage(self.installation, ("upgrade",))
        self.password = preparation.password_in(preparation.manage(self.installation, ("create_admin",)))
        for name in self.services:
            if name != "redis":
                self.start(name)
        self.restarter.start()

    def start(self, name):
        service = self.services[name]
        with self.lock:
            with (self.installation.logs / f"{name}.log").open("ab") as log:
                self.running[name] = launch(
                    self.installation,
                    service.command,
                    log,
                    keeps_root=service.keeps_root,
                    secrets=service.secrets,
                )
            wait_until(service.ready, goal=f"{name} is ready")

    def kill(self, name):
        """Send SIGKILL to a program and all its children, as a crash would end them."""
        with self.lock:
            process = self.running.pop(name)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def restart(self, name):
        with self.lock:
            self.kill(name)
            self.start(name)

    def down(self):
        self.ending.set()
        if self.restarter.is_alive():
            self.restarter.join()
        for name in reversed(list(self.running)):
            self.kill(name)

    def _restart_ended_programs(self):
        """Start a program that has ended by itself again, as the supervisor does."""
        while not self.ending.wait(0.2):
            with self.lock:
                for name in [name for name, process in self.running.items() if process.poll() is not None]:
                    self.start(name)

    def visitor(self):
        return Visitor(self.installation.address)

    def member(self, name):
        """Make an account on the server; return a visitor who is signed in, with an API token."""
        (visitor,) = self.authors(name)
        visitor.send("/login/", username=name, password=PASSWORD)
        return visitor

    def authors(self, *names, group="", scope="author", superuser=False):
        """Make accounts on the server, more than may sign up from one address in an hour.

        Returns visitors with API tokens of this scope.
        """
        code = ACCOUNTS.format(names=names, group=group, scope=scope, superuser=superuser, password=PASSWORD)
        made = preparation.manage(self.installation, ("shell", "--no-imports", "-c", code))
        visitors = []
        for token in last_line(made).split():
            visitors.append(self.visitor())
            visitors[-1].token = token
        return visitors

    def administrator(self):
        admin = self.visitor()
        admin.send("/admin/login/", username="admin", password=self.password, next="/admin/")
        return admin

    def admin_home(self, admin):
        """Return the first page of the administration, once the arbiter has reported its sandbox level."""

        def page_with_level():
            page = admin.page("/admin/")
            return page if "sandbox: " in page else ""

        return wait_until(page_with_level, goal="the arbiter has reported its sandbox level")

    def make_tournament(self, admin, *, bots, **fields):
        """Make a tournament in the administration, as an organiser does, and start it."""
        path = "/admin/tournaments/tournament/add/"
        ids = dict(re.findall(r'<option value="(\d+)"[^>]*>([^<]+)</option>', admin.page(path)))
        entrants = [
            number for number, version in ids.items() if version.split(" v")[0].rpartition("/")[2] in bots
        ]
        settings = {
            "format": "round-robin", "stopping": "fixed", "rated": "on", "published": "on",
            "move_seconds": "2", "bank_seconds": "10", "cap_seconds": "5", "fault_allowance": "2", **fields,
        }  # fmt: skip
        answer = admin.send(path, **settings, entrants=entrants)
        assert "was added successfully" in answer, re.findall(r"errorlist[^>]*>(.*?)</ul>", answer, re.S)
        self.act(admin, "tournaments/tournament", "start", fields["slug"])

    def act(self, admin, model, action, row):
        """Apply an action of the administration to the row that shows this text, and confirm it."""
        path = f"/admin/{model}/"
        found = re.search(
            rf'<tr>.*?name="_selected_action" value="(\d+)".*?{row}', admin.page(f"{path}?q={row}"), re.S
        )
        return admin.send(path, action=action, _selected_action=found[1], index="0", confirmed="yes")

    def progress(self, slug):
        return self.visitor().api(f"/api/v1/tournaments/{slug}/")

    def is_finished(self, slug):
        return self.progress(slug)["state"] == "finished"

    def approved(self, source, games, *names):
        """Add a version of each of these bots, such as `ann/karl`, that counts as validated."""
        command = [sys.executable, str(Path(__file__).with_name("approve.py")), source, ",".join(games)]
        with launch(self.installation, [*command, *names], subprocess.PIPE, secrets=SECRETS) as process:
            output = process.communicate()[0].decode()
        assert process.returncode == 0, output

    def validated(self, author, slug, archive):
        """Submit an archive, approve it where the sandbox asks for that, and wait for its validation.

        :returns: the submission as the API shows it to its author.
        """
        status, answer = author.submit(slug, archive)
        assert status == 201, answer
        self.approve_where_asked(slug)
        return self.finished_submission(author, answer["id"])

    def approve_where_asked(self, *rows):
        """Approve the versions with these texts in their rows, where the sandbox asks for that."""
        admin = self.administrator()
        if "sandbox: hosted" not in self.admin_home(admin):
            for row in rows:
                self.act(admin, "bots/version", "approve", row)

    def finished_submission(self, author, number):
        """Wait until a submission is validated, and return it as the API shows it to its author."""
        path = f"/api/v1/submissions/{number}/"

        def finished():
            submission = author.api(path)
            return submission if submission["finished_at"] else None

        return wait_until(finished, 600, goal=f"submission {number} is validated")


class SupervisedPlatform(RunningPlatform):
    """A platform whose programs the supervisor of `make up` starts, and starts again after a kill.

    They are those of the installation's checkout, which may be another than this one.
    """

    def up(self):
        self.installation.prepare_folders()
        with self.log.open("wb") as output:
            self.supervisor = subprocess.Popen(
                self._command(), stdout=output, stderr=subprocess.STDOUT, **self._place()
            )
        welcome = wait_until(self._welcome, 300, goal="the platform is up")
        shown = re.search(r"password (\S+) \(shown this once", welcome)
        self.password = shown[1] if shown else ""

    def manage(self, *words):
        """Give a command, as `make manage` does; return what it said."""
        command = [*self._command(), "manage", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, **self._place()).stdout

    def _command(self):
        here = self.installation.root == checkout()
        python = sys.executable if here else self.installation.root / ".venv/bin/python"
        return [python, "-m", "stichkampf_platform.supervisor"]

    def _place(self):
        """Return the folder and the environment of the supervisor and its commands."""
        environment = {
            **os.environ,
            "STICHKAMPF_VAR": str(self.installation.var),
            "STICHKAMPF_PORT": str(self.installation.port),
            "STICHKAMPF_LADDERS": os.environ.get("STICHKAMPF_LADDERS", "0"),
        }
        return {"cwd": self.installation.root, "env": environment}

    @property
    def log(self):
        return self.installation.logs / "supervisor.log"

    def _welcome(self):
        assert self.supervisor.poll() is None, self.log.read_text()
        text = self.log.read_text()
        return text if "Ctrl-C" in text else ""

    def program(self, name):
        """List the process of a service and its children; none while it is dead."""
        mark = {
            "workers": "stichkampf_platform.workers",
            "redis": "redis-server",
            "arbiter": "stichkampf_arbiter",
            "site": "stichkampf_platform.serving",
            "hub": "stichkampf_platform.play.hub",
        }
        if name not in mark:  # one of the workers, or the beat
            _, *children = self.program("workers") or [0]
            named = [pid for pid in children if _name_of(pid) == name]
            return [*named, *children_of(named[0])] if named else []
        (parent,) = children_of(self.supervisor.pid)[:1] or [0]
        for pid in children_of(parent):
            words = command_of(pid)
            if mark[name] in words or any(word.endswith(f"/{mark[name]}") for word in words):
                return [pid, *children_of(pid)]
        return []

    def down(self):
        if self.supervisor.poll() is None:
            self.supervisor.terminate()
        self.supervisor.wait(timeout=120)
