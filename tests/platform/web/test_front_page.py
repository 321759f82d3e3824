"""The front page: a table to look at, the rule by which it was chosen, and what to do next."""

from __future__ import annotations

import gzip
import re

import pytest
from django.utils.translation import override
from stichkampf.games import GAMES
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.marks.models import Analysis, JudgedSeat, StoredMark
from stichkampf_platform.tournaments.featured import featured_table
from stichkampf_platform.tournaments.models import MatchRecord
from stichkampf_platform.web.games.cards import face

pytestmark = pytest.mark.django_db


def front_page(client):
    return " ".join(client.get("/").content.decode().split())


@pytest.mark.slow
def test_the_featured_match_is_drawn_with_the_rule_that_chose_it(played, client):
    assert 'class="felt' not in front_page(client)
    played.whole(blocks=1)
    page = front_page(client)
    table = featured_table()
    step = re.search(rf'href="/r/{table.pk}/(\d+)">Play it card by card', page)[1]
    assert page.count('class="plate"') == 4
    seats = table.seats.select_related("entrant__version__bot")
    assert sorted(re.findall(r">(\w+)</a> <small class=\"beside\">v(\d+)</small>", page)) == sorted(
        (seat.entrant.version.bot.label, str(seat.entrant.version.number)) for seat in seats
    )
    assert page.count('class="slot') == 4
    assert "in the middle of its last deal" in page
    assert '<symbol id="sR"' in page
    assert client.get(f"/r/{table.pk}/{step}").status_code == 200
    assert len(gzip.compress(client.get("/").content)) < 20_000


@pytest.mark.parametrize(("language", "address"), [("en", "/"), ("de", "/de/")])
def test_every_game_is_shown_with_three_of_its_cards(client, language, address):
    page = client.get(address).content.decode()
    for name, game in GAMES.items():
        panel = page.partition(f'id="game-{name}"')[2].partition("</section>")[0]
        assert len(game.sample_cards) == 3
        with override(language):
            names = [face(word).name for word in game.sample_cards]
        assert re.findall(r'class="card [^"]*" role="img" aria-label="([^"]+)"', panel) == names
    assert '<symbol id="sR"' in page


def test_a_match_of_one_bot_with_itself_is_never_featured(played, house_bot):
    tournament = played.whole(blocks=1)
    assert featured_table()
    for number, entrant in enumerate(tournament.entrants.all(), start=90):
        Version.objects.filter(pk=entrant.version_id).update(bot=house_bot("bold"), number=number)
    assert featured_table() is None


def test_a_match_with_marks_is_drawn_at_its_costliest_decision(played, client):
    played.whole(blocks=1)
    table = featured_table()
    analysis = Analysis.objects.create(
        table=table, reason=Analysis.Reason.FEATURED, requested_at=clock.now(), state=Analysis.State.MADE
    )
    judged = JudgedSeat.objects.create(analysis=analysis, seat=table.seats.first(), decisions=5)
    found = {"chosen": "play R1", "better": "play R2", "open_better": "play R2", "deal": 0, "worlds": 200}
    bounds = {"low": 1.0, "high": 6.0, "open_points": 0.0, "open_low": 0.0, "open_high": 0.0}
    for decision, points in ((3, 2.0), (9, 5.0)):
        StoredMark.objects.create(judged=judged, decision=decision, points=points, **found, **bounds)
    page = front_page(client)
    assert f'href="/r/{table.pk}/9">Play it card by card' in page
    assert "holds for its costliest" in page


def test_without_a_readable_record_the_scores_stay(played, client):
    played.whole(blocks=1)
    MatchRecord.objects.update(file_name="gone")
    page = front_page(client)
    assert "How it ended" in page
    assert 'class="felt' not in page


def test_the_picture_of_the_same_hands_gives_every_bot_every_hand_once(client):
    rows = re.findall(r"<tr>(?:(?!</tr>).)*bot-\w.*?</tr>", front_page(client))
    tables = [re.findall(r'class="bot-(\w)"', row) for row in rows]
    assert len(tables) == 4
    assert all(sorted(hand) == list("abcd") for hand in [*tables, *zip(*tables, strict=True)])
