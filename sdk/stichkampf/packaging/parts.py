"""The named parts of the runtime that a sandbox shows to a bot.

Every sandbox has the part `python`: the C library and its loader, Python with numpy, gRPC and the SDK. A bot
that needs more than that and itself asks for further parts in its manifest::

    command = ["./karl"]
    parts = ["perl", "sh"]

A manifest that says nothing gets the part of the program that its command names, or that the first line
(`#!`) of the file names which its command starts. Nothing else of the machine's programs is there. A weight
class brings the parts that belong to it (`stichkampf.limits.WeightClass`): `net` brings `onnxruntime`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

PYTHON: Final = "python"
ONNXRUNTIME: Final = "onnxruntime"
PARTS: Final = (PYTHON, "javascript", "perl", "awk", "sh", ONNXRUNTIME)
PROGRAMS: Final = {
    "node": "javascript",
    "nodejs": "javascript",
    "perl": "perl",
    "awk": "awk",
    "mawk": "awk",
    "gawk": "awk",
    "sh": "sh",
    "dash": "sh",
    "bash": "sh",
}
"""The part that holds an interpreter, by the name of the program."""
FIRST_LINE_BYTES: Final = 256
"""The kernel reads this much of a first line."""


def parts_of(command: Sequence[str], first_lines: Mapping[str, bytes]) -> tuple[str, ...]:
    """Find the parts that a command needs by itself, beside `python`.

    :param command: of a manifest; empty for a Python bot.
    :param first_lines: the first lines of the files that begin with `#!`, by path.

    >>> parts_of(["./karl"], {"karl": b"#!/usr/bin/env perl"})
    ('perl',)
    """
    if not command:
        return ()
    # which the client in a sandbox does without
    from pathlib import PurePosixPath

    words = list(command)
    line = first_lines.get(command[0].removeprefix("./"))
    if line is not None:
        words = line.removeprefix(b"#!").split(b"\n")[0].decode("utf-8", "replace").split()
    named = [PurePosixPath(word).name for word in words]
    if named and named[0] == "env":
        named = [name for name in named[1:] if not name.startswith("-") and "=" not in name]
    part = PROGRAMS.get(named[0]) if named else None
    return () if part is None else (part,)
