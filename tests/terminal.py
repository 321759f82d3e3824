"""A terminal in which a test types lines as a reader of the documents would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Mapping
from copy import copy
from pathlib import Path

from support import Program

LINE_SECONDS = 300


class Terminal:
    """A folder in which each line is run by a shell of its own, with this environment's programs.

    They are found as the documents name them: `stichkampf`, `.venv/bin/stichkampf` and
    `~/stichkampf/bin/stichkampf`. Settings are kept below the folder.

    :ivar folder: where the lines are typed.
    """

    def __init__(
        self, folder: Path, *, stands_for: Mapping[str, str] | None = None, **environment: str
    ) -> None:
        """
        :param stands_for: what is typed in the place of an example of the documents, such as an address.
        :param environment: further variables.
        """
        programs = Path(sys.executable).parent
        self.folder = folder
        self._home = folder / ".home"
        self._stands_for = dict(stands_for or {})
        self._environment = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self._home),
            "LANG": "C.UTF-8",
            **environment,
        }
        self._home.mkdir()
        for link in (folder / ".venv", self._home / "stichkampf"):
            link.symlink_to(programs.parent)

    def type(self, line: str, *, pasted: str = "", statuses: Collection[int] = (0,)) -> str:
        """Run a line to its end; return what it wrote to standard output.

        :param pasted: what is typed where the command asks.
        :param statuses: with which it may end.
        """
        done = subprocess.run(
            ["sh", "-c", self._meant(line)], cwd=self.folder, env=self._environment, input=pasted,
            capture_output=True, text=True, check=False, timeout=LINE_SECONDS,
        )  # fmt: skip
        assert done.returncode in statuses, (
            f"{line}\nended with {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout

    def in_folder(self, name: str) -> Terminal:
        """Return this terminal in a folder below."""
        other = copy(self)
        other.folder = self.folder / name
        return other

    def start(self, line: str, *, ready: str | None = None) -> Program:
        """Start a line that runs until it is stopped.

        :param ready: words of its output that are waited for.
        """
        number = len(list(self._home.glob("output-*")))
        log = self._home / f"output-{number}"
        command = ["sh", "-c", f"exec {self._meant(line)}"]
        return Program(command, log, ready=ready, environment=self._environment, cwd=self.folder)

    def _meant(self, line: str) -> str:
        for example, meant in self._stands_for.items():
            line = line.replace(example, meant)
        return line
