"""Compile the translations of the site: each `.po` below `locale/` into the `.mo` beside it, for gettext.

`python platform/build_messages.py` makes those that are missing or older than their source; a wheel is built
with them. It needs polib, and nothing of the GNU gettext programs.
"""

from __future__ import annotations

import os
from pathlib import Path

import polib

LOCALE = Path(__file__).resolve().parent / "stichkampf_platform" / "locale"


def compile_messages() -> list[Path]:
    """Compile what is missing or out of date; return all compiled files."""
    compiled = []
    for source in sorted(LOCALE.rglob("*.po")):
        target = source.with_suffix(".mo")
        if not target.exists() or target.stat().st_mtime_ns < source.stat().st_mtime_ns:
            fresh = target.with_name(f"{target.name}.{os.getpid()}")
            polib.pofile(str(source)).save_as_mofile(str(fresh))
            fresh.replace(target)
        compiled.append(target)
    return compiled


if __name__ == "__main__":
    compile_messages()
