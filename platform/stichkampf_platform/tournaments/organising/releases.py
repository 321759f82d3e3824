"""Tournaments of organisers on public ladders: a superuser has one counted, or takes it out again.

Both stand in the log of the ladder. Ratings that were published keep what they said.
"""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.sentences import Sentence, parts_of
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.tournament_locks import hold

logger = logging.getLogger(__name__)


@transaction.atomic
def release(*, tournament: Tournament) -> None:
    """Have the blocks of an organiser's tournament count on the public ladder.

    :raises RequestRefused: it has not started, is private or not rated, or counts already.
    """
    held = hold(tournament)
    if held.ladder is None or held.private or not held.rated:
        raise RequestRefused(
            _("{tournament} cannot count: only a rated, public tournament that has started can.").format(
                tournament=held
            )
        )
    _set_released(held, True, Sentence("{tournament} was counted: its blocks are in.", tournament=held.name))


@transaction.atomic
def take_out(*, tournament: Tournament) -> None:
    """Have the blocks of an organiser's tournament count on the public ladder no more.

    :raises RequestRefused: it is the installation's own, or does not count.
    """
    held = hold(tournament)
    if held.of_installation:
        raise RequestRefused(
            _("{tournament} is the installation's own; only organisers' are taken out.").format(
                tournament=held
            )
        )
    _set_released(
        held,
        False,
        Sentence(
            "{tournament} was taken out: its {blocks:,} blocks count no more.",
            tournament=held.name,
            blocks=held.blocks.exclude(over_at=None).count(),
        ),
    )


def _set_released(tournament: Tournament, released: bool, told: Sentence) -> None:
    changed = Tournament.objects.filter(pk=tournament.pk, released=not released)
    if not changed.update(released=released):
        counts, does_not = _("{tournament} counts already."), _("{tournament} does not count.")
        raise RequestRefused((counts if released else does_not).format(tournament=tournament))
    ladder = Ladder.objects.select_for_update().get(pk=tournament.ladder_id)
    ladder.log.append({"at": clock.now().isoformat(), "text": told, "parts": parts_of(told)})
    ladder.save(update_fields=["log"])
    logger.info("ladder %s: %s", ladder.slug, told)
