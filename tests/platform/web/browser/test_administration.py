"""The organiser's pages of the administration, on phone and desk, light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth import get_user_model
from playwright.sync_api import expect
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import rulings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

TOURNAMENTS = "/admin/tournaments/tournament/"
LISTS = [f"/admin/tournaments/{m}/" for m in ("tournament", "block", "table", "entrant", "result", "fault")]
AXE = Axe().axe_script
RUN = "options => axe.run(options).then(found => found.violations)"
RULES = {
    "light": {"resultTypes": ["violations"]},
    # nothing else depends on the theme
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]},
}
AT_REST = "() => Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(() => null)"
"""Links of Django's administration change their colour slowly."""
HIDDEN_WIDTH = """() => {
    const list = document.querySelector(".results");
    return list ? list.scrollWidth - list.clientWidth : 0;
}"""


@pytest.fixture
def olga(client, ada, make_organiser):
    """An organiser who is neither staff nor superuser, signed in."""
    person = get_user_model().objects.get(pk=ada.pk)
    make_organiser(person)
    client.force_login(person)
    return person


@pytest.fixture
def tournaments(played, olga):
    """A tournament that is over, with a void block; one that is running, in trouble; and a draft."""
    done = played.whole(blocks=1)
    rulings.run_again(block=done.blocks.first())
    running = played.tournament(blocks=2)
    waiting = Table.objects.filter(block=running.blocks.last())
    waiting.update(trouble="The arbiter cannot keep the archive: No space left on device.")
    draft = rulings.clone(tournament=done, by=olga)
    Tournament.objects.update(created_by=olga)
    return {"done": done, "running": running, "draft": draft}


@pytest.fixture
def desk(visit, client, live_server, olga):
    """Open a tab in which the organiser is signed in."""

    def opened(width):
        tab = visit(width=width)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        tab.context.add_cookies([cookie])
        return tab

    return opened


def findings(tab, name):
    """Yield everything that is wrong with the page in the tab: noise, width, barriers in both themes."""
    yield from (f"{name}: {complaint}" for complaint in tab.complaints)
    if tab.overflow > 0 or tab.page.evaluate(HIDDEN_WIDTH) > 0:
        yield f"{name}: wider than the window"
    tab.page.evaluate(AXE)
    for theme, rules in RULES.items():
        tab.page.emulate_media(color_scheme=theme)
        tab.page.evaluate(AT_REST)
        for violation in tab.page.evaluate(RUN, rules):
            yield f"{name}, {theme}: {violation['id']}: {violation['nodes'][0]['html'][:160]}"
    tab.page.emulate_media(color_scheme="light")
    tab.complaints.clear()


@pytest.mark.parametrize("width", [390, 1280])
def test_organisers_pages_are_quiet_fit_and_have_no_barriers(desk, tournaments, width):
    tab, wrong = desk(width), []
    pages = ["/admin/", f"{TOURNAMENTS}add/", *LISTS]
    for address in [*pages, *(f"{TOURNAMENTS}{each.pk}/change/" for each in tournaments.values())]:
        tab.go(address)
        tab.page.wait_for_load_state()
        wrong += findings(tab, address)
    tab.go(f"{TOURNAMENTS}{tournaments['running'].pk}/change/")
    tab.page.click("button[value=cancel]")
    expect(tab.page.locator("h1")).to_have_text("Cancel for good?")
    wrong += findings(tab, "cancel")
    assert wrong == []
    assert tab.outside == []


def test_another_game_brings_its_options_and_enter_saves(desk, tournaments):
    tab = desk(1280)
    tab.go(f"{TOURNAMENTS}add/")
    tab.page.fill("#id_name", "Friday")
    tab.page.select_option("#id_game", "njet")
    expect(tab.page.locator("#id_option_njet_scoring")).to_be_visible()
    expect(tab.page.locator("#id_name")).to_have_value("Friday")
    tab.page.click("button[value=class]")
    expect(tab.page.locator("#id_option_njet_length")).to_have_value("deals:4")
    tab.page.fill("#id_slug", "friday")
    tab.page.fill("#id_more_entrants", "bold\nflat\ngambler\nglimpse")
    tab.page.click("button[value=estimate]")
    expect(tab.page.locator("#estimate strong")).to_contain_text("96 tables")
    assert not Tournament.objects.filter(slug="friday").exists()
    tab.page.press("#id_slug", "Enter")
    expect(tab.page.locator(".messagelist .success")).to_contain_text("was added successfully")
    assert Tournament.objects.get(slug="friday").options["length"] == "deals:4"
    tab.page.dblclick("button[value=clone]")
    expect(tab.page.locator(".messagelist .success")).to_contain_text("Cloned.")
    assert Tournament.objects.filter(name__startswith="Friday").count() == 2
