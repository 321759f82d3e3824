"""Steps before the services start. Each of them is safe to repeat."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from stichkampf_platform.supervisor.installation import SECRETS, Installation
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.output import CannotStart, last_line, step

ADMINISTRATOR = "admin"
SHOWN_TOURNAMENTS = 5
STEPS = (
    ("database, house bots, static files", ("upgrade",)),
    ("demonstration tournament", ("demo_tournament",)),
    ("main ladders", ("start_main_ladders",)),
)


def prepare(installation: Installation) -> str:
    """Bring the database, the house bots and the static files up to date.

    :returns: the administrator's password if this made the account, else "".
    :raises CannotStart: a step failed.
    """
    for what, command in STEPS:
        with step(what):
            manage(installation, command)
    with step("administrator"):
        return password_in(manage(installation, ("create_admin", "--username", ADMINISTRATOR)))


def new_password(installation: Installation) -> str:
    return password_in(manage(installation, ("reset_admin_password", "--username", ADMINISTRATOR)))


def state(installation: Installation) -> list[str]:
    """Return lines on the sandbox in use, on a machine too small for it, and on the newest tournaments."""
    status = json.loads(last_line(manage(installation, ("platform_status", "--json"))))
    tournaments = (
        "tournament {name}: {state}, {tables_done} of {tables} tables".format(**tournament)
        for tournament in status["tournaments"][:SHOWN_TOURNAMENTS]
    )
    return [*filter(None, (status["sandbox"], status["node"])), *tournaments]


def password_in(output: str) -> str:
    mark = "Password: "
    return next((line.removeprefix(mark) for line in output.splitlines() if line.startswith(mark)), "")


def manage(installation: Installation, command: Sequence[str]) -> str:
    """Run a management command and return its output.

    :raises CannotStart: it failed; the last line of its output is given as the reason.
    """
    command_line = [sys.executable, "platform/manage.py", *command]
    with launch(installation, command_line, subprocess.PIPE, secrets=SECRETS) as process:
        try:
            output = process.communicate()[0].decode(errors="replace")
        except BaseException:
            process.kill()
            raise
    if process.returncode == 0:
        return output
    with installation.open_log(command[0], "wb") as file:
        file.write(output.encode())
    reason = last_line(output) or f"exit code {process.returncode}"
    if "disk is full" in output or "No space left" in output:
        reason = "the disk is full; make room, then run make up again"
    raise CannotStart(f"{command[0]}: {reason} (all of it: {file.name})")
