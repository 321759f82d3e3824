"""The ladders that an installation plays by itself: one for each game, with the options of its main ladder.

They rest: once the house bots have their ranks, blocks are drawn only for bots that have none yet.
"""

from __future__ import annotations

from django.db import transaction
from stichkampf.games import game_class

from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ladders.services import SLOW_MOVE_SECONDS
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS
from stichkampf_platform.tournaments.formats.ladder import PermanentLadder
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.scheduling.ladder_field import SLOW

READY_BLOCKS = 2
"""Blocks that are drawn ahead: few, because a new bot waits for them."""


@transaction.atomic
def start_main_ladders() -> list[Tournament]:
    """Start a tournament without an end on each main ladder that never had one; return the new ones.

    A ladder that was paused or cancelled stays so.
    """
    started = []
    for ladder in main_ladders():
        same = {"game": ladder.game, "seats": ladder.seats, "options_digest": ladder.options_digest}
        # a ladder of an organiser, or of a class, is none of the installation's
        own = Tournament.objects.filter(released=True, private=False)
        usual = own.filter(**same, move_seconds__lt=SLOW_MOVE_SECONDS)
        if usual.filter(format__in=ENDLESS_FORMATS).exists():
            continue
        playable = playable_versions(ladder.game)
        tournament = lifecycle.create_tournament(
            name=f"{game_class(ladder.game).title} ladder",
            slug=_free_slug(f"{ladder.game}-ladder"),
            game=ladder.game,
            seats=ladder.seats,
            options=ladder.options,
            format=PermanentLadder.name,
            rests=True,
            versions=[v for v in playable if v.bot.owner.username == HOUSE and v.house not in SLOW],
            blocks=READY_BLOCKS,
        )
        lifecycle.start(tournament=tournament)
        started.append(tournament)
    return started


def _free_slug(wanted: str) -> str:
    slug, number = wanted, 1
    while Tournament.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{wanted}-{number}"
    return slug
