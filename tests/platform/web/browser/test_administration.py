"""All of the administration, as its registry and addresses have it, on phone and desk, light and dark."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from axe_playwright_python.sync_playwright import Axe
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import RequestFactory
from playwright.sync_api import expect
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings.models import CollusionSignal, Snapshot
from stichkampf_platform.tournaments.models import Entry, Membership, Table, Tournament
from stichkampf_platform.tournaments.organising import rulings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

TOURNAMENTS = "/admin/tournaments/tournament/"
LISTS = [f"/admin/tournaments/{m}/" for m in ("tournament", "block", "table", "entrant", "result", "fault")]
AXE = Axe().axe_script
RUN = "([context, options]) => axe.run(context, options).then(found => found.violations)"
PARTS_OF_ALL_PAGES = {"exclude": [["#header"], ["#nav-sidebar"]]}
"""Looked at on the pages that belong to no model, and no more: the sidebar is long."""
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
    """Open a tab in which the person is who is signed in: the organiser, or the superuser."""

    def opened(width):
        tab = visit(width=width)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        tab.context.add_cookies([cookie])
        return tab

    return opened


def findings(tab, name, context=PARTS_OF_ALL_PAGES):
    """Yield everything that is wrong with the page in the tab: noise, width, barriers in both themes."""
    yield from (f"{name}: {complaint}" for complaint in tab.complaints)
    if tab.overflow > 0 or tab.page.evaluate(HIDDEN_WIDTH) > 0:
        yield f"{name}: wider than the window"
    tab.page.evaluate(AXE)
    for theme, rules in RULES.items():
        tab.page.emulate_media(color_scheme=theme)
        tab.page.evaluate(AT_REST)
        for violation in tab.page.evaluate(RUN, [context, rules]):
            yield f"{name}, {theme}: {violation['id']}: {violation['nodes'][0]['html'][:160]}"
    tab.page.emulate_media(color_scheme="light")
    tab.complaints.clear()


@pytest.fixture
def root(client, played, tournaments, submission, connected, olga):
    """A superuser, signed in; of everything that the administration knows there is one at least."""
    create_token(owner=olga, name="laptop")
    tell(person=olga, title="karl v1 is suspended", text="Faults.", address="/")
    EmailAddress.objects.create(user=olga, email="olga@example.org")
    connected(olga)
    draft, running = tournaments["draft"], tournaments["running"]
    Membership.objects.create(tournament=draft, person=olga, by_code=True)
    Entry.objects.create(tournament=draft, bot=submission.version.bot)
    for table in Table.objects.filter(block=running.blocks.first()).select_related("block__tournament"):
        played.play(table, fault=True)
    first, second = (entrant.version for entrant in running.entrants.all()[:2])
    CollusionSignal.objects.create(
        snapshot=Snapshot.objects.first(), giver=first, taker=second, way="help", blocks=2, points=0.2,
        low=0.1, high=0.3,
    )  # fmt: skip
    person = get_user_model().objects.create_superuser("root-admin")
    client.force_login(person)
    return person


def site_pages():
    """Yield the addresses of the administration that belong to no model, but for those that are no pages."""
    for pattern in admin.site.get_urls():
        name = getattr(pattern, "name", None)
        if name and name not in ("logout", "jsi18n", "autocomplete", "view_on_site", "app_list"):
            yield f"/admin/{pattern.pattern}"
    yield from {f"/admin/{model._meta.app_label}/" for model in admin.site._registry}


def pages_of(page, request):
    """Yield the addresses of a page of the registry that this person may see: lists, forms, questions."""
    name = f"/admin/{page.opts.app_label}/{page.opts.model_name}/"
    row = page.get_queryset(request).first()
    assert row, f"{name} has no row: make one in the fixture"
    refused = {"add/": not page.has_add_permission(request)}
    for pattern in page.get_urls():
        route = str(pattern.pattern)
        if "delete/" in route:
            refused[route] = not page.has_delete_permission(request, row)
        if pattern.name and "export/" not in route and not refused.get(route):
            yield name + re.sub(r"<(?:\w+:)?\w+>", str(row.pk), route)
    shown = page.get_changelist_instance(request)
    for spec in shown.filter_specs[:1]:
        yield name + list(spec.choices(shown))[1]["query_string"]
    if page.search_fields:
        yield f"{name}?q=nothing+of+this+name"


def actions_of(page, request):
    """Yield the list and the name of each action on its rows."""
    for action in page.get_actions(request):
        yield f"/admin/{page.opts.app_label}/{page.opts.model_name}/", action


def press_go(tab, address, action):
    """Choose the first row of a list and an action, and press Go."""
    tab.go(address)
    tab.page.locator("input.action-select").first.check()
    tab.page.select_option("select[name=action]", action)
    if tab.page.locator("input[name=reason]").count():
        tab.page.fill("input[name=reason]", "It asked the dealer.")
    tab.page.click("button[name=index]")


WIDTHS = (390, 1280)


def at_all_widths(tab, name, **more):
    for width in WIDTHS:
        tab.page.set_viewport_size({"width": width, "height": 900})
        yield from findings(tab, f"{name} at {width}", **more)


def test_every_page_of_the_registry_is_quiet_fits_and_has_no_barriers(desk, root, tournaments):
    """Lists, filtered and empty ones, forms, filled in and wrong, questions and answers of all actions."""
    request = RequestFactory().get("/admin/")
    request.user = root
    registered = admin.site._registry.values()
    tab, wrong = desk(1280), []
    for address in site_pages():
        tab.go(address)
        wrong += at_all_widths(tab, address, context={})
    pages = [address for page in registered for address in pages_of(page, request)]
    for address in [*pages, *(f"{TOURNAMENTS}{each.pk}/change/" for each in tournaments.values())]:
        if tab.page.goto(address).status != 200:
            wrong.append(f"{address} is not shown")
        wrong += at_all_widths(tab, address)
    for address in [each for each in pages if re.search("/add/|/password/", each)]:
        tab.go(address)
        tab.page.locator("input[name=_save], input[type=submit]").last.click()
        expect(tab.page.locator(".errornote")).to_be_visible()
        wrong += at_all_widths(tab, f"{address} with errors")
    for page in registered:
        for address, action in actions_of(page, request):
            press_go(tab, address, action)
            wrong += at_all_widths(tab, f"{address} {action}")
    assert "\n".join(wrong) == ""
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
    tab.page.click("#result_list >> text=Friday")
    tab.page.dblclick("button[value=clone]")
    expect(tab.page.locator(".messagelist .success")).to_contain_text("Cloned.")
    assert Tournament.objects.filter(name__startswith="Friday").count() == 2
