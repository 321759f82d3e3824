"""`make up`, `make admin-password` and `make manage`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from stichkampf_platform.supervisor import compiled_rules, preparation
from stichkampf_platform.supervisor.installation import SECRETS, Installation, checkout
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.output import CannotStart, show, show_error
from stichkampf_platform.supervisor.process_manager import ProcessManager, StopAsked
from stichkampf_platform.supervisor.services import arbiter, hub, redis, site, workers
from stichkampf_platform.supervisor.subreaper import run_in_subreaper


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m stichkampf_platform.supervisor", description=__doc__)
    parser.add_argument("command", nargs="?", choices=("up", "admin-password", "manage"), default="up")
    parser.add_argument("--compile", action="store_true", help="play no match before the rules are compiled")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="with manage: a command of manage.py")
    given = parser.parse_args()
    commands = {
        "up": partial(up, compiled=given.compile),
        "admin-password": admin_password,
        "manage": partial(manage, words=given.words),
    }
    command = commands[given.command]
    try:
        installation = Installation.from_environment(os.environ, checkout())
    except CannotStart as error:
        show_error(str(error))
        return 1
    status = run_in_subreaper(lambda: _explained(command, installation))
    # Not at the place where services are stopped, because the supervisor may have been killed before.
    installation.leave()
    return status


def _explained(command: Callable[[Installation], int], installation: Installation) -> int:
    os.umask(0o022)
    try:
        return command(installation)
    except CannotStart as error:
        show_error(str(error))
        return 1


def up(installation: Installation, *, compiled: bool = False) -> int:
    """Run the platform until a stop signal arrives.

    :param compiled: play no match on interpreted rules: without compiled ones the site comes first, and what
        plays follows once the rules are compiled.
    """
    installation.prepare_folders()
    with installation.lock():
        installation.check_port()
        show(f"Stichkampf in {installation.root}")
        try:
            with ProcessManager(installation) as manager:
                broker = redis(installation)
                manager.start([broker] if broker else [])
                with manager.interruptible():
                    password = preparation.prepare(installation)
                rules_are_awaited = compiled and compiled_rules.are_awaited(installation)
                if not rules_are_awaited:
                    start_matches(manager)
                manager.start([site(installation)])
                with manager.interruptible():
                    state = COMPILING if rules_are_awaited else preparation.state(installation)
                    show(welcome(installation, password, state))
                if rules_are_awaited and compile_rules(manager):
                    start_matches(manager)
                    with manager.interruptible():
                        show("\n  " + "\n  ".join(preparation.state(installation)))
                with compiled_rules.wheels(installation) if compiled else contextlib.nullcontext():
                    manager.watch()
        except StopAsked:
            return 0
    return 0


def start_matches(manager: ProcessManager) -> None:
    """Start everything that plays."""
    manager.start([arbiter(manager.installation)])
    manager.start([hub(), *workers()])


def compile_rules(manager: ProcessManager) -> bool:
    """Compile the rules while the site runs, and say how that ended; return whether they are compiled.

    :raises StopAsked: a stop signal has arrived.
    """
    began = time.monotonic()

    def so_far() -> str:
        return f"  the rules are being compiled: {time.monotonic() - began:.0f} s so far"

    with compiled_rules.compilation(manager.installation) as process:
        manager.watch(until=process, news=so_far)
        manager.raise_if_asked()
    if process.returncode == 0:
        show(f"the rules are compiled, after {time.monotonic() - began:.0f} s: matches begin")
        return True
    log = manager.installation.logs / "rules.log"
    outcome = compiled_rules.outcome(log)
    show(f"no match is played: {outcome}; {compiled_rules.INTERPRETED} make up plays on interpreted rules")
    return False


def admin_password(installation: Installation) -> int:
    installation.prepare_folders()
    show(f"{preparation.ADMINISTRATOR}  {preparation.new_password(installation)}")
    return 0


def manage(installation: Installation, *, words: Sequence[str]) -> int:
    """Run a command of manage.py as the user and in the environment of the services."""
    installation.prepare_folders()
    command = [sys.executable, "platform/manage.py", *words]
    with launch(installation, command, sys.stdout.buffer, secrets=SECRETS) as process:
        return process.wait()


COMPILING = [
    "the rules are being compiled, which takes some three minutes once; matches begin when that is done:",
    "first results on every ladder two minutes later, settled ranks after ten",
]


def welcome(installation: Installation, password: str, state: Sequence[str]) -> str:
    """Return the text shown once all services run."""
    address = installation.address
    account = (
        f"{preparation.ADMINISTRATOR}, password {password} (shown this once)"
        if password
        else preparation.ADMINISTRATOR
    )
    lines = "\n  ".join(state)
    return f"""
Stichkampf is up: {address}

  {lines}

  administrator   {account}; `make admin-password` makes a new one
  admin pages     {address}admin/
  first bot       {address}join/ gives you an account, {address}account/tokens/ a token;
                  README.md has the five lines of a bot and how to submit it
  remote bots     dial in at {installation.remote_listen}; {address}remote/new/ gives a token
  logs            {installation.logs}
  stop            Ctrl-C; `make up` goes on where it stopped
"""


if __name__ == "__main__":
    sys.exit(main())
