"""Lists, search and the pages of people: found is what everybody may see, and nothing else."""

import pytest
from stichkampf.games import GAMES
from stichkampf_platform.people.models import NameReport
from stichkampf_platform.ratings.models import Rating


@pytest.fixture
def karl(person, submitted, house):
    return submitted(person("ann"), slug="karl").bot


def page_of(client, address):
    return client.get(address).content.decode()


def test_bots_are_found_by_a_part_of_their_name_or_of_their_author(client, karl):
    for query in ("KAR", "ann", ""):
        assert f'href="{karl.get_absolute_url()}"' in page_of(client, f"/bots/?q={query}")
    assert "karl" not in page_of(client, "/bots/?q=thumb")


def test_bots_are_chosen_by_the_game_that_they_play(client, karl):
    assert "karl" in page_of(client, "/bots/?game=stiche-raten")
    assert "karl" not in page_of(client, "/bots/?game=mue")


def test_an_unknown_game_is_not_found_and_says_which_there_are(client, karl):
    answer = client.get("/bots/?game=skat")
    assert answer.status_code == 404
    assert "skat" in answer.content.decode()
    assert "sticheln" in answer.content.decode()


def test_a_search_without_result_quotes_the_words_and_leads_on(client, karl):
    page = page_of(client, "/bots/?q=<b>nothing")
    assert "&lt;b&gt;nothing" in page
    assert 'href="/bots/"' in page
    assert "“nothing-at-all”" in page_of(client, "/people/?q=nothing-at-all")


@pytest.mark.parametrize("state", ["submitted", "validating", "rejected"])
def test_a_bot_that_was_never_let_play_and_its_author_are_found_nowhere(
    client, person, submitted, house, state
):
    bob = person("bob")
    bot = submitted(bob, slug="hidden", state=state).bot
    client.force_login(bob)
    for address in ("/bots/?q=hidden", "/people/?q=bob", "/sitemap-bots.xml", "/sitemap-people.xml"):
        page = page_of(client, address)
        assert "/hidden/" not in page
        assert "/people/bob/" not in page
    assert client.get("/people/bob/").status_code == 404
    assert client.get(f"{bot.get_absolute_url()}feed.atom").status_code == 404
    assert client.get(f"{bot.get_absolute_url()}badge.svg").status_code == 404


def test_the_page_of_a_person_shows_their_bots_and_ranks(client, played):
    played.whole(blocks=2)
    first = Rating.objects.first()
    Rating.objects.filter(pk=first.pk).update(rank=1, rank_best=1, rank_worst=2, blocks=20, provisional=False)
    for address in ("/people/house/", "/bots/"):
        page = page_of(client, address)
        assert page.count('<a href="/ladders/sticheln/">Sticheln</a>') == 1
        row = page.partition(f'href="{first.version.bot.get_absolute_url()}"')[2].partition("</tr>")[0]
        assert row.count('<td class="number">') == len(GAMES)
        assert f"<b>{first.elo:.0f}</b>" in row
        assert page.count("<b>") == 1


def test_one_search_finds_games_bots_people_and_tournaments(client, karl, played, person):
    cup = played.whole(blocks=1)
    assert 'href="/search/"' in page_of(client, "/").partition("</header>")[0]
    assert f'href="{karl.get_absolute_url()}"' in page_of(client, "/search/?q=KAR")
    assert 'href="/people/ann/"' in page_of(client, "/search/?q=ann")
    assert 'href="/games/mue/"' in page_of(client, "/search/?q=m%C3%BC")
    assert f'href="{cup.get_absolute_url()}"' in page_of(client, f"/search/?q={cup.name}")
    assert "Nothing is called “&lt;b&gt;”" in page_of(client, "/search/?q=<b>")
    assert "<h2" not in page_of(client, "/search/?q=+")


@pytest.mark.parametrize("hidden", [{"private": True}, {"published": False}])
def test_a_search_finds_nothing_that_is_not_for_everybody(client, played, hidden):
    cup = played.whole(blocks=1)
    assert f'href="{cup.get_absolute_url()}"' in page_of(client, f"/search/?q={cup.name}")
    type(cup).objects.filter(pk=cup.pk).update(**hidden)
    assert f'href="{cup.get_absolute_url()}"' not in page_of(client, f"/search/?q={cup.name}")


def test_the_lists_need_as_many_queries_for_ten_bots_as_for_one(
    client, person, submitted, house, django_assert_max_num_queries
):
    for number in range(10):
        submitted(person(f"ann{number}"), slug=f"karl{number}")
    with django_assert_max_num_queries(14):
        client.get("/bots/")
    with django_assert_max_num_queries(6):
        client.get("/people/")


def test_a_name_is_reported_to_the_staff_once_dealt_with_and_a_person_reports_few(
    client, karl, person, settings, admin_client
):
    settings.RATES = settings.RATES | {"name reports": {"account": (2, 60), "address": (2, 60)}}
    address = "/de/people/ann/report/"
    assert f'href="{address}"' in page_of(client, "/de/people/ann/")
    assert "Diesen Namen beanstanden" in page_of(client, address)
    assert not NameReport.objects.exists()
    for _ in range(2):
        assert "Danke" in client.post(address).content.decode()
    refused = client.post(address)
    assert (refused.status_code, "Danke" in refused.content.decode()) == (429, False)
    assert [(str(report.person), report.times) for report in NameReport.objects.all()] == [("ann", 2)]
    assert "ann" in page_of(admin_client, "/admin/people/namereport/")
    for nobody in ("house", "nobody-has-it"):
        assert client.post(f"/people/{nobody}/report/").status_code == 404
