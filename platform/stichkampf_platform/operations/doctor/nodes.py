"""Checks of what nodes report of themselves."""

from __future__ import annotations

from collections.abc import Iterator

import stichkampf

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.nodes import SILENCE, living
from stichkampf_platform.core.models import Node
from stichkampf_platform.operations.doctor.cause import CauseFound
from stichkampf_platform.operations.state_texts import GONE, TOLERATED_SKEW_SECONDS


def check_nodes() -> Iterator[CauseFound]:
    now = clock.now()
    for node in Node.objects.filter(seen_at__gte=now - GONE, seen_at__lt=now - SILENCE):
        yield CauseFound(
            "a node is silent",
            f"{node} was last heard of {(now - node.seen_at).total_seconds():.0f} s ago.",
            "See that its worker of the queue `matches` runs and reaches the database. Others play its"
            " tables.",
        )
    for node in living():
        if not node.arbiter_answers:
            yield CauseFound(
                "the arbiter of a node is away",
                f"{node} plays nothing.",
                "Start `python -m stichkampf_arbiter` there, and read its log.",
            )
        if node.version != stichkampf.__version__:
            yield CauseFound(
                "a node of another version",
                f"the worker of {node} is of {node.version}, this program of {stichkampf.__version__}.",
                "Finish the upgrade: restart what is older.",
            )
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
