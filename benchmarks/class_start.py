"""The time from a list of names to a class that plays: thirty people who all submit their first bot at once.

    python benchmarks/class_start.py [--people N] [--port N]

Starts the services of `make up` in a temporary folder on SQLite. A teacher makes a class over HTTP; everybody
signs in with the slip and submits a bot of `stichkampf new`, all at the same time. Exits 1 where the last
verdict comes later than 5 minutes after the first submission, or somebody's first match ends later than 15
minutes after the list was sent.
"""

from __future__ import annotations

import argparse
import csv
import html
import io
import re
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import requests
from running_platform import running_platform
from stichkampf.cli.project.project_files import PYTHON, project_files
from stichkampf.games import GAMES
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.process_manager import StopAsked

VERDICT_SECONDS, START_SECONDS, PATIENCE_SECONDS = 300.0, 900.0, 2400.0
GAME, KIND, SUBMITTED_AT_ONCE = "sticheln", "rules", 6
PASSWORD = "kreide-tafel-schwamm"
TEACHER = f"""
from django.contrib.auth.models import Group
from stichkampf_platform.people.services import sign_up
sign_up(username="tina", password="{PASSWORD}").groups.add(Group.objects.get(name="Teachers"))
"""
SLIP = re.compile(r"<code>([a-z]+-[a-z]+-\d+)</code>.*?<code>([a-z0-9]{4}(?:-[a-z0-9]{4}){2})</code>", re.S)


class Browser:
    """A visitor with cookies, who fills in forms."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.session = requests.Session()
        self.session.trust_env = False

    def get(self, path: str) -> str:
        answer = self.session.get(self.address + path, timeout=60)
        answer.raise_for_status()
        return answer.text

    def send(self, path: str, files: dict | None = None, **fields: object) -> str:
        return self.send_again(path, self.get(path), files, **fields)

    def send_again(self, path: str, page: str, files: dict | None = None, **fields: object) -> str:
        """Send a form on a page, with the fields that it holds already."""
        found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
        hidden = {name: html.unescape(value) for name, value in found}
        answer = self.session.post(
            self.address + path, data={**hidden, **fields}, files=files, timeout=120,
            headers={"Referer": self.address + path},
        )  # fmt: skip
        answer.raise_for_status()
        return answer.text

    def sign_in(self, name: str, password: str) -> None:
        self.send("/login/", username=name, password=password)


def archive_of(number: int) -> bytes:
    """Return a new project, with a line of its own so that no two are the same."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in project_files("first", KIND, PYTHON, GAMES[GAME]).items():
            file.writestr(name, f"{text}\n# {number}\n" if name == "bot.py" else text)
    return content.getvalue()


def hand_in(address: str, number: int, name: str, password: str) -> None:
    visitor = Browser(address)
    visitor.sign_in(name, password)
    files = {"archive": ("first.zip", archive_of(number))}
    assert "the archive is valid" in visitor.send("/submit/", files, slug="first"), f"{name} is refused"


def counted(teacher: Browser, column: str) -> int:
    """Return how many people have more than nothing in a column of the file for grading."""
    rows = csv.DictReader(io.StringIO(teacher.get("/classes/1/progress.csv")))
    return sum(int(row[column]) > 0 for row in rows)


def seconds_until(teacher: Browser, column: str, people: int, since: float) -> float:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if counted(teacher, column) == people:
            return time.monotonic() - since
        time.sleep(2)
    there = counted(teacher, column)
    raise SystemExit(f"{column}: {there} of {people} after {PATIENCE_SECONDS:.0f} s")


def measure(address: str, people: int) -> int:
    teacher = Browser(address)
    teacher.sign_in("tina", PASSWORD)
    names = "\n".join(f"Person {chr(65 + number // 26)}{chr(65 + number % 26)}" for number in range(people))
    began = time.monotonic()
    names_shown = teacher.send("/classes/new/", name="Class", names=names, games=GAME)
    page = teacher.send_again("/classes/new/", names_shown)
    listed = time.monotonic() - began
    slips = SLIP.findall(page)
    assert len(slips) == people, f"{len(slips)} slips"
    first = time.monotonic()
    with ThreadPoolExecutor(SUBMITTED_AT_ONCE) as pool:
        list(pool.map(lambda each: hand_in(address, each[0], *each[1]), enumerate(slips)))
    submitted = time.monotonic() - first
    verdicts = seconds_until(teacher, "approved", people, first)
    playing = seconds_until(teacher, "matches", people, began)
    print(
        f"{people} people: slips after {listed:.1f} s; all have submitted {submitted:.0f} s after the first,"
    )
    print(f"all are approved after {verdicts:.0f} s; {playing:.0f} s after the list everybody has played")
    return 1 if verdicts > VERDICT_SECONDS or playing > START_SECONDS else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=30, help="people in the class (default: 30)")
    parser.add_argument("--port", type=int, default=8327, help="port of the site during the measurement")
    args = parser.parse_args()
    try:
        with running_platform(args.port) as platform:
            preparation.manage(platform.installation, ("shell", "--no-imports", "-c", TEACHER))
            return measure(platform.address, args.people)
    except StopAsked:
        return 1


if __name__ == "__main__":
    sys.exit(main())
