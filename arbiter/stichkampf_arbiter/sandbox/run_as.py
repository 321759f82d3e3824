"""Run a command as an unprivileged uid: ``python -m stichkampf_arbiter.sandbox.run_as --uid N [--view PATH]
-- COMMAND``.

It replaces itself with the command, so process number, standard streams and environment stay. Every
`--view` and the interpreter with its packages can be reached at their paths even where a folder above them is
closed to the uid. Statuses: 2 for wrong use or a path that cannot be opened, 126 and 127 as in a
shell, else the command's own.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.privileges.drop import give_up_root


def main() -> NoReturn:
    parser = argparse.ArgumentParser(
        prog="python -m stichkampf_arbiter.sandbox.run_as",
        description="Run a command as an unprivileged uid.",
    )
    parser.add_argument("--uid", type=int, required=True)
    parser.add_argument("--gid", type=int, help="the uid's number if missing")
    parser.add_argument("--view", type=Path, action="append", default=[], metavar="PATH")
    parser.add_argument("command", nargs="+")
    chosen = parser.parse_args()
    folder = os.getcwd()
    try:
        give_up_root(uid=chosen.uid, gid=chosen.gid, view=chosen.view)
    except SandboxError as error:
        sys.exit(_complain(error, 2))
    try:
        # `give_up_root` may have mounted something over the folder: enter it again by its path.
        os.chdir(folder)
        os.execvp(chosen.command[0], chosen.command)
    except FileNotFoundError as error:
        sys.exit(_complain(error, 127))
    except OSError as error:
        sys.exit(_complain(error, 126))


def _complain(error: Exception, status: int) -> int:
    print(f"run_as: {error}", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
