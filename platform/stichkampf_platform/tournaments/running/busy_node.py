"""A node that is too busy: tables at which it gave a bot no processor core are played again, alone.

No bot has a fault then. The table is played again while nothing else is; if that fails three times the bot is
set aside, and if tables without it fail as well the tournament pauses.
"""

from __future__ import annotations

import logging
from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import PLAYING, Entrant, Table, in_trouble
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.tournament_locks import hold, hold_blocks

TIMES_ALONE = 3
"""Times that a table is played alone before the bot that gets no core is set aside."""
TOO_SMALL = ngettext_lazy(
    "This node is too small: at {tables} table still to be played, a bot got no processor core for most "
    "of the"
    " longest time that a decision may take. Give the node more cores or less other work.",
    "This node is too small: at {tables} tables still to be played, a bot got no processor core for most "
    "of the"
    " longest time that a decision may take. Give the node more cores or less other work.",
    "tables",
)
REASON = Sentence(
    "Set aside, without a fault: this server could not give it enough time on a processor core, even while"
    " nothing else was played"
)

logger = logging.getLogger(__name__)


def play_alone(*, table: Table, owner: str, seats: Collection[int], trouble: str) -> None:
    """Have a match that failed because the bots at these seats were kept from a core played again, alone.

    After `TIMES_ALONE` times alone these bots are set aside; where that has been done to others before, the
    tournament pauses in its place.
    """
    logger.error("%s (%s): %s", table, table.idempotency_key, trouble)
    kept = Entrant.objects.filter(seats__table=table, seats__number__in=list(seats))
    with transaction.atomic():
        tournament = hold(table.block.tournament)
        if kept.filter(out_as=Entrant.OutAs.SET_ASIDE).exists():  # by another table of this block
            return
        # all blocks of those that are set aside below, since the first of them counts the progress
        hold_blocks(tournament.blocks.filter(over_at=None, participations__entrant__in=kept))
        if table.block.dealt_once:
            again = rulings.run_again(block=table.block)
            again.tables.update(kept=table.kept + 1, **in_trouble(trouble))
        else:
            leases.give_up(table=table, owner=owner, trouble=trouble, kept=True)
        if table.kept < TIMES_ALONE:
            return
        if Entrant.objects.filter(tournament=tournament, out_as=Entrant.OutAs.SET_ASIDE).exists():
            logger.error("%s pauses: this node is too small", tournament)
            lifecycle.pause_for_trouble(tournament=tournament)
            return
        for entrant in kept.filter(out_at=None):
            rulings.set_aside(entrant=entrant, reason=REASON)


def warning() -> str:
    """Return a warning for the operator; empty while no table of a running tournament had this trouble."""
    starved_tables = Table.objects.filter(
        state=Table.State.PENDING, kept__gt=0, block__tournament__state__in=PLAYING
    )
    tables = starved_tables.count()
    out = Entrant.objects.filter(
        out_as=Entrant.OutAs.SET_ASIDE, tournament__state__in=PLAYING
    ).select_related("version__bot__owner")
    told = [TOO_SMALL.format(tables=tables)] if tables else []
    told += [
        _("This node is too small for {entrant}, which {tournament} plays without.").format(
            entrant=entrant, tournament=entrant.tournament
        )
        for entrant in out
    ]
    return " ".join(told)
