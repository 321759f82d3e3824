"""Deleting old records: their files, and what bots wrote to standard error. Results and ratings stay."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.core.files.storage import storages
from django.db import transaction

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.tournaments.models import MatchRecord, SeatReport

DELETED_AT_ONCE = 500

logger = logging.getLogger(__name__)


def delete_old_records() -> int:
    """Delete records of matches that ended more than `RECORD_DAYS` ago, some at a time; return how many.

    Blocks that are not over keep theirs. With `RECORD_DAYS` 0 none is deleted.
    """
    if not settings.RECORD_DAYS:
        return 0
    before = clock.now() - timedelta(days=settings.RECORD_DAYS)
    old = MatchRecord.objects.filter(
        deleted_at=None, table__finished_at__lt=before, table__block__over_at__lt=before
    )
    deleted = each_by_itself("old records", old.order_by("pk"), _delete, at_most=DELETED_AT_ONCE)
    if deleted:
        logger.info("%d records older than %d days are deleted", deleted, settings.RECORD_DAYS)
    return deleted


@transaction.atomic
def _delete(stored: MatchRecord) -> int:
    storages["records"].delete(stored.file_name)
    SeatReport.objects.filter(seat__table=stored.table_id).delete()
    return MatchRecord.objects.filter(pk=stored.pk).update(deleted_at=clock.now())
