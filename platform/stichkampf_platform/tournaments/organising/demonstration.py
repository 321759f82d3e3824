"""The tournament that shows a new installation at work: small, and on a main ladder."""

from __future__ import annotations

from django.db import transaction
from stichkampf.games import GAMES

from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.scheduling.ladder_field import SLOW

SLUG = "demonstration"
BLOCKS_AN_ENTRANT = 24


@transaction.atomic
def demonstrate() -> Tournament | None:
    """Make and start the demonstration; `None` where it has been made before."""
    if Tournament.objects.filter(slug=SLUG).exists():
        return None
    game = next(iter(GAMES))
    ladder = Ladder.objects.get(game=game, main=True)
    house = [v for v in playable_versions(game) if v.bot.owner.username == HOUSE and v.house not in SLOW]
    tournament = lifecycle.create_tournament(
        name="Demonstration",
        slug=SLUG,
        game=game,
        seats=ladder.seats,
        options=ladder.options,
        versions=house,
        blocks=BLOCKS_AN_ENTRANT * len(house) // ladder.seats,
    )
    lifecycle.start(tournament=tournament)
    return tournament
