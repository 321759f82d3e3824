"""Feeds, badge, sitemap, robots.txt and the icon."""

from xml.etree import ElementTree

import pytest
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.tournaments.models import Tournament

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def xml_of(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    return ElementTree.fromstring(answer.content)


def test_the_feed_of_tournaments_lists_what_everybody_may_see(client, played):
    shown = played.whole(blocks=2)
    draft = played.tournament()
    Tournament.objects.filter(pk=draft.pk).update(state=Tournament.State.DRAFT)
    links = [
        e.find(f"{ATOM}link").get("href")
        for e in xml_of(client, "/tournaments/feed.atom").iter(f"{ATOM}entry")
    ]
    assert [link.removeprefix("http://testserver") for link in links] == [
        t.get_absolute_url() for t in Tournament.objects.exclude(pk=draft.pk).order_by("-pk")
    ]
    assert shown is None or shown.get_absolute_url() in links[0]


def test_the_feed_of_a_bot_lists_results_of_blocks_that_are_over(client, played):
    tournament = played.tournament()
    bot = tournament.entrants.first().version.bot
    assert not list(xml_of(client, f"{bot.get_absolute_url()}feed.atom").iter(f"{ATOM}entry"))
    played.whole(blocks=2)
    bot = Rating.objects.first().version.bot
    entries = list(xml_of(client, f"{bot.get_absolute_url()}feed.atom").iter(f"{ATOM}entry"))
    assert len(entries) == 8
    assert "/r/" in entries[0].find(f"{ATOM}link").get("href")


def test_a_badge_says_the_rank_and_leaves_no_name_unescaped(client, played):
    played.whole(blocks=2)
    bot = Rating.objects.first().version.bot
    assert "not ranked yet" in client.get(f"{bot.get_absolute_url()}badge.svg").content.decode()
    Rating.objects.filter(version__bot=bot).update(rank=3, elo=1612.4)
    answer = client.get(f"{bot.get_absolute_url()}badge.svg?game=sticheln")
    assert answer["Content-Type"] == "image/svg+xml"
    texts = [
        text.text for text in ElementTree.fromstring(answer.content).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert texts == [bot.full_name, "Sticheln: rank 3, Elo 1,612"]
    assert "not ranked yet" in client.get(f"{bot.get_absolute_url()}badge.svg?game=mue").content.decode()
    assert client.get(f"{bot.get_absolute_url()}badge.svg?game=skat").status_code == 404


@pytest.mark.slow
def test_the_sitemap_leads_to_pages_that_exist(client, played):
    played.whole(blocks=2)
    parts = [loc.text for loc in xml_of(client, "/sitemap.xml").iter(f"{SITEMAP}loc")]
    assert len(parts) == 4
    addresses = [loc.text for part in parts for loc in xml_of(client, part).iter(f"{SITEMAP}loc")]
    assert len(addresses) > 30
    for address in addresses:
        assert client.get(address).status_code == 200, address


@pytest.mark.django_db
def test_robots_are_led_to_the_sitemap_and_browsers_to_the_icon(client):
    text = client.get("/robots.txt").content.decode()
    assert "Sitemap: http://testserver/sitemap.xml" in text
    assert "Disallow: /admin/" in text
    icon = client.get("/favicon.ico")
    assert icon.status_code == 302
    assert icon["Location"].endswith("/icon.svg")


@pytest.mark.django_db
def test_a_page_names_its_own_address_unless_it_is_a_search(client):
    assert '<link rel="canonical" href="http://testserver/games/">' in client.get("/games/").content.decode()
    assert "canonical" not in client.get("/bots/?q=a").content.decode()
