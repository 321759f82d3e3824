"""The way of a block to a volunteer's machine and back. Its tables are leased as those of all nodes are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import stichkampf
from django.db import IntegrityError, transaction
from stichkampf.games import new_game
from stichkampf.local_play.house_block import HouseBlock

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import LeaseLost, NotAllowed, Refused
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.people.services import may_volunteer
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.volunteers.models import VolunteerAnswer, VolunteerNode
from stichkampf_platform.volunteers.queries import held_blocks, open_blocks

LEASE_SECONDS = 30
"""Longer than that of a node: it is renewed over the network of a home."""
BLOCK_SECONDS = 900
"""The longest time that a volunteer may keep a block."""
CHECK_SECONDS = 600
"""The longest time that an answer waits for its check; then a node plays the block."""
BLOCKS_EACH = 4
BLOCKS_OF_ALL = 32
"""The most blocks that volunteers hold and that wait to be checked: of one machine, and of all together."""
TRIED = 3
"""Blocks that are tried one after the other, where others take them at the same time."""
ANSWER_BYTES = 4 * 1024 * 1024
LOST = (
    "This block is no longer yours: its lease ran out, it was given back, or it is answered already. Ask for"
    " another."
)


class HandedOut(NamedTuple):
    """A block in the hands of a volunteer, and the name of its lease."""

    lease: UUID
    block: HouseBlock


def hand_out(*, token: ApiToken, version: str) -> HandedOut | None:
    """Lease a block to a volunteer's machine; `None` while there is none for it.

    :param version: of its program, which has to be that of the site.
    :raises Refused: another version.
    :raises NotAllowed: the installation or an administrator does not want it, or wrong records came from it.
    :raises TooMany: of its requests.
    """
    if version != stichkampf.__version__:
        raise Refused(
            f"This site needs Stichkampf {stichkampf.__version__}, not {version!r}; install its version."
        )
    return _lease_one(_node(token, version))


@transaction.atomic
def _lease_one(node: VolunteerNode) -> HandedOut | None:
    VolunteerNode.objects.select_for_update().get(pk=node.pk)  # one that asks twice at once gets no more
    if held_blocks(_owner(node)) >= BLOCKS_EACH or held_blocks() >= BLOCKS_OF_ALL:
        return None
    lease = uuid4()
    owner = _owner(node, lease)
    for block in open_blocks()[:TRIED]:
        tables = leases.take(block_id=block.pk, owner=owner, seconds=LEASE_SECONDS)
        if tables and len(tables) == block.tables.count():
            return HandedOut(lease, block_of(tables))
        leases.release(owner=owner)  # a node was as quick
    return None


def renew(*, token: ApiToken, lease: UUID) -> None:
    """Keep a block for longer.

    :raises LeaseLost: it is not in the hands of this machine, or has been for too long.
    """
    node = _node(token)
    tables = _held(node, lease)
    begun = min(table.started_at for table in tables)
    if clock.now() > begun + timedelta(seconds=BLOCK_SECONDS):
        leases.release(owner=_owner(node, lease))
        raise LeaseLost(LOST)
    leases.renew(owner=_owner(node, lease), seconds=LEASE_SECONDS)


def give_back(*, token: ApiToken, lease: UUID) -> None:
    """Take a block back that is not played to its end.

    :raises LeaseLost: it is not in the hands of this machine.
    """
    node = _node(token)
    _held(node, lease)
    leases.release(owner=_owner(node, lease))


def take_in(*, token: ApiToken, lease: UUID, records: Mapping[int, Mapping[str, Any]]) -> None:
    """Take in the records of a block. Nothing of them counts before they are checked.

    :param records: by number of the table.
    :raises LeaseLost: the block is not in the hands of this machine.
    :raises Refused: records of other tables, or too long ones.
    """
    node = _node(token)
    wanted = sorted(table.pk for table in _held(node, lease))
    if sorted(records) != wanted:
        raise Refused(f"The records are those of tables {sorted(records)}; this block has tables {wanted}.")
    text = json.dumps(records, separators=(",", ":"))
    if len(text) > ANSWER_BYTES:
        raise Refused(f"The records have {len(text):,} characters, and may have {ANSWER_BYTES:,}.")
    owner = _owner(node, lease)
    try:
        with transaction.atomic():
            VolunteerAnswer.objects.create(node=node, owner=owner, records=text, received_at=clock.now())
            leases.renew(owner=owner, seconds=CHECK_SECONDS)
    except IntegrityError:
        raise LeaseLost(LOST) from None
    enqueue("stichkampf_platform.volunteers.tasks.check_answers")


def block_of(tables: list[Table]) -> HouseBlock:
    """Return tables of one block, leased to a volunteer, as they are played and checked."""
    block = tables[0].block
    tournament = block.tournament
    game = new_game(tournament.game, tournament.seats, tournament.options)
    return HouseBlock(
        game=tournament.game,
        options=tournament.options,
        rules_version=game.rules_version,
        seed=bytes(block.seed),
        substitute_version=block.substitute_version,
        tables={table.pk: [_bot(seat.entrant.version) for seat in table.seats.all()] for table in tables},
    )


def _bot(version: Version) -> tuple[str, int]:
    return version.house, version.number


def _node(token: ApiToken, version: str = "") -> VolunteerNode:
    """Count a request of a volunteer's machine and note its sign of life."""
    rates.count("volunteering", token=str(token.pk))
    if not may_volunteer(token.owner):
        raise NotAllowed("You may not volunteer a machine here; ask an administrator for the permission.")
    if VolunteerNode.objects.filter(token__owner=token.owner_id).exclude(stopped_at=None).exists():
        raise NotAllowed("A machine of yours sent wrong records; ask an administrator to let it go on.")
    seen = {"seen_at": clock.now(), **({"version": version} if version else {})}
    node, _ = VolunteerNode.objects.update_or_create(token=token, defaults=seen)
    return node


def _owner(node: VolunteerNode, lease: UUID | None = None) -> str:
    """Return the owner of the leases of a block: no other machine's name begins so."""
    return f"{leases.VOLUNTEER}{node.pk}-{lease.hex if lease else ''}"


def _held(node: VolunteerNode, lease: UUID) -> list[Table]:
    owner = _owner(node, lease)
    tables = leases.held(owner=owner)
    if not tables or VolunteerAnswer.objects.filter(owner=owner).exists():
        raise LeaseLost(LOST)
    return tables
