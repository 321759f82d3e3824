"""The pages of rules: every example is drawn, in the language of the page."""

from __future__ import annotations

import html
import re

import pytest
from stichkampf.cli import main
from stichkampf.games import GAMES
from stichkampf.rulebook.examples import examples
from stichkampf.rulebook.pages import sections


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "prefix"), [("en", ""), ("de", "/de")])
@pytest.mark.parametrize("name", list(GAMES))
def test_a_page_of_rules_draws_every_example_below_a_table_of_contents(client, name, language, prefix):
    page = client.get(f"{prefix}/games/{name}/").content.decode()
    drawn = re.findall(r'id="example-([\w-]+)"', page)
    assert {*drawn} == {*examples(name)}
    for section, title in sections(name, language):
        assert f'<a href="#{section}">{title}</a>' in page
        assert f'<h2 id="{section}">{title}</h2>' in page
    for option in GAMES[name].specification:
        assert f"<code>{option.name}</code>" in page


@pytest.mark.django_db
def test_examples_are_drawn_with_the_pieces_of_the_replay(client):
    felts = client.get("/games/njet/").content.decode().split("<figure")
    board = next(each for each in felts if 'id="example-board"' in each)
    assert board.count('class="stone"') == 10
    felts = client.get("/games/mue/").content.decode().split("<figure")
    failed = next(each for each in felts if 'id="example-failed"' in each)
    assert "29 of 33" in failed
    assert "chief" in failed


@pytest.mark.django_db
@pytest.mark.parametrize("game", GAMES)
def test_each_example_can_be_played_from_where_it_begins(client, game):
    page = client.get(f"/games/{game}/").content.decode()
    for name, example in examples(game).items():
        address = f"/play/on/{game}/{name}/"
        assert page.count(f'href="{address}"') == 1, name
        asked = client.get(address)
        assert asked.status_code == 200
        told = asked.content.decode()
        assert f"from decision {example.first}:" in " ".join(told.split())
        assert f'href="/games/{game}/#example-{name}"' in told
    assert client.get(f"/play/on/{game}/none/").status_code == 404


def test_no_table_of_rules_has_a_head_without_words(client):
    for game in GAMES:
        for prefix in ("", "/de"):
            page = client.get(f"{prefix}/games/{game}/").content.decode()
            assert [
                head for head in re.findall(r"<th[^>]*>(.*?)</th>", page, re.DOTALL) if not head.strip()
            ] == []


def test_the_summary_and_the_page_for_bots_belong_to_the_rules(client):
    rules = client.get("/de/games/meinz/").content.decode()
    assert 'href="/de/games/meinz/summary/"' in rules
    assert "Wer zuerst „Meinz“ sagt" in client.get("/de/games/meinz/summary/").content.decode()
    bots = client.get("/games/meinz/bots/").content.decode()
    assert "<code>swap Y5 Y9, keep</code>" in bots
    assert "MeinzView" in bots
    assert "<code>putting away</code>" in bots
    assert (
        client.get("/games/skat/bots/").status_code
        == client.get("/de/games/skat/summary/").status_code
        == 404
    )


@pytest.mark.django_db
@pytest.mark.parametrize("slug", GAMES)
def test_the_setting_that_the_page_for_bots_shows_can_be_played(client, capsys, slug):
    page = html.unescape(client.get(f"/games/{slug}/bots/").content.decode())
    setting = re.search(rf"stichkampf play {slug} … -o (\S+?)</code>", page)[1]
    bots = ["random"] * GAMES[slug].players[0]
    assert main(["play", slug, *bots, "-o", setting, "--no-clock"]) == 0, capsys.readouterr().err
