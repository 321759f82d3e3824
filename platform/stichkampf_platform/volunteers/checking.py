"""The check of a volunteer's answer: every match is played again here, and only what is the same lands.

What is stored is the record that was made here. A wrong answer leaves nothing, and its block goes to a node.
"""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import stichkampf
from django.db import transaction
from django.db.models import F, Q
from stichkampf.engine.deal import Json
from stichkampf.errors import StichkampfError
from stichkampf.match.records import dump
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core import clock
from stichkampf_platform.core.telemetry.log_subject import log_subject
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import AuditAction, AuditEntry
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import results
from stichkampf_platform.volunteers.models import VolunteerAnswer, VolunteerNode
from stichkampf_platform.volunteers.services import CHECK_SECONDS, block_of

WRONG_A_DAY = 3
"""Wrong records of a person within a day, after which their machines are stopped. An honest one may send one
in a blue moon: where its system rounds a power otherwise, two cards that are worth the same change places.
"""

logger = logging.getLogger(__name__)


def check_next() -> bool:
    """Check the answer that has waited longest; return false if there is none."""
    now = clock.now()
    free = VolunteerAnswer.objects.filter(Q(checked_until=None) | Q(checked_until__lt=now))
    answer = free.select_related("node__token__owner").first()
    if answer is None:
        return False
    # the lease of its tables holds as long, so an answer is checked by one worker
    if free.filter(pk=answer.pk).update(checked_until=now + timedelta(seconds=CHECK_SECONDS)):
        try:
            _check(answer)
        finally:
            leases.release(owner=answer.owner)
            answer.delete()
    return True


def _check(answer: VolunteerAnswer) -> None:
    leases.renew(owner=answer.owner, seconds=CHECK_SECONDS)
    tables = leases.held(owner=answer.owner)
    if not tables:
        logger.info("an answer of %s comes too late", answer.node)
        return
    with log_subject(block=tables[0].block_id, tournament=tables[0].block.tournament_id):
        try:
            own = _right_records(answer, tables)
        except StichkampfError as error:
            logger.error("the answer of %s cannot be checked: %s", answer.node, error)
            return
        if own and sum(_land(table, answer.owner, own[table.pk]) for table in tables):
            VolunteerNode.objects.filter(pk=answer.node_id).update(blocks=F("blocks") + 1)
            lifecycle.advance_tournaments()


def _right_records(answer: VolunteerAnswer, tables: list[Table]) -> dict[int, dict[str, Json]]:
    """Play every table again; return the records, none as soon as one that was sent is another.

    :raises StichkampfError: a table cannot be played.
    """
    sent = json.loads(answer.records)
    block = block_of(tables)
    own: dict[int, dict[str, Json]] = {}
    for table in tables:
        own[table.pk] = block.play(table.pk)
        if json.loads(dump(own[table.pk])) != sent.get(str(table.pk)):
            _note_wrong(answer.node, table)
            return {}
    return own


def _land(table: Table, owner: str, record: dict[str, Json]) -> bool:
    text = dump({**record, "stichkampf": stichkampf.__version__})
    return results.record_result(table=table, owner=owner, report=pb.FetchRecordResponse(record_json=text))


@transaction.atomic
def _note_wrong(node: VolunteerNode, table: Table) -> None:
    """Note a wrong record, and stop the machines of a person who sends them again and again."""
    token = node.token
    subject = f"{token.hint}…, block {table.block_id}, table {table.pk}"
    logger.warning("the record of table %s that %s sent is wrong", table.pk, node)
    audit.note(AuditAction.WRONG_RECORD, person=token.owner, subject=subject)
    day = clock.now() - timedelta(days=1)
    wrong = AuditEntry.objects.filter(person=token.owner, action=AuditAction.WRONG_RECORD, at__gte=day)
    if wrong.count() >= WRONG_A_DAY:
        VolunteerNode.objects.filter(pk=node.pk).update(stopped_at=clock.now())
