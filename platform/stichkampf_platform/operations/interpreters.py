"""The interpreters that a node's sandboxes have for bots of other languages, with their versions."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""The folders in which the arbiter looks for the programs of the runtime."""
ASKED: Final = {
    "javascript": ("node", "--version"),
    "perl": ("perl", "--version"),
    "awk": ("awk", "-W", "version"),
    "sh": ("bash", "--version"),
}
"""The command that tells a version, by the part of the runtime."""
SECONDS: Final = 10.0


@cache
def interpreters() -> dict[str, str]:
    """Return the interpreter in each part of the runtime that this machine has, with its version.

    An interpreter that does not tell its version is named without one.
    """
    return {part: found for part, command in ASKED.items() if (found := _interpreter(*command))}


def _interpreter(name: str, *question: str) -> str:
    program = shutil.which(name, path=PATH)
    if program is None:
        return ""
    try:
        answered = subprocess.run(
            [program, *question], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=SECONDS, env={"PATH": PATH},
        )  # fmt: skip
    except (OSError, UnicodeDecodeError, subprocess.TimeoutExpired):
        return Path(program).resolve().name
    version = re.search(r"\d+(\.\d+)+", answered.stdout)
    return " ".join(filter(None, [Path(program).resolve().name, version and version[0]]))
