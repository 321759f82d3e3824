"""Glances of tournaments, ladders and bots for other sites: a picture beside a link, and a frame."""

from io import BytesIO

import pytest
from PIL import Image
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def picture_of(client, page):
    """Return the picture that a page names for links to it."""
    text = client.get(page).content.decode()
    assert 'name="twitter:card"' in text
    address = text.split('property="og:image" content="http://testserver')[1].split('"')[0]
    answer = client.get(address)
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("image/png", "public, max-age=300")
    assert len(answer.content) < 300_000
    return Image.open(BytesIO(answer.content))


def test_a_tournament_a_ladder_and_a_bot_have_a_picture_and_a_frame(played, client):
    cup = played.whole(blocks=1)
    bot = cup.entrants.first().version.bot
    for page, frame in (
        (cup.get_absolute_url(), f"/embed/tournaments/{cup.slug}/"),
        ("/ladders/sticheln/", "/embed/ladders/sticheln/"),
        (bot.get_absolute_url(), f"/embed/bots/{bot.owner.username}/{bot.slug}/"),
    ):
        assert picture_of(client, page).size == (1200, 630)
        assert picture_of(client, f"/de{page}").size == (1200, 630)
        shown = client.get(frame)
        assert shown.status_code == 200, frame
        assert "frame-ancestors *" in shown["Content-Security-Policy"]
        assert "X-Frame-Options" not in shown
        text = shown.content.decode()
        assert '<base target="_top">' in text
        assert "<form" not in text
        assert f'href="{page}"' in text


@pytest.mark.parametrize(("half", "shown"), [(400.0, 1), (401.0, 0)])
def test_an_elo_that_its_page_holds_back_stands_in_no_frame_and_on_no_screen(played, client, half, shown):
    cup = played.whole(blocks=1)
    entrant = cup.entrants.first()
    ratings = Rating.objects.filter(version=entrant.version, snapshot__tournament=cup)
    ratings.update(elo=1777.0, plus_minus=half)
    own = cup.get_absolute_url()
    for page in (own, f"/embed{own}", f"{own}screen/"):
        assert client.get(page).content.decode().count("<b>1777</b>") == shown, page


def test_all_pages_of_a_tournament_bring_its_picture(played, client):
    cup = played.whole(blocks=1)
    own = cup.get_absolute_url()
    pictures = {picture_of(client, f"{own}{page}").tobytes() for page in ("", "screen/", "schedule/")}
    assert picture_of(client, cup.blocks.first().get_absolute_url()).tobytes() in pictures
    assert len(pictures) == 1


def test_a_knock_out_is_framed_with_its_bracket(make_tournament, client):
    names = ("thumb", "random", "timid", "bold", "flat", "rival", "glimpse", "gambler")
    cup = make_tournament(*names, name="Cup", format="knock-out", blocks=1)
    lifecycle.start(tournament=cup)
    assert 'class="bracket"' in client.get(f"/embed/tournaments/{cup.slug}/").content.decode()


@pytest.mark.parametrize("hidden", [{"private": True}, {"published": False}])
def test_what_is_not_for_everybody_has_neither_whoever_asks(make_tournament, house, person, client, hidden):
    olga = person("olga")
    cup = make_tournament(name="Cup", created_by=olga, published=True)
    lifecycle.start(tournament=cup)
    Tournament.objects.filter(pk=cup.pk).update(**hidden)
    client.force_login(olga)
    for address in (f"/tournaments/{cup.slug}/preview.png", f"/embed/tournaments/{cup.slug}/"):
        assert client.get(address).status_code == 404
    for page in ("", "screen/", "schedule/"):
        answer = client.get(f"{cup.get_absolute_url()}{page}")
        assert answer.status_code == 200
        assert "og:image" not in answer.content.decode()


def test_names_that_nothing_has_are_not_found(client):
    for address in ("tournaments/none", "ladders/none", "bots/ann/none"):
        assert client.get(f"/{address}/preview.png").status_code == 404
        assert client.get(f"/embed/{address}/").status_code == 404
