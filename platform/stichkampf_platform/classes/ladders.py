"""The private ladders of a class: one for each game that its teacher chose."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.text import slugify
from stichkampf.games import game_class

from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.tournaments.entry.membership import secret_slug
from stichkampf_platform.tournaments.formats.ladder import PermanentLadder
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.main_ladders import READY_BLOCKS
from stichkampf_platform.tournaments.scheduling.ladder_field import SLOW


def start_ladders(school_class: SchoolClass, games: Sequence[str]) -> None:
    """Start a private ladder with the options of the main ladder of each game. Call it in a transaction.

    They rest: when all ranks are settled, blocks are drawn for new versions alone.
    """
    for name in games:
        game = game_class(name)
        of_house = [version for version in playable_versions(name) if version.bot.owner.username == HOUSE]
        ladder = lifecycle.create_tournament(
            name=f"{school_class.name}: {game.title}",
            slug=secret_slug(slugify(f"{school_class.name} {game.title}")),
            game=name,
            seats=game.main_ladder.seats,
            options=dict(game.main_ladder.options),
            format=PermanentLadder.name,
            rests=True,
            private=True,
            code=school_class.code,
            created_by=school_class.teacher,
            versions=[version for version in of_house if version.house not in SLOW],
            blocks=READY_BLOCKS,
        )
        lifecycle.start(tournament=ladder)
        school_class.ladders.add(ladder)
