from __future__ import annotations

from django.db.models import QuerySet

from stichkampf_platform.ladders.models import Ladder


def main_ladders() -> QuerySet[Ladder]:
    """Return the main ladder of every game."""
    return Ladder.objects.filter(main=True).order_by("game")
