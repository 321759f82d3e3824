"""What happens before the services start, each step of it safe to repeat."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from stichkampf_platform.supervisor.installation import Place
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.output import CannotStart, last_line, step

ADMINISTRATOR = "admin"
SHOWN_TOURNAMENTS = 5
STEPS = (
    ("database", ("migrate", "--no-input", "--verbosity", "0")),
    ("house bots", ("seed_house",)),
    ("demonstration tournament", ("demo_tournament",)),
)


def prepare(place: Place) -> str:
    """Bring the database and the house bots up to date.

    :returns: the administrator's password if this made the account, else "".
    :raises CannotStart: a step failed.
    """
    for what, command in STEPS:
        with step(what):
            manage(place, command)
    with step("administrator"):
        return password_in(manage(place, ("create_admin", "--username", ADMINISTRATOR)))


def collect_static_files(place: Place) -> None:
    """What the site needs before it starts; without the files of pages that it does not have."""
    unused = [word for folder in ("redoc", "rest_framework") for word in ("--ignore", folder)]
    with step("static files"):
        manage(place, ("collectstatic", "--no-input", "--verbosity", "0", *unused))


def new_password(place: Place) -> str:
    return password_in(manage(place, ("reset_admin_password", "--username", ADMINISTRATOR)))


def state(place: Place) -> list[str]:
    """How strangers' code is contained, if this machine is too small, and how far the tournaments are."""
    status = json.loads(last_line(manage(place, ("platform_status", "--json"))))
    tournaments = (
        "tournament {name}: {state}, {tables_done} of {tables} tables".format(**tournament)
        for tournament in status["tournaments"][:SHOWN_TOURNAMENTS]
    )
    return [*filter(None, (status["sandbox"], status["node"])), *tournaments]


def password_in(output: str) -> str:
    mark = "Password: "
    return next((line.removeprefix(mark) for line in output.splitlines() if line.startswith(mark)), "")


def manage(place: Place, command: Sequence[str]) -> str:
    """The output of a management command that must succeed; the last line is the reason where it does not."""
    command_line = [sys.executable, "platform/manage.py", *command]
    with launch(place, command_line, subprocess.PIPE, secrets=True) as process:
        try:
            output = process.communicate()[0].decode(errors="replace")
        except BaseException:
            process.kill()
            raise
    if process.returncode == 0:
        return output
    with place.open_log(command[0], "wb") as file:
        file.write(output.encode())
    reason = last_line(output) or f"exit code {process.returncode}"
    if "disk is full" in output or "No space left" in output:
        reason = "the disk is full; make room, then run make up again"
    raise CannotStart(f"{command[0]}: {reason} (all of it: {file.name})")
