"""The front page, which invites to play, and the page *Watch*, with the rule by which its match is chosen."""

from __future__ import annotations

import gzip
import re
from datetime import timedelta

import pytest
from django.utils.translation import override
from stichkampf.games import GAMES
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.marks.models import Analysis, JudgedSeat, StoredMark
from stichkampf_platform.tournaments.featured import featured_table
from stichkampf_platform.tournaments.models import MatchRecord, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.web.games.cards import face

pytestmark = pytest.mark.django_db


def front_page(client):
    return " ".join(client.get("/").content.decode().split())


def watch_page(client):
    return " ".join(client.get("/watch/").content.decode().split())


@pytest.mark.slow
def test_the_featured_match_is_drawn_with_the_rule_that_chose_it(played, client):
    assert 'class="felt' not in watch_page(client)
    played.whole(blocks=1)
    page = watch_page(client)
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
    assert len(gzip.compress(client.get("/watch/").content)) < 20_000


@pytest.mark.parametrize(
    ("address", "told"),
    [("/", "Strength of the bots"), ("/de/", "Stärke der Bots"), ("/play/", "Strength of the bots")],
)
def test_the_levels_stand_below_what_they_are(client, address, told):
    """A stranger who was shown "Gentle, Even, Strong" alone asked what these were."""
    page = client.get(address).content.decode()
    levels = next(part for part in page.split("<fieldset")[1:] if 'name="level"' in part)
    assert re.search(rf"<legend>\s*{told}\s*</legend>", levels)


@pytest.mark.parametrize(("language", "address"), [("en", "/"), ("de", "/de/")])
def test_every_game_is_shown_with_three_of_its_cards(client, language, address):
    page = client.get(address).content.decode()
    for name, game in GAMES.items():
        panel = page.partition(f'id="game-{name}"')[2].partition("</article>")[0]
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
    page = watch_page(client)
    assert f'href="/r/{table.pk}/9">Play it card by card' in page
    assert "holds for its costliest" in page


def test_without_a_readable_record_the_scores_stay(played, client):
    played.whole(blocks=1)
    MatchRecord.objects.update(file_name="gone")
    page = watch_page(client)
    assert "How it ended" in page
    assert 'class="felt' not in page


def test_the_picture_of_the_same_hands_gives_every_bot_every_hand_once(client):
    rows = re.findall(r"<tr>(?:(?!</tr>).)*bot-\w.*?</tr>", front_page(client))
    tables = [re.findall(r'class="bot-(\w)"', row) for row in rows]
    assert len(tables) == 4
    assert all(sorted(hand) == list("abcd") for hand in [*tables, *zip(*tables, strict=True)])


def test_the_front_page_leads_to_playing_watching_and_writing_within_one_press(client):
    page = front_page(client)
    form = page.partition('action="/play/"')[2].partition("</form>")[0]
    assert re.findall(r'name="level" value="(\w+)"', form) == ["gentle", "even", "strong"]
    for name in GAMES:
        assert f'href="/play/?game={name}"' in page
        assert f'href="/watch/{name}/"' in page
    head = page.partition("<nav")[2].partition("</nav>")[0]
    assert re.findall(r'href="([^"]+)"', head) == ["/play/", "/watch/", "/ladders/", "/games/", "/docs/"]


@pytest.mark.parametrize("shown", [front_page, watch_page])
def test_tournaments_that_can_be_entered_are_offered_and_no_others(make_tournament, client, shown):
    cup = make_tournament(name="Friday cup", entry="anybody")
    for number in range(12):
        closed = make_tournament(name=f"Closed {number}", entry=("anybody", "organiser")[number % 2])
        Tournament.objects.filter(pk=closed.pk).update(entry_until=clock.now() - timedelta(hours=1))
    make_tournament(name="Hidden cup", entry="anybody", published=False)
    make_tournament(name="Club cup", entry="anybody", private=True)
    offered = re.search(r'<h2 id="open">Open for entry</h2>.*?</ul>', shown(client))[0]
    assert re.findall(r'<a href="([^"]+)">([^<]+)</a>', offered) == [(cup.get_absolute_url(), "Friday cup")]
    lifecycle.start(tournament=cup)
    assert 'id="open"' not in shown(client)


def test_a_channel_leads_to_the_newest_match_and_then_to_the_one_before(played, client):
    assert client.get("/watch/sticheln/").status_code == 404
    tournament = played.whole(blocks=2)
    newest_first = Table.objects.filter(block__tournament=tournament).order_by("-pk")
    tables = list(newest_first.values_list("pk", flat=True))
    seen = []
    address = "/watch/sticheln/"
    for _ in range(len(tables) + 1):
        replay = client.get(address)
        seen.append(int(re.fullmatch(r"/r/(\d+)/0\?watch=game&newest=\d+", replay["Location"])[1]))
        page = client.get(replay["Location"]).content.decode()
        address = re.search(r'data-channel="([^"]+)"', page)[1].replace("&amp;", "&")
    assert seen == [*tables, tables[0]]
    of_cup = client.get(f"/tournaments/{tournament.slug}/watch/")
    assert of_cup["Location"] == f"/r/{tables[0]}/0?watch=tournament&newest={tables[0]}"
    replay = client.get(of_cup["Location"]).content.decode()
    assert (
        f'data-channel="/tournaments/{tournament.slug}/watch/?after={tables[0]}&amp;newest={tables[0]}"'
        in replay
    )


@pytest.mark.parametrize("after", ["x", "-1", "9" * 40, "٣", ""])
def test_a_channel_begins_anew_after_what_is_no_match(played, client, after):
    played.whole(blocks=1)
    assert client.get(f"/watch/sticheln/?after={after}").status_code == 302


def test_a_channel_shows_no_block_that_is_still_being_played(played, client):
    tournament = played.tournament(blocks=1)
    played.play(Table.objects.filter(block__tournament=tournament).first())
    assert client.get("/watch/sticheln/").status_code == 404
    assert client.get(f"/tournaments/{tournament.slug}/watch/").status_code == 404
    assert client.get("/watch/no-such-game/").status_code == 404


def test_a_replay_by_itself_and_with_another_word_is_no_channel(played, client):
    table = Table.objects.filter(block__tournament=played.whole(blocks=1)).first()
    for address in (f"/r/{table.pk}/0", f"/r/{table.pk}/0?watch=", f"/r/{table.pk}/0?watch=//evil.example"):
        assert "data-channel" not in client.get(address).content.decode()


@pytest.mark.parametrize(
    ("query", "level", "first"),
    [
        ("?level=strong", "strong", next(iter(GAMES))),
        ("?game=njet", "even", "njet"),
        ("?level=none&game=none", "even", next(iter(GAMES))),
    ],
)
def test_the_start_page_takes_up_what_was_chosen_on_the_front_page(client, query, level, first):
    page = client.get(f"/play/{query}").content.decode()
    assert re.findall(r'value="(\w+)" checked', page) == [level]
    assert re.search(r'name="game" value="([\w-]+)"', page)[1] == first
