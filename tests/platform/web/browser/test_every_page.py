"""Every page, on phone and desk, light and dark: quiet, own host only, nothing sideways, no barrier."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import expect
from stichkampf_platform.people.notices import Evidence, tell
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import rulings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

PAGES = [
    "/",
    "/ladders/",
    "/ladders/sticheln/",
    "/ladders/mue/",
    "/ladders/sticheln/pairs/",
    "/bots/",
    "/people/?q=house",
    "/people/house/",
    "/bots/bold/",
    "/bots/bold/v/1/",
    "/bots/bold/vs/flat/",
    "/tournaments/",
    "/tournaments/{done}/",
    "/tournaments/{done}/schedule/",
    "/tournaments/{running}/",
    "/tournaments/{swiss}/",
    "/tournaments/{bracket}/",
    "/organise/",
    "/blocks/{block}/",
    "/blocks/{closed}/",
    "/blocks/{void}/",
    "/tournaments/{ruled}/",
    "/r/{table}/",
    "/r/{table}/30",
    "/r/{table}/30?view=2",
    "/embed/r/{table}/30",
    "/deals/{block}/1/",
    "/r/{shut}/",
    "/games/",
    "/games/njet/",
    "/games/mue/bots/",
    "/docs/",
    "/docs/submit/",
    "/docs/limits/",
    "/docs/ratings/",
    "/docs/records/",
    "/docs/api/",
    "/api/v1/docs/",
    "/docs/guides/",
    "/docs/facts/",
    "/docs/learners/",
    "/nowhere/",
    "/account/",
    "/account/notices/{notice}/",
    "/account/tokens/",
    "/account/email/",
    "/account/password/",
    "/account/delete/",
    "/logout/",
    "/submit/",
    "/submissions/{submission}/",
    "/remote/",
    "/remote/new/",
    "/bots/{remote}/",
    "/bots/{remote}/v/1/token/",
    "/submissions/{remote_submission}/",
    "/blocks/{dealt_once}/",
    "/r/{once}/30",
]
PAGES_OF_STRANGERS = [
    "/join/",
    "/join/sent/",
    "/join/confirm/key/",
    "/login/",
    "/password/reset/",
    "/password/reset/sent/",
    "/password/reset/1-key/",
    "/password/new/",
    "/login/inactive/",
]
WIDTHS = [390, 1280]


def told(person):
    """A notice with evidence, and a line of standard error as long as such lines are."""
    evidence = Evidence(
        match="Cup 1, block 3, table 2",
        address="/r/1/at/0/4",
        faults={"timeout": 2, "crashed": 1},
        forfeited=True,
        stderr="Traceback (most recent call last):\n" + "KeyError: " + "R6 " * 60,
    )
    return tell(person=person, title="karl v1 is suspended", text="Faults.", address="/", evidence=[evidence])


@pytest.fixture
def places(played, submission, ada, connected, make_organiser):
    """Addresses of a finished and a running tournament and all that belongs to them."""
    done = played.whole(blocks=1)
    running = played.tournament(blocks=2)
    first, second = running.blocks.all()
    for table in Table.objects.filter(block=first).select_related("block__tournament"):
        played.play(table, fault=True, stderr="Traceback")
    started = Table.objects.filter(block=second).select_related("block__tournament").first()
    played.play(started)
    karla = connected(ada)
    once = played.dealt_once(karla)
    make_organiser(ada)
    bracket = played.whole(blocks=1, house=8, format="knock-out")
    Tournament.objects.filter(pk=bracket.pk).update(created_by=ada)
    ruled = played.whole(blocks=2)
    rulings.run_again(block=ruled.blocks.first())
    rulings.disqualify(entrant=ruled.entrants.first(), reason="asked the dealer")
    return {
        "ruled": ruled.slug,
        "swiss": played.whole(blocks=1, house=8, format="swiss", rounds=1).slug,
        "bracket": bracket.slug,
        "void": ruled.blocks.first().pk,
        "done": done.slug,
        "running": running.slug,
        "block": first.pk,
        "closed": second.pk,
        "table": Table.objects.filter(block=first).first().pk,
        "shut": started.pk,
        "submission": submission.pk,
        "notice": told(ada).pk,
        "remote": karla.bot.slug,
        "remote_submission": karla.submission.pk,
        "dealt_once": once.block_id,
        "once": once.pk,
    }


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_quiet_fits_and_has_no_barriers(visit, client, places, ada, live_server, markup, width):
    tab = visit(width=width)
    client.force_login(get_user_model().objects.get(pk=ada.pk))
    tab.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}]
    )
    wrong = []
    for page in PAGES:
        address = page.format(**places)
        tab.complaints.clear()
        markup.keep(address, tab.go(address))
        if tab.overflow > 0:
            wrong.append(f"{address}: {tab.overflow} px wider than the window")
        wrong += [f"{address}: {barrier}" for barrier in tab.barriers()]
        expected = (
            ["status of 404", "status of 403"] if address in ("/nowhere/", f"/r/{places['shut']}/") else []
        )
        wrong += [
            f"{address}: {text}" for text in tab.complaints if not any(status in text for status in expected)
        ]
    if width == WIDTHS[0]:
        wrong += markup.errors()
    assert "\n".join(wrong) == ""
    assert tab.outside == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_of_a_stranger_is_quiet_fits_and_has_no_barriers(visit, markup, width):
    tab = visit(width=width)
    wrong = []
    for address in PAGES_OF_STRANGERS:
        markup.keep(address, tab.go(address))
        if tab.overflow > 0:
            wrong.append(f"{address}: {tab.overflow} px wider than the window")
        wrong += [f"{address}: {barrier}" for barrier in tab.barriers()]
    if width == WIDTHS[0]:
        wrong += markup.errors()
    assert "\n".join(wrong) == ""
    assert tab.complaints == []
    assert tab.outside == []


def test_the_readers_theme_outlives_the_page(visit):
    tab = visit(theme="light")
    tab.go("/")
    before = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.page.click("#theme")
    after = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert before != after
    tab.go("/games/")
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_an_address_without_a_page_is_told_in_words(visit):
    tab = visit()
    tab.go("/nowhere/")
    assert tab.page.inner_text(".lead") == "Nothing was found at this address."
    tab.go("/docs/nowhere/")
    assert "There is no page 'nowhere' here" in tab.page.inner_text(".lead")


@pytest.mark.parametrize("page", ["/docs/write-a-bot/", "/docs/api/", "/ladders/was-sticht/"])
def test_the_present_tab_is_in_sight_on_a_phone(visit, page):
    tab = visit(width=390)
    tab.go(page)
    box = tab.page.locator(".tabs [aria-current]").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_a_bot_of_the_house_has_no_author_beside_it(visit, played):
    played.whole(blocks=1)
    tab = visit()
    tab.go("/bots/bold/")
    lead = tab.page.inner_text(".lead")
    assert "a house bot" in lead
    assert "by house" not in lead


def test_a_form_without_its_cookie_says_what_to_do(visit):
    tab = visit(width=390)
    tab.go("/login/")
    tab.context.clear_cookies()
    tab.page.fill("#id_username", "ada")
    tab.page.fill("#id_password", "correct horse battery")
    tab.page.click("main button:has-text('Sign in')")
    expect(tab.page.locator("h1")).to_have_text("This form was too old")
    expect(tab.page.locator(".lead")).to_contain_text("reload the page")
