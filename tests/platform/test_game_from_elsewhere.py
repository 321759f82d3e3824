"""A game in somebody else's package is registered there, and then has all that the seven games have."""

import importlib
import json
import re
import shlex
import sys

import pytest
from documents import code_blocks
from stichkampf.bots.registry import house_bots
from stichkampf.cli.local.matches import options_from
from stichkampf.games import GAMES, new_game
from stichkampf.lab.adapters.pettingzoo import env
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.match.match import Match
from stichkampf.match.verify import verify
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ladders.services import seed_main_ladders
from stichkampf_platform.play import bus, matches
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.ratings.services import publish
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.web.play.live_replay import live_replay
from stichkampf_platform.web.play.same_hands import LEFT_OUT, hindsight
from stichkampf_platform.web.play.seat_scene import SeatScene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant

(CODE,) = code_blocks("docs/new-game.md", "python")
GUIDED = {"Your first deal", "The game", "What to do", "Why this is allowed", "What the trick was worth"}
DECISION = r'name="decision" value="(\d+)"'
WORD = r'name="move"\s+value="([^"]+)"'


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


class OneProcess:
    """Stands for Redis, hub and arbiter of a person's table: bots answer with the first legal word."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(matches, "begin", self.begin)
        monkeypatch.setattr(bus, "read", self.read)
        monkeypatch.setattr(bus, "push_answer", self.push_answer)

    def begin(self, table, _so_far):
        self.match = Match(table.game, seed=bytes(table.seed))
        self.let_bots_play()

    def read(self, _table, seat):
        legal = tuple(self.match.legal(seat)) if not self.match.over else ()
        events = tuple(self.match.events(seat))
        asked = (len(events), legal) if legal else None
        return bus.Told(events=events, question=asked, over=self.match.over), set(), False

    def push_answer(self, _table, seat, _decision, word):
        self.match.play(seat, word)
        self.let_bots_play()
        return True

    def let_bots_play(self):
        while not self.match.over and (seat := self.match.to_act()[0]):
            self.match.play(seat, self.match.legal(seat)[0])


@pytest.mark.django_db
def test_a_person_plays_its_guided_deal_with_a_hint_and_is_shown_what_it_was_worth(
    whist, client, monkeypatch
):
    process = OneProcess(monkeypatch)
    assert "Whist without trump" in client.get("/play/").content.decode()
    place = client.post("/play/", {"guided": "whist"})["Location"]
    told, word = set(), "hint"
    while not process.match.over:
        page = client.get(place).content.decode()
        told |= {heading for heading in GUIDED if heading in page}
        ((decision,), words) = (re.findall(pattern, page) for pattern in (DECISION, WORD))
        assert sorted(words) == sorted(process.match.legal(0))
        if word == "hint":
            hinted = client.post(place, {"deed": "hint"}).content.decode()
            assert "Our search, from what you can know. The match is practice now." in hinted
        word = words[0]
        assert client.post(place, {"decision": decision, "move": word}).status_code == 302
    assert told == GUIDED
    assert "The match is over: you are number" in client.get(place).content.decode()

    names = ["guest", *["house/gentle"] * 3]
    record = process.match.record([{"bot": name, "version": 1} for name in names], seed=bytes(32).hex())
    PlayedTable.objects.update(state=PlayedState.OVER, record=record)
    result = client.get(f"{place}result/").content.decode()
    assert "The same hands in your seat" in result
    assert set(house_bots()) - LEFT_OUT <= set(re.findall(r"\w+", result))
    assert "Your costliest decisions" in result
    found = hindsight(PlayedTable.objects.get(), 0)
    assert [mark.decision for mark in found.costliest] == [
        int(number) for number in re.findall(rf'href="{place}replay/(\d+)"', result)
    ]
    assert client.get(f"{place}replay/20").status_code == 200


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
