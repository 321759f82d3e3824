"""Checks of what nodes report of themselves."""

from __future__ import annotations

from collections.abc import Iterator

from stichkampf_platform.core.machines.nodes import living
from stichkampf_platform.operations.doctor.cause import CauseFound
from stichkampf_platform.operations.state_texts import TOLERATED_SKEW_SECONDS


def check_nodes() -> Iterator[CauseFound]:
    for node in living():
        if abs(node.clock_skew_seconds) > TOLERATED_SKEW_SECONDS:
            yield CauseFound(
                "a node with a wrong clock",
                f"that of {node} is off by {node.clock_skew_seconds:+.0f} s. Play goes by the database's.",
                "Set it: `timedatectl set-ntp true`. Its logs are hard to read until then.",
                grave=False,
            )
        if node.store_trouble:
            yield CauseFound(
                "a node without the store",
                f"{node}: {node.store_trouble}",
                "Give it the STICHKAMPF_STORE of the others, and their key.",
            )
