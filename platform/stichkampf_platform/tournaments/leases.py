"""Leases of tables to workers: taken, kept and given back by conditional updates of the database alone."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet
from django.db.models.functions import Coalesce

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import lease_times, nodes
from stichkampf_platform.core.machines.database_turns import may_be_lost
from stichkampf_platform.core.models import DrainOrder
from stichkampf_platform.tournaments.models import Block, Seat, Table, Tournament, in_trouble

SEAT_FIELDS = (
    *("number", "table", "entrant__number"),
    *(f"entrant__version__{field}" for field in ("number", "house", "archive", "digest", "remote")),
    *("entrant__version__bot__slug", "entrant__version__bot__owner__username"),
)


def free(*, drained: bool | None = None) -> Q:
    """Match tables that are to be played and on which no worker has a live lease.

    While the installation is drained, only those that have begun.

    :param drained: whether it is; None to have the database look.
    """
    waiting = Q(state=Table.State.PENDING) & lease_times.free()
    if drained is None:
        return waiting & (Q(attempts__gt=0) | ~Exists(DrainOrder.objects.order_by()))
    return waiting & Q(attempts__gt=0) if drained else waiting


def elsewhere() -> Q:
    """Match blocks of other living nodes: those begun there, whose matches go on at their arbiters, and all
    with submitted bots if only others have a sandbox. What is dealt once is played at the gate.
    """
    others, must_host = nodes.others_that_must_host()
    begun_there = Q(node__in=others)
    if not must_host:
        return begun_there
    archives = Seat.objects.filter(table__block=OuterRef("pk")).exclude(entrant__version__digest="")
    return begun_there | Q(Exists(archives), dealt_once=False)


def take(*, block_id: int, owner: str, seconds: int | None = None) -> list[Table]:
    """Lease the free tables of a block; none while its tournament is not running, or another node has it.

    :param seconds: for how long; None for the time of a worker's lease.
    """
    running = Block.objects.filter(~elsewhere(), pk=block_id, tournament__state=Tournament.State.RUNNING)
    block = running.select_related("tournament").first()
    if block is None:
        return []
    # remote bots see cards that are never dealt again, so it has to last that they were dealt
    with nullcontext() if block.dealt_once else may_be_lost():
        # no joins: PostgreSQL checks these conditions again on a row that another worker has just changed
        Table.objects.filter(free(), block_id=block_id).update(
            lease_owner=owner,
            lease_until=_until(seconds),
            attempts=F("attempts") + 1,
            started_at=Coalesce("started_at", clock.now()),
        )
    tables = list(_with_seats(owner))
    for table in tables:
        table.block = block
    return tables


def is_free(*, block_id: int) -> bool:
    """Tell whether a block has free tables, here or elsewhere."""
    return Table.objects.filter(free(), block_id=block_id).exists()


def begin_here(*, block_id: int) -> None:
    """Keep a block for this node, whose arbiter is about to begin matches of it.

    Not before its archives are there: a node that cannot take them leaves the block to the others.
    """
    with may_be_lost():
        Block.objects.filter(pk=block_id, dealt_once=False).update(node=nodes.this_node())


def held(*, owner: str) -> list[Table]:
    """Return the tables that are leased to an owner, with all that is needed to play them."""
    return list(_with_seats(owner).select_related("block__tournament"))


def renew(*owners: str) -> dict[str, set[int]]:
    """Renew the leases of some owners; return the ids of the tables that are still leased to each of them."""
    held = Table.objects.filter(lease_owner__in=owners, state=Table.State.PENDING).order_by()
    with may_be_lost():
        # what another transaction holds is about to change: to wait for it could be a deadlock
        free = held.select_for_update(skip_locked=True).values_list("pk", flat=True)
        Table.objects.filter(pk__in=list(free)).update(lease_until=_until(None))
    kept: dict[str, set[int]] = {owner: set() for owner in owners}
    for owner, table in held.values_list("lease_owner", "pk"):
        kept[owner].add(table)
    return kept


def release(*, owner: str, trouble: str = "") -> None:
    """Give back all tables, for any worker to take at once; their matches at the arbiter go on."""
    freed = {"lease_owner": "", "lease_until": None}
    _held(owner).update(**freed, **(in_trouble(trouble) if trouble else {}))


def give_up(*, table: Table, owner: str, trouble: str, kept: bool = False) -> None:
    """Give back a table whose match failed; it will be played again, in fresh processes.

    :param kept: whether it failed because a bot was kept from a core.
    """
    _held(owner).filter(pk=table.pk).update(
        lease_owner="",
        lease_until=None,
        **in_trouble(trouble),
        generation=F("generation") + 1,
        kept=F("kept") + int(kept),
    )


def _with_seats(owner: str) -> QuerySet[Table]:
    """Return the tables of an owner with the seats, and of the bots there what names and starts them."""
    seats = Seat.objects.select_related("entrant__version__bot__owner").only(*SEAT_FIELDS)
    return _held(owner).prefetch_related(Prefetch("seats", seats)).order_by("lane")


def _held(owner: str) -> QuerySet[Table]:
    return Table.objects.filter(lease_owner=owner, state=Table.State.PENDING)


def _until(seconds: int | None):  # type: ignore[no-untyped-def]
    return clock.now() + timedelta(seconds=settings.LEASE_SECONDS if seconds is None else seconds)
