"""Bots of authors against which people sit down."""

import pytest
from stichkampf.bots.registry import levels_elo
from stichkampf.games import GAMES
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.play.models import PlayedTable

pytestmark = pytest.mark.django_db


def words(answer):
    return " ".join(answer.content.decode().split())


def test_bots_are_offered_whose_authors_agree_and_no_others(client, submitted, person):
    agreed, refused = (submitted(person(name), games=["sticheln"]) for name in ("ann", "ben"))
    Bot.objects.filter(pk=refused.bot_id).update(accepts_challenges=False)
    page = words(client.get("/play/"))
    assert (f'value="{agreed.pk}"' in page, f'value="{refused.pk}"' in page) == (True, False)
    answer = client.post("/play/", {"game": "sticheln", "bot-sticheln": str(refused.pk)})
    assert (answer.status_code, "This bot does not play against people any more." in words(answer)) == (
        400,
        True,
    )
    assert not PlayedTable.objects.exists()


@pytest.mark.parametrize("game", GAMES)
def test_each_level_of_a_game_is_shown_with_its_elo(client, game):
    page = words(client.get("/play/"))
    shown = [f"{level} <b>{elo}</b>&nbsp;±&nbsp;{more}" for level, (elo, more) in levels_elo()[game].items()]
    assert list(levels_elo()[game]) == ["gentle", "even", "strong"]
    assert f"Elo: {' · '.join(shown)} </p>" in page
