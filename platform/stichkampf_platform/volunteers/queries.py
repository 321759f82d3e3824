from __future__ import annotations

from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet
from stichkampf.bots.registry import house_bots

from stichkampf_platform.core import clock
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Block, Seat, Table
from stichkampf_platform.tournaments.queries import due_blocks, fills_idle_time, leased_tables
from stichkampf_platform.tournaments.visibility import seen_by
from stichkampf_platform.volunteers.models import VolunteerNode

LIVING = timedelta(minutes=5)
"""A volunteer's machine that asked, or kept a block, within this time takes part."""


def open_blocks() -> QuerySet[Block]:
    """Return the blocks that a volunteer may play, in their order.

    Each seat is a house bot that repeats from the seed, everybody sees the tournament, and no table was ever
    begun: what a volunteer has had in hands once goes to nodes alone.
    """
    others = Seat.objects.filter(table__block=OuterRef("pk")).exclude(
        entrant__version__house__in=_repeating()
    )
    begun = Table.objects.filter(block=OuterRef("pk"), attempts__gt=0)
    public = due_blocks().filter(seen_by(None, "tournament__"), tournament__experiment=False)
    blocks = public.filter(~Exists(others), ~Exists(begun))
    return blocks.annotate(idle=fills_idle_time()).order_by("idle", "number", "tournament_id")


def held_blocks(owner_begins: str = leases.VOLUNTEER) -> int:
    """Count the blocks that volunteers hold, or that wait here to be checked.

    :param owner_begins: the beginning of the names of these volunteers' leases.
    """
    held = leased_tables().filter(lease_owner__startswith=owner_begins)
    return held.values("block").distinct().count()


def living() -> QuerySet[VolunteerNode]:
    """Return the volunteers' machines that take part."""
    nodes = VolunteerNode.objects.filter(seen_at__gte=clock.now() - LIVING, stopped_at=None)
    return nodes.filter(token__revoked_at=None).select_related("token__owner")


def _repeating() -> list[str]:
    return [name for name, bot in house_bots().items() if bot.repeats]
