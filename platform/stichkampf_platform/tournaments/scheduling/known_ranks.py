"""The places of a tournament, which a room above works out; `settings.STANDINGS` names it."""

from __future__ import annotations

from django.conf import settings
from django.utils.module_loading import import_string

from stichkampf_platform.tournaments import formats
from stichkampf_platform.tournaments.models import Tournament


def ranks_of(tournament: Tournament) -> dict[str, int | None]:
    """Return the places by the id of the entrant, as JSON has them; none of a tournament without an end."""
    if formats.is_endless(tournament.format):
        return {}
    return {str(row.entrant.pk): row.place for row in import_string(settings.STANDINGS)(tournament)}
