"""Hook of the build of `stichkampf-server`: its wheel holds the arbiter and compiled translations too."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLATFORM = Path(__file__).resolve().parent
ARBITER = PLATFORM.parent / "arbiter" / "stichkampf_arbiter"


class ServerHook(BuildHookInterface[Any]):
    """Hook that adds arbiter and translations to a wheel; an editable one finds both where they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        added = build_data["force_include"]
        added[str(ARBITER)] = ARBITER.name
        for compiled in runpy.run_path(str(PLATFORM / "build_messages.py"))["compile_messages"]():
            added[str(compiled)] = str(compiled.relative_to(PLATFORM))
