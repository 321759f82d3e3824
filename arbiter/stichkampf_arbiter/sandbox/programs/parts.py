"""The named parts of the runtime (`stichkampf.packaging.parts`), made of this machine's programs.

A part is a list of files and folders to copy. The shared libraries of its programs are found when it is
copied.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

PATH = "/usr/local/bin:/usr/bin:/bin"
SHELL_PROGRAMS = (
    "sh bash basename cat chmod cmp comm cp cut date dd diff dirname echo expand expr factor false find fold"
    " grep head id join ln ls mkdir mkfifo mktemp mv nl nohup nproc od paste printf pwd readlink rm rmdir sed"
    " seq shuf sleep sort split stat tac tail tee test timeout touch tr true tsort uniq wc xargs"
)
PERL_FOLDERS = """
use Config;
my %added = map { ($Config{$_} // "") => 1 } qw(sitelibexp sitearchexp vendorlibexp vendorarchexp);
print join "\\n", grep { m{^/usr/} && !m{/site_perl$} && !$added{$_} } @INC;
"""
"""Prints where Perl's own modules are, without folders for those that others add."""
GAWK_FOLDERS = (
    'BEGIN { gsub(":", "\\n", ENVIRON["AWKPATH"]); print ENVIRON["AWKPATH"] "\\n" ENVIRON["AWKLIBPATH"] }'
)
SCRIPTS = (b".js", b".cjs", b".mjs")
ASK_SECONDS = 10.0
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
    :ivar named: endings of the files that its programs and libraries name and load by themselves.
    """

    name: str
    copies: tuple[CopiedPath, ...]
    links: tuple[tuple[str, str], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    named: tuple[bytes, ...] = ()


def _of_programs(part: str, *names: str) -> RuntimePart | None:
    programs = [(name, shutil.which(name, path=PATH)) for name in names]
    copies = [
        CopiedPath(Path(found).resolve(), f"usr/bin/{name}") for name, found in programs if found is not None
    ]
    return RuntimePart(part, tuple(copies)) if copies else None


def _javascript() -> RuntimePart | None:
    """Find Node, which as some distributions build it reads modules of its own from files."""
    program = _of_programs("javascript", "node")
    return program and replace(program, named=SCRIPTS)


def _perl() -> RuntimePart | None:
    program = _of_programs("perl", "perl")
    return program and _with_folders(program, program.copies[0].source, "-e", PERL_FOLDERS)


def _awk() -> RuntimePart | None:
    part = _of_programs("awk", "awk", "mawk", "gawk")
    gawk = shutil.which("gawk", path=PATH)
    return _with_folders(part, gawk, GAWK_FOLDERS) if part and gawk else part


def _with_folders(part: RuntimePart, *asked: Path | str) -> RuntimePart:
    """Add to a part the folders below /usr that a program of its own prints, one a line."""
    told = subprocess.run(
        asked, env={}, capture_output=True, text=True, check=True, timeout=ASK_SECONDS
    ).stdout
    folders = [Path(line) for line in told.splitlines() if line.startswith("/usr/") and os.path.isdir(line)]
    modules = tuple(CopiedPath(folder.resolve(), str(folder.relative_to("/"))) for folder in folders)
    return replace(part, copies=part.copies + modules)


def _sh() -> RuntimePart | None:
    return _of_programs("sh", *SHELL_PROGRAMS.split())


FINDERS: dict[str, Callable[[], RuntimePart | None]] = {
    "javascript": _javascript,
    "perl": _perl,
    "awk": _awk,
    "sh": _sh,
}
"""Finders of the contents of parts, by name; they return None where the programs are not installed."""
