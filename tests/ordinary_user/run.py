"""Run a command in a copy of this checkout as an ordinary user, who is made for it and removed afterwards.

The user is made as `useradd` makes any: on Debian with a range of uids for bots in `/etc/subuid`. The copy
lies in the home of that user and has the virtual environment, so that the command can be the tests.
Needs root.

    python tests/ordinary_user/run.py .venv/bin/python -m pytest tests/arbiter/sandbox
"""

from __future__ import annotations

import argparse
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns("var", ".git", ".*_cache", "__pycache__")


def copy_checkout(to: Path) -> None:
    """Copy files, compiled rules and virtual environment, which then finds its packages in the copy."""
    shutil.copytree(CHECKOUT, to, symlinks=True, ignore=LEFT_OUT)
    environment = to / ".venv"
    for file in (environment / "pyvenv.cfg", *environment.glob("lib/python3*/site-packages/*.pth")):
        file.write_text(file.read_text().replace(str(CHECKOUT), str(to)))


def run(command: list[str]) -> int:
    """Make the user, run the command, remove the user; the command's exit status."""
    name = f"sk-{secrets.token_hex(4)}"
    subprocess.run(["useradd", "--create-home", "--shell", "/bin/sh", name], check=True)
    try:
        user = pwd.getpwnam(name)
        copy = Path(user.pw_dir) / "checkout"
        copy_checkout(copy)
        subprocess.run(["chown", "--recursive", "--no-dereference", f"{name}:", copy], check=True)
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": user.pw_dir}
        print(f"as {name}: {' '.join(command)}", flush=True)
        return subprocess.run(
            command,
            cwd=copy,
            env=environment,
            user=user.pw_uid,
            group=user.pw_gid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
        ).returncode
    finally:
        subprocess.run(["userdel", "--force", "--remove", name], check=True, stderr=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command to run, in the copy")
    given = parser.parse_args()
    # Ended from outside, it still removes what it made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not given.command:
        parser.error("name the command to run, such as .venv/bin/python -m pytest tests/arbiter/sandbox")
    if os.getuid() != 0:
        parser.error("only root may make a user; run it as root, or run the command itself")
    return run(given.command)


if __name__ == "__main__":
    sys.exit(main())
