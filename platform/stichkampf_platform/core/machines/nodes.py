"""The nodes of an installation: which there are, and which of them live."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet

from stichkampf_platform.core import clock
from stichkampf_platform.core.models import Node

SILENCE = timedelta(seconds=20)
"""A node that reported itself within this time lives."""
FORGOTTEN = timedelta(days=7)
NO_SANDBOX = "refused"
"""The sandbox level of a node that hosts no submitted bots."""
MATCHES = "matches of a node"
"""The name under which is noted that a match of its arbiter does not go on, once with each report."""

OWN_QUEUES = ("matches", "experiments")
"""Queues of which each node has one of its own besides, for the blocks that it has begun."""


def living() -> QuerySet[Node]:
    """Return the nodes that live."""
    return Node.objects.filter(seen_at__gte=clock.now() - SILENCE)


def others() -> QuerySet[Node]:
    """Return the living nodes but this one, whose arbiters answer."""
    return living().filter(arbiter_answers=True).exclude(name=this_node())


def interpreters() -> dict[str, list[str]]:
    """Return the interpreters in each part of the runtime, those of all nodes that live."""
    found: dict[str, set[str]] = {}
    for reported in living().values_list("interpreters", flat=True):
        for part, program in reported.items():
            found.setdefault(part, set()).add(program)
    return {part: sorted(programs) for part, programs in sorted(found.items())}


def others_that_must_host() -> tuple[list[str], bool]:
    """Return the names of `others`, and whether only they have a sandbox for submitted bots."""
    mine = Q(name=this_node())
    answering = Q(seen_at__gte=clock.now() - SILENCE, arbiter_answers=True)
    levels = dict(Node.objects.filter(answering | mine).values_list("name", "sandbox_level"))
    own = levels.pop(this_node(), "")
    return list(levels), own == NO_SANDBOX and not set(levels.values()) <= {NO_SANDBOX}


def queue_of(node: str, queue: str = OWN_QUEUES[0]) -> str:
    """Return the queue that only this node takes."""
    return f"{queue}.{node}"


def this_node() -> str:
    """Return the name of the node that this program runs on."""
    return settings.NODE
