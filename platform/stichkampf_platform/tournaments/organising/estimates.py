"""The estimate that organisers read before a tournament starts."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from stichkampf.errors import StichkampfError

from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments import formats, pace
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.scheduling import rounds


def estimate_in_words(tournament: Tournament, versions: Sequence[Version]) -> str:
    """Say how many tables a tournament is and how long they take here; empty where it cannot be said yet."""
    if formats.is_endless(tournament.format):
        return _("without an end")
    try:
        found = pace.estimate(tournament, rounds.competition(tournament, versions))
    except StichkampfError:
        return ""
    at_most = _("at most ") if tournament.stopping == Tournament.Stopping.DECIDED else ""
    return f"{at_most}{found}"
