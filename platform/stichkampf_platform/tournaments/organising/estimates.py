"""The estimate that organisers read before a tournament starts."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from stichkampf.errors import StichkampfError

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.tournaments import formats, pace
from stichkampf_platform.tournaments.entry.entries import listed
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.scheduling import rounds


def estimate_in_words(tournament: Tournament, versions: Sequence[Version]) -> str:
    """Say how many tables a tournament is and how long they take here; empty where it cannot be said yet.

    Bots that authors have entered so far are counted with those that the organiser chose.
    """
    if formats.is_endless(tournament.format):
        return _("without an end")
    entered = _entered(tournament)
    try:
        found = pace.estimate(tournament, rounds.competition(tournament, [*versions, *entered]))
    except StichkampfError:
        return ""
    at_most = _("at most ") if tournament.stopping == Tournament.Stopping.DECIDED else ""
    if not entered:
        return f"{at_most}{found}"
    so_far = ngettext(
        "{estimate}, with {count} entry so far", "{estimate}, with {count} entries so far", len(entered)
    )
    return so_far.format(estimate=f"{at_most}{found}", count=plain(len(entered)))


def _entered(tournament: Tournament) -> list[Version]:
    """Return a version of each bot that authors have entered and for which there is room."""
    if tournament.pk is None or tournament.entry == WhoEnters.ORGANISER:
        return []
    lines = [line.entry for line in listed(tournament) if not line.waits]
    newest = Version.objects.filter(bot__in=[entry.bot_id for entry in lines]).order_by("number")
    by_bot = {version.bot_id: version for version in newest.select_related("bot__owner")}
    versions = [entry.version or by_bot.get(entry.bot_id) for entry in lines]
    return [version for version in versions if version is not None]
