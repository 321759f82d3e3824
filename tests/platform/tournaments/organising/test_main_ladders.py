"""The ladders that an installation plays by itself."""

import pytest
from stichkampf.games import GAMES, game_class
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.main_ladders import start_main_ladders

pytestmark = pytest.mark.slow

GAME = "stiche-raten"


@pytest.mark.parametrize("private", [False, True])
def test_a_ladder_of_an_organiser_takes_the_place_of_none_of_the_installation(
    make_tournament, person, private
):
    main = game_class(GAME).main_ladder
    settings = {"game": GAME, "seats": main.seats, "options": main.options, "format": "ladder"}
    bots = ("thumb", "random", "timid", "worrier")
    own = make_tournament(
        *bots, name="Mine", created_by=person("olga"), private=private, blocks=1, **settings
    )
    lifecycle.start(tournament=own)
    started = start_main_ladders()
    assert {tournament.game for tournament in started} == set(GAMES)
    assert start_main_ladders() == []
