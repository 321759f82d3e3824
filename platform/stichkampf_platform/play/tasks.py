from __future__ import annotations

import logging

from celery import shared_task

from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.play import absence, daily, matches, other_bots, together
from stichkampf_platform.play.models import PlayedState, PlayedTable

logger = logging.getLogger(__name__)


@shared_task
def land(table_id: int) -> None:
    """Store the record of a table whose person has seen its end; a repeated message does nothing."""
    _look_after(list(PlayedTable.objects.filter(pk=table_id, state=PlayedState.OPEN)))


@shared_task
def sweep_tables() -> None:
    """Begin tables by link, look after all open ones, answer for those who left theirs, and open the day."""
    together.begin_due()
    tables = list(PlayedTable.objects.filter(state=PlayedState.OPEN))
    _look_after(tables)
    absence.answer_for_absent(tables)
    daily.open_day()


@shared_task
def play_same_hands() -> None:
    """Let authors' bots play hands of persons who asked for it."""
    other_bots.go_on()


def _look_after(tables: list[PlayedTable]) -> None:
    if not tables:
        return
    try:
        matches.look_after(tables)
    except ArbiterGone as error:
        logger.debug("people's tables are not looked after: %s", error)  # every few seconds
