"""The part for trained networks: onnxruntime, where it is installed beside the arbiter."""

from __future__ import annotations

import importlib.util

from stichkampf.packaging.parts import ONNXRUNTIME

from stichkampf_arbiter.sandbox.programs.distributions import distribution_files
from stichkampf_arbiter.sandbox.programs.parts import SHOWN_AT, CopiedPath, RuntimePart

PACKAGES = ("onnxruntime", "flatbuffers", "packaging")
"""Distributions of the part; numpy and protobuf, which it needs too, every sandbox shows."""
LEFT_OUT = ("backend", "datasets", "quantization", "tools", "transformers")
"""Folders of onnxruntime that its sessions do not use."""
SITE = "site-packages"
FOLDER = SHOWN_AT / ONNXRUNTIME / SITE


def onnxruntime_part() -> RuntimePart | None:
    """Lay out onnxruntime and what it needs; None where it is not installed."""
    if importlib.util.find_spec("onnxruntime") is None:
        return None
    copies: list[CopiedPath] = []
    for name in PACKAGES:
        for top, source in sorted(distribution_files(name).items()):
            if top == "onnxruntime":
                copies += [
                    CopiedPath(path, f"{SITE}/{top}/{path.name}")
                    for path in sorted(source.iterdir())
                    if path.name not in LEFT_OUT
                ]
            else:
                copies.append(CopiedPath(source, f"{SITE}/{top}"))
    return RuntimePart(ONNXRUNTIME, tuple(copies))
