"""The named parts of the runtime (`stichkampf.packaging.parts`), made of this machine's programs.

A part is a list of files and folders to copy. The shared libraries of its programs are found when it is
copied.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATH = "/usr/local/bin:/usr/bin:/bin"
SHELL_PROGRAMS = (
    "sh bash basename cat chmod cmp comm cp cut date dd diff dirname echo expand expr factor false find fold"
    " grep head id join ln ls mkdir mkfifo mktemp mv nl nohup nproc od paste printf pwd readlink rm rmdir sed"
    " seq shuf sleep sort split stat tac tail tee test timeout touch tr true tsort uniq wc xargs"
)
PERL_FOLDERS = "print join qq(\\n), grep { m{^/usr/(lib|share)/} && !m{/perl5} } @INC"
PERL_SECONDS = 10.0
SHOWN_AT = Path("/opt/parts")
"""The folder of a sandbox that has a folder for each part."""


@dataclass(frozen=True, slots=True)
class CopiedPath:
    """A file or folder of this machine and its path in a part, such as `usr/bin/perl`."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class RuntimePart:
    """The contents of one part.

    :ivar links: symbolic links (text, path).
    :ivar texts: files that exist in sandboxes only (text, path).
    """

    name: str
    copies: tuple[CopiedPath, ...]
    links: tuple[tuple[str, str], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


def _of_programs(part: str, *names: str) -> RuntimePart | None:
    programs = [(name, shutil.which(name, path=PATH)) for name in names]
    copies = [
        CopiedPath(Path(found).resolve(), f"usr/bin/{name}") for name, found in programs if found is not None
    ]
    return RuntimePart(part, tuple(copies)) if copies else None


def _javascript() -> RuntimePart | None:
    return _of_programs("javascript", "node")


def _perl() -> RuntimePart | None:
    program = _of_programs("perl", "perl")
    if program is None:
        return None
    asked = subprocess.run(
        [program.copies[0].source, "-e", PERL_FOLDERS],
        env={},
        capture_output=True,
        text=True,
        check=True,
        timeout=PERL_SECONDS,
    )
    folders = [Path(line) for line in asked.stdout.splitlines() if os.path.isdir(line)]
    modules = tuple(CopiedPath(folder.resolve(), str(folder.relative_to("/"))) for folder in folders)
    return RuntimePart("perl", program.copies + modules)


def _awk() -> RuntimePart | None:
    return _of_programs("awk", "awk", "mawk", "gawk")


def _sh() -> RuntimePart | None:
    return _of_programs("sh", *SHELL_PROGRAMS.split())


FINDERS: dict[str, Callable[[], RuntimePart | None]] = {
    "javascript": _javascript,
    "perl": _perl,
    "awk": _awk,
    "sh": _sh,
}
"""Finders of the contents of parts, by name; they return None where the programs are not installed."""
