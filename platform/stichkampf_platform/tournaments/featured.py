"""The table that the front page shows."""

from __future__ import annotations

from django.db.models import Count, F, Max, Min

from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.queries import shown_blocks, shown_tables
from stichkampf_platform.tournaments.shown import shown_to

BLOCKS_READ = 20
"""The newest finished blocks among whose tables is chosen."""


def featured_table() -> Table | None:
    """Return the closest match of the newest finished blocks: the one with the least between first and last.

    Rated ones come first, then those at which more bots met, then those with a submitted bot; of equally
    close ones the newest. A match of one bot with itself is never chosen.
    """
    newest = shown_blocks().filter(shown_to(None, "tournament__")).order_by("-over_at")[:BLOCKS_READ]
    tables = shown_tables().filter(block__in=[block.pk for block in newest])
    ranked = tables.annotate(
        bots=Count("seats__entrant__version__bot", distinct=True),
        authors=Count("seats__entrant__version__bot__owner", distinct=True),
        apart=Max("seats__result__score") - Min("seats__result__score"),
    )
    ordered = ranked.filter(bots__gt=1).order_by(
        F("block__tournament__rated").desc(), F("bots").desc(), F("authors").desc(), "apart", "-pk"
    )
    shown = ordered.select_related("block__tournament", "match_record")
    return shown.prefetch_related("seats__entrant__version__bot__owner", "seats__result").first()
