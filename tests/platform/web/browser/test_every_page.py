"""Every page, on phone and desk, in German and English, light and dark: quiet, own host only, nothing
sideways, no barrier.

The suite walks in German on a dark phone and in English at a light desk, `make nightly` in each language with
each width and theme.
"""

from __future__ import annotations

import re
from string import ascii_lowercase

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.urls import LocalePrefixPattern, Resolver404, URLResolver, get_resolver, resolve
from other_browsers import RUNNING, waited
from playwright.sync_api import expect
from stichkampf_platform.bots.models import Bot, Submission
from stichkampf_platform.classes.enrolment import create_class
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.experiments import services as experiments
from stichkampf_platform.people.models import NoticeKind
from stichkampf_platform.people.notice_choices import ending_token
from stichkampf_platform.people.notices import Evidence, tell
from stichkampf_platform.play.daily import open_day
from stichkampf_platform.tournaments.models import Ruling, Table, Tournament
from stichkampf_platform.tournaments.organising import rulings
from stichkampf_platform.tournaments.records import record_files
from support import archive

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

PAGES = [
    "/",
    "/watch/",
    "/play/",
    "/play/on/",
    "/play/together/",
    "/play/on/{table}/30/",
    "/play/on/sticheln/zero/",
    "/play/daily/",
    "/play/daily/sticheln/",
    "/ladders/",
    "/ladders/sticheln/",
    "/ladders/mue/",
    "/ladders/sticheln/pairs/",
    "/bots/",
    "/people/?q=house",
    "/search/?q=t",
    "/people/house/",
    "/people/ada/report/",
    "/bots/house/bold/",
    "/bots/house/bold/v/1/",
    "/bots/house/bold/vs/house/flat/",
    "/bots/house/bold/matches/",
    "/bots/house/bold/matches/?order=costliest",
    "/tournaments/",
    "/tournaments/{done}/",
    "/tournaments/{done}/schedule/",
    "/tournaments/{running}/",
    "/tournaments/{swiss}/",
    "/tournaments/{bracket}/",
    "/tournaments/{bracket}/screen/",
    "/tournaments/{swiss}/screen/",
    "/organise/",
    "/blocks/{block}/",
    "/blocks/{closed}/",
    "/blocks/{void}/",
    "/tournaments/{ruled}/",
    "/r/{table}/",
    "/r/{table}/30",
    "/r/{table}/30?view=2",
    "/r/{table}/marks/",
    "/r/{table}/continuations/30/",
    "/embed/r/{table}/",
    "/embed/r/{table}/30",
    "/embed/ladders/sticheln/",
    "/embed/bots/house/thumb/",
    "/embed/tournaments/{ruled}/",
    "/deals/{block}/1/",
    "/r/{shut}/",
    "/games/",
    "/games/njet/",
    "/games/stiche-raten/",
    "/games/mue/bots/",
    "/games/mue/summary/",
    "/status/",
    "/download/",
    "/docs/",
    "/docs/submit/",
    "/docs/limits/",
    "/docs/ratings/",
    "/docs/tournaments/",
    "/docs/records/",
    "/docs/data/",
    "/docs/researchers/",
    "/docs/api/",
    "/docs/python/",
    "/api/v1/docs/",
    "/docs/guides/",
    "/docs/facts/",
    "/docs/learners/",
    "/nowhere/",
    "/account/",
    "/account/notices/{notice}/",
    "/account/tokens/",
    "/account/notices/",
    "/notices/off/{ending}/",
    "/account/sessions/",
    "/account/email/",
    "/account/password/",
    "/account/delete/",
    "/code/",
    "/experiments/",
    "/experiments/new/",
    "/experiments/{experiment}/",
    "/classes/",
    "/classes/new/",
    "/classes/{class}/",
    "/classes/{class}/add/",
    "/classes/{class}/people/{pupil}/",
    "/classes/{class}/people/{pupil}/remove/",
    "/classes/{class}/end/",
    "/logout/",
    "/submit/",
    "/submissions/{submission}/",
    "/remote/",
    "/remote/new/",
    "/bots/ada/{remote}/",
    "/bots/ada/{remote}/v/1/token/",
    "/submissions/{remote_submission}/",
    "/blocks/{dealt_once}/",
    "/r/{once}/30",
    "/tournaments/{once_cup}/",
    "/tournaments/{once_cup}/withdraw/",
    "/tournaments/{once_cup}/protest/?round=1",
    "/tournaments/{bracket}/protests/{protest}/answer/",
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
PHONE, DESK = 390, 1280
WALKS = [
    ("/de", PHONE, ["dark"]),
    ("", DESK, ["light"]),
    *(
        pytest.param(language, width, ["light", "dark"], marks=pytest.mark.nightly)
        for language in ("", "/de")
        for width in (PHONE, DESK)
    ),
]
"""The language as addresses begin with it, the width of the window, and the themes."""
HEIGHT = 900
WINDOWS = [(1280, 900), (740, 360), (640, 400), (390, 844), (320, 256)]
"""A desk, a telephone held across, the desk at 200%, a telephone, and 1280 x 1024 at 400%."""
LONGEST = {"bot": 40, "name of a bot": 60, "author": 30, "tournament": 100}
"""Letters that a name may have."""
WRONG = """
  const found = [], page = document.documentElement;
  if (page.scrollWidth > innerWidth) found.push(`${page.scrollWidth - innerWidth} px wider than the window`);
  if (!document.querySelector("h1") && !location.pathname.includes("/embed/")) found.push("no heading");
  for (const image of document.images) {
    if (image.complete && !image.naturalWidth && image.getAttribute("src")) found.push(`no ${image.src}`);
  }
  return found;
"""
"""Faults of a page as it is shown, for browsers that tell of nothing else."""
PRESSED = """
  for (let press = 0; press < %d; press += 1) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "%s", bubbles: true, cancelable: true}));
  }
"""
IN_ENGLISH_ALONE = {"/api/v1/docs/"}
NO_PAGES = {
    "channel",
    "tournament-channel",
    *("accept-challenges", "accept-entries", "cancel-experiment", "enter", "press", "put-forward"),
    *(
        "class-ladders",
        "reset-password",
        "revoke-remote-token",
        "revoke-token",
        "end-session",
        "end-other-sessions",
    ),
    "language",
    "costliest-deal",
    *("badge", "bot-feed", "tournament-feed", "own-data"),
    *("openid_connect_login", "openid_connect_callback"),
}
"""Names of addresses that act, lead on or send a file."""
WALKED_ELSEWHERE = re.compile("play-|mfa_|socialaccount_|account_reauthenticate$|account_set_password$")
"""Names of pages behind a second factor, another provider or a seat at a table; tests of those walk them."""


def told(person):
    """A notice with evidence, and a line of standard error as long as such lines are."""
    evidence = Evidence(
        match="Cup 1, block 3, table 2",
        address="/r/1/4",
        faults={"timeout": 2, "crashed": 1},
        forfeited=True,
        stderr="Traceback (most recent call last):\n" + "KeyError: " + "R6 " * 60,
    )
    return tell(person=person, title="karl v1 is suspended", text="Faults.", address="/", evidence=[evidence])


@pytest.fixture
def places(played, submission, ada, connected, make_organiser, submitted, store_mark, store_continuations):
    """Addresses of a finished and a running tournament and all that belongs to them, and of Ada's class."""
    open_day()
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
    store_mark(Table.objects.filter(block=first).first().seats.first(), 30)
    store_continuations(Table.objects.filter(block=first).first(), 30)
    challenge = experiments.challenge(
        version=submitted(ada, "max", games=("sticheln",)),
        opponents=[done.entrants.first().version],
        game="sticheln",
        blocks=1,
        by=ada,
    )
    ada.user_permissions.add(Permission.objects.get(codename="add_schoolclass"))
    school_class = create_class(
        teacher=ada, name="10b", games=["stiche-raten"], names=[ListedName("Alan Turing")], key=new_key()
    )
    bracket = played.whole(blocks=1, house=8, format="knock-out")
    Tournament.objects.filter(pk=bracket.pk).update(created_by=ada)
    protest = Ruling.objects.create(
        tournament=bracket,
        kind=Ruling.Kind.PROTEST,
        role=Ruling.Role.AUTHOR,
        reason="Slow.",
        round=0,
        after={},
    )
    ruled = played.whole(blocks=2)
    rulings.run_again(block=ruled.blocks.first())
    rulings.disqualify(entrant=ruled.entrants.first(), reason="asked the dealer")
    return {
        "ruled": ruled.slug,
        "swiss": played.whole(blocks=1, house=8, format="swiss", rounds=1).slug,
        "bracket": bracket.slug,
        "protest": protest.pk,
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
        "once_cup": once.block.tournament.slug,
        "experiment": challenge.pk,
        "class": school_class.pk,
        "pupil": school_class.pupils.get().pk,
        "ending": ending_token(ada, NoticeKind.VALIDATION),
    }


def names_of(patterns):
    """Yield the names of all addresses of pages."""
    for each in patterns:
        if isinstance(each, URLResolver):
            if isinstance(each.pattern, LocalePrefixPattern) or str(each.pattern) == "":
                yield from (name for name in names_of(each.url_patterns) if each.namespace != "files")
        elif each.name:
            yield each.name


def test_every_page_is_among_those_that_are_walked():
    walked = set()
    for page in [*PAGES, *PAGES_OF_STRANGERS]:
        try:
            walked.add(resolve(re.sub(r"{\w+}", "1", page).partition("?")[0]).url_name)
        except Resolver404:
            assert page == "/nowhere/"
    known = set(names_of(get_resolver().url_patterns))
    assert len(known) > 60
    left_out = {name for name in known - walked if not WALKED_ELSEWHERE.match(name)}
    assert left_out == NO_PAGES & known


@pytest.mark.parametrize(("language", "width", "themes"), WALKS)
def test_every_page_is_quiet_fits_and_has_no_barriers(
    visit, signed_in, places, ada, markup, language, width, themes
):
    tab = signed_in(visit(width=width), get_user_model().objects.get(pk=ada.pk))
    wrong = []
    for page in PAGES:
        address = page.format(**places)
        if page not in IN_ENGLISH_ALONE:
            address = language + address
        tab.complaints.clear()
        markup.keep(address, tab.go(address))
        if tab.overflow > 0:
            wrong.append(f"{address}: {tab.overflow} px wider than the window")
        wrong += [f"{address}: {word} is broken between its letters" for word in tab.broken_words]
        wrong += [f"{address}: {barrier}" for barrier in tab.barriers(themes)]
        expected = ["status of 404", "status of 403"] if page in ("/nowhere/", "/r/{shut}/") else []
        wrong += [
            f"{address}: {text}" for text in tab.complaints if not any(status in text for status in expected)
        ]
    if width == PHONE:
        wrong += markup.errors()
    assert "\n".join(wrong) == ""
    assert tab.outside == []


@pytest.fixture
def longest_names(places, ada, played):
    """Give the bots, the author, the class, its pupil and the tournaments of the pages the longest names
    without a hyphen; return the parts of addresses that they change.
    """
    houses = dict.fromkeys(Bot.objects.filter(owner__username="house").values_list("slug", flat=True))
    for letter, slug in zip(ascii_lowercase, houses, strict=False):
        houses[slug] = letter * LONGEST["bot"]
        Bot.objects.filter(owner__username="house", slug=slug).update(slug=houses[slug])
    for letter, bot in zip(ascii_lowercase[::-1], Bot.objects.filter(owner=ada), strict=False):
        Bot.objects.filter(pk=bot.pk).update(
            slug=letter * LONGEST["bot"], name="n" * LONGEST["name of a bot"]
        )
        places["remote"] = letter * LONGEST["bot"] if bot.slug == places["remote"] else places["remote"]
    get_user_model().objects.filter(pk=ada.pk).update(username="y" * LONGEST["author"])
    SchoolClass.objects.update(name="Donaudampfschifffahrtsgesellschaft")
    Tournament.objects.update(name="m" * LONGEST["tournament"])
    renamed = {f"/house/{old}/": f"/house/{new}/" for old, new in houses.items()}
    return {**renamed, "/ada/": f"/{'y' * LONGEST['author']}/"}


@pytest.mark.parametrize("language", ["/de", pytest.param("", marks=pytest.mark.nightly)])
def test_every_page_fits_small_and_zoomed_windows_with_the_longest_names(
    visit, signed_in, places, longest_names, ada, language
):
    tab = signed_in(visit(), get_user_model().objects.get(pk=ada.pk))
    wrong = []
    for page in PAGES:
        address = page.format(**places)
        for old, new in longest_names.items():
            address = address.replace(old, new)
        answer = tab.go(address if page in IN_ENGLISH_ALONE else language + address)
        assert answer.ok or page in ("/nowhere/", "/r/{shut}/"), address
        for width, height in WINDOWS:
            tab.page.set_viewport_size({"width": width, "height": height})
            if tab.overflow > 0:
                wrong.append(f"{address}: {tab.overflow} px wider than {width} x {height}")
    assert "\n".join(wrong) == ""


@pytest.mark.parametrize(("language", "width"), [("/de", PHONE), ("", DESK)])
def test_every_page_fits_the_window_of_firefox(client, places, ada, live_server, language, width):
    client.force_login(get_user_model().objects.get(pk=ada.pk))
    wrong = []
    with RUNNING["Firefox"]() as browser:
        browser.resize(width, HEIGHT)
        browser.go(f"{live_server.url}/games/")
        assert browser.run("return innerWidth") == width
        for page in PAGES_OF_STRANGERS + PAGES:
            if page == PAGES[0]:
                browser.run(f"document.cookie = 'sessionid={client.cookies['sessionid'].value}; path=/'")
            address = page.format(**places)
            if page not in IN_ENGLISH_ALONE:
                address = language + address
            browser.go(live_server.url + address)
            wrong += [f"{address}: {text}" for text in browser.run(WRONG)]
    assert wrong == []


def test_the_bar_of_the_chosen_estimate_is_ink_in_firefox(played, live_server):
    table = Table.objects.filter(block__tournament=played.whole(blocks=1)).first()
    moves = record_files.record(table.pk)["deals"][0]["moves"]
    weighed = next(step for step, (seat, _) in enumerate(moves, 1) if seat == 1)  # seat 2 tells its estimates
    with RUNNING["Firefox"]() as browser:
        browser.go(f"{live_server.url}/r/{table.pk}/{weighed}")
        drawn, ink, ground = browser.run(
            """const bar = document.querySelector(".weights .chosen meter");
            const ground = getComputedStyle(bar).backgroundColor;
            const drawn = getComputedStyle(bar, "::-moz-meter-bar").backgroundColor;
            return [drawn, getComputedStyle(document.body).color, ground];"""
        )
    assert drawn == ink
    assert drawn != ground


@pytest.mark.parametrize("name", RUNNING)
def test_a_replay_steps_as_often_as_a_key_is_pressed_in_other_browsers(name, places, live_server):
    with RUNNING[name]() as browser:
        browser.go(f"{live_server.url}/r/{places['table']}/0")
        for presses, key, step in ((10, "ArrowRight", 10), (4, "ArrowLeft", 6)):
            browser.run(PRESSED % (presses, key))
            shown = f"return document.querySelector('.replay').dataset.step === '{step}'"
            waited(browser, shown, f"decision {step}")
        browser.run("const bar = document.getElementById('seek'); bar.value = bar.max;"
                    "bar.dispatchEvent(new Event('input', {bubbles: true}));"
                    "bar.dispatchEvent(new Event('change', {bubbles: true}))")  # fmt: skip
        at_the_end = "const bar = document.getElementById('seek');"
        at_the_end += "return document.querySelector('.replay').dataset.step === bar.max"
        waited(browser, at_the_end, "the last decision")
        assert browser.run(WRONG) == []


@pytest.mark.parametrize("name", RUNNING)
def test_a_bot_is_submitted_in_other_browsers(name, client, ada, live_server, tmp_path):
    client.force_login(ada)
    file = tmp_path / "bot.zip"
    file.write_bytes(archive("from stichkampf.bots import RandomBot as Bot\n"))
    with RUNNING[name]() as browser:
        browser.go(f"{live_server.url}/games/")
        browser.run(f"document.cookie = 'sessionid={client.cookies['sessionid'].value}; path=/'")
        browser.go(f"{live_server.url}/submit/")
        browser.run("document.getElementById('id_slug').value = 'karla'")
        browser.choose("#id_archive", file)
        browser.run("document.querySelector('form:has(#id_archive) [type=submit]').click()")
        told = "return document.querySelector('.log')?.innerText.includes('the archive is valid')"
        waited(browser, told, "the log of the validation")
    assert Submission.objects.get().version.bot.slug == "karla"


@pytest.mark.parametrize(("language", "width", "themes"), WALKS)
def test_every_page_of_a_stranger_is_quiet_fits_and_has_no_barriers(visit, markup, language, width, themes):
    tab = visit(width=width)
    wrong = []
    for page in PAGES_OF_STRANGERS:
        address = language + page
        markup.keep(address, tab.go(address))
        if tab.overflow > 0:
            wrong.append(f"{address}: {tab.overflow} px wider than the window")
        wrong += [f"{address}: {barrier}" for barrier in tab.barriers(themes)]
    if width == PHONE:
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
    assert tab.page.inner_text(".lead") == "Nothing was found at /nowhere/."
    assert tab.page.locator("main .card.big").count() == 3
    assert tab.page.get_attribute("main a:text-is('sign in')", "href") == "/login/?next=/nowhere/"
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
    tab.go("/bots/house/bold/")
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
