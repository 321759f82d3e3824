"""The end of a tournament, told to those who had entered a bot, once the standings are final."""

from __future__ import annotations

from django.db import transaction

from stichkampf_platform.ratings.queries import unsettled_tournaments
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments.entry.announcements import tell_result
from stichkampf_platform.tournaments.models import Tournament


def tell_results() -> int:
    """Tell of each tournament that is over and whose standings are final; return how many these are."""
    over = [Tournament.State.FINISHED, Tournament.State.CANCELLED]
    waiting = Tournament.objects.filter(
        state__in=over, result_told_at=None, entries__isnull=False, started_at__isnull=False
    ).distinct()
    settled = waiting.exclude(pk__in=unsettled_tournaments().values("pk"))
    return sum(_tell(tournament) for tournament in settled)


@transaction.atomic
def _tell(tournament: Tournament) -> bool:
    return tell_result(tournament, {row.entrant.pk: row.place for row in standings(tournament)})
