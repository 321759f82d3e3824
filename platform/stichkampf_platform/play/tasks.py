from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.core.queue import enqueue_each
from stichkampf_platform.play import absence, daily, matches, other_bots, own_rating, together
from stichkampf_platform.play.models import OwnResult, PlayedState, PlayedTable

LEFT_OVER = timedelta(minutes=1)
"""The time after which hands are compared again whose message was lost."""
logger = logging.getLogger(__name__)


@shared_task
def land(table_id: int) -> None:
    """Look after a table now: its person has seen its end, or that it is cut off."""
    _look_after(list(PlayedTable.objects.filter(pk=table_id, state=PlayedState.OPEN)))


@shared_task
def sweep_tables() -> None:
    """Begin tables by link, look after all open ones, see to persons who are away, open the day, and let
    authors' bots play hands of persons who asked for it.
    """
    together.begin_due()
    tables = list(PlayedTable.objects.filter(state=PlayedState.OPEN))
    _look_after(tables)
    absence.answer_for_absent(tables)
    absence.put_aside(tables)
    absence.give_up_aside()
    daily.open_day()
    other_bots.go_on()
    left = OwnResult.objects.filter(compared=False, table__ended_at__lt=clock.now() - LEFT_OVER)
    enqueue_each("stichkampf_platform.play.tasks.compare_hands", left.values_list("pk", flat=True), at_most=1)


@shared_task
def compare_hands(result_id: int) -> None:
    """Have house bots play the hands of a match that counts for an own rating, quietly."""
    result = OwnResult.objects.select_related("table").filter(pk=result_id, compared=False).first()
    if result is not None:
        own_rating.compare(result)


def _look_after(tables: list[PlayedTable]) -> None:
    if not tables:
        return
    try:
        matches.look_after(tables)
    except ArbiterGone as error:
        logger.debug("people's tables are not looked after: %s", error)  # every few seconds
