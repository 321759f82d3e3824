"""A game in somebody else's package is registered there, and then has all that the seven games have."""

import importlib
import json
import re
import shlex
import sys

import pytest
from documents import code_blocks
from stichkampf.cli.local.matches import options_from
from stichkampf.games import GAMES, new_game
from stichkampf.lab.adapters.pettingzoo import env
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.match.match import Match
from stichkampf.match.verify import verify
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ladders.services import seed_main_ladders
from stichkampf_platform.ratings.services import publish
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.web.play.live_replay import live_replay
from stichkampf_platform.web.play.seat_scene import SeatScene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant

(CODE,) = code_blocks("docs/new-game.md", "python")


@pytest.fixture
def whist(tmp_path, monkeypatch):
    """Install a package that registers Whist, and remove it again."""
    package = tmp_path / "card_club"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from card_club.whist import Whist\nfrom stichkampf.games import register\n\nregister(Whist)\n"
    )
    (package / "whist.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("card_club")
    yield GAMES["whist"]
    del GAMES["whist"]
    for name in ("card_club", "card_club.whist"):
        del sys.modules[name]
    vocabulary_of.cache_clear()


@pytest.mark.django_db
def test_it_has_a_ladder_ratings_replays_rules_and_an_environment(whist, client, make_tournament, play_out):
    seed_main_ladders()
    ladder = main_ladders().get(game="whist")
    assert (ladder.seats, ladder.options) == (4, {"length": "deals:4"})

    tournament = play_out(
        make_tournament("thumb", "random", game="whist", seats=4, options={"length": "deals:4"}, blocks=3)
    )
    tables = Table.objects.filter(block__tournament=tournament)
    assert len(tables) == 6  # two sides of partners: each deal is played both ways
    assert publish(ladder=ladder) is not None

    page = client.get("/ladders/whist/").content.decode()
    assert "Whist without trump" in page
    assert "thumb" in page
    table = tables[0]
    assert "plays" in client.get(f"/r/{table.pk}/1").content.decode()
    assert "tricks" in client.get(f"/r/{table.pk}/30").content.decode()
    record = json.loads(client.get(f"/api/v1/tables/{table.pk}/record/").content)
    verify(record)
    rules = client.get("/games/whist/").content.decode()
    assert "Whist without trump, for two sides" in rules
    assert "-o length=deals:4" in client.get("/games/whist/bots/").content.decode()

    table = env("whist", 4, {"length": "deals:1"})
    table.reset(seed=1)
    while not table.match.over:
        mask = table.observe(table.agent_selection)["action_mask"]
        table.step(int(mask.argmax()))
    assert sum(table.rewards.values()) == sum(table.match.scores) > 0


@pytest.mark.django_db
@pytest.mark.parametrize("name", list(GAMES))
def test_the_command_on_a_page_for_bots_is_taken_by_the_command(client, name):
    page = client.get(f"/games/{name}/bots/").content.decode()
    (setting,) = re.findall(rf"stichkampf play {name} … -o (.+?)</code>", page)
    assert len(shlex.split(setting)) == 1
    chosen = options_from([setting])
    game = GAMES[name]
    assert chosen.items() <= game(game.players[0], chosen).options.items()


def test_a_person_can_press_each_of_its_actions_without_a_line_about_it(whist):
    match, players = Match(new_game("whist", 4, {"length": "deals:1"}), seed=bytes(32)), "ABCD"
    while not match.over:
        (seat,) = match.to_act()
        legal = match.legal(seat)
        replay = live_replay(match.game, seat, match.events(seat))
        seated = SeatScene(replay, replay.steps, [SeatOccupant(name) for name in players], legal)
        assert sorted(seated.controls.cards.values()) == sorted(legal)
        assert seated.controls.asks == "Your turn: choose"
        match.play(seat, legal[0])
    assert live_replay(match.game, 0, match.events(0)).ranks
