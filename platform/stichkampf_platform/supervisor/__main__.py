"""`make up` and `make admin-password`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import Place, checkout
from stichkampf_platform.supervisor.output import CannotStart, complain, say
from stichkampf_platform.supervisor.process_manager import Keeper, StopAsked
from stichkampf_platform.supervisor.services import arbiter, redis, site, workers
from stichkampf_platform.supervisor.subreaper import guarded


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m stichkampf_platform.supervisor", description=__doc__)
    parser.add_argument("command", nargs="?", choices=("up", "admin-password"), default="up")
    command = {"up": up, "admin-password": admin_password}[parser.parse_args().command]
    try:
        place = Place.from_environment(os.environ, checkout())
    except CannotStart as error:
        complain(str(error))
        return 1
    status = guarded(lambda: _explained(command, place))
    # Here, and not where services are stopped: the supervisor may have been killed.
    place.leave()
    return status


def _explained(command: Callable[[Place], int], place: Place) -> int:
    os.umask(0o022)
    try:
        return command(place)
    except CannotStart as error:
        complain(str(error))
        return 1


def up(place: Place) -> int:
    place.prepare_folders()
    with place.lock():
        place.check_port()
        say(f"Stichkampf in {place.root}")
        try:
            with Keeper(place) as keeper:
                broker = redis(place)
                keeper.start([broker] if broker else [])
                with keeper.interruptible():
                    password = preparation.prepare(place)
                keeper.start([arbiter(place)])
                keeper.start(workers())
                with keeper.interruptible():
                    preparation.collect_static_files(place)
                keeper.start([site(place)])
                with keeper.interruptible():
                    say(welcome(place, password, preparation.state(place)))
                keeper.watch()
        except StopAsked:
            return 0
    return 0


def admin_password(place: Place) -> int:
    place.prepare_folders()
    say(f"{preparation.ADMINISTRATOR}  {preparation.new_password(place)}")
    return 0


def welcome(place: Place, password: str, state: Sequence[str]) -> str:
    account = (
        f"{preparation.ADMINISTRATOR}, password {password} (shown this once)"
        if password
        else preparation.ADMINISTRATOR
    )
    lines = "\n  ".join(state)
    return f"""
Stichkampf is up: {place.address}

  {lines}

  administrator   {account}; `make admin-password` makes a new one
  admin pages     {place.address}admin/
  first bot       {place.address}join/ gives you an account, {place.address}account/tokens/ a token;
                  README.md has the five lines of a bot and how to submit it
  remote bots     dial in at {place.remote_listen}; {place.address}remote/new/ gives a token
  logs            {place.logs}
  stop            Ctrl-C; `make up` goes on where it stopped
"""


if __name__ == "__main__":
    sys.exit(main())
