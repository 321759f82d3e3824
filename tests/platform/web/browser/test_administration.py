"""All of the administration, as its registry and addresses have it, on phone and desk, light and dark."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from axe_playwright_python.sync_playwright import Axe
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import RequestFactory
from playwright.sync_api import expect
from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.services import create_token, report_name
from stichkampf_platform.ratings.models import CollusionSignal, Snapshot
from stichkampf_platform.tournaments.models import Entry, Membership, Table, Tournament
from stichkampf_platform.tournaments.organising import rulings

pytestmark = pytest.mark.django_db(transaction=True)

TOURNAMENTS = "/admin/tournaments/tournament/"
AXE = Axe().axe_script
RUN = "([context, options]) => axe.run(context, options).then(found => found.violations)"
WHOLE_PAGE = {"include": [["html"]]}
WITHOUT_SIDEBAR = {"exclude": [["#header"], ["#nav-sidebar"]]}
"""Head and sidebar are the same everywhere, and long: the pages that belong to no model show them."""
EVERYTHING = {
    "resultTypes": ["violations"],
    "preload": False,
    "rules": {"target-size": {"enabled": True}},  # off in axe unless it is asked for
}
LOOKS_ONLY = {
    "resultTypes": ["violations"],
    "preload": False,
    "runOnly": ["color-contrast", "link-in-text-block", "target-size"],
}
"""Rules that may depend on theme and width, for a page on which everything has been looked at."""
EXTREMES = [(1280, "light", EVERYTHING), (390, "dark", LOOKS_ONLY)]
PRODUCT = [(width, theme, EVERYTHING) for width in (1280, 390) for theme in ("light", "dark")]
AT_REST = "() => Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(() => null)"
"""Links of Django's administration change their colour slowly."""
HIDDEN_WIDTH = """() => {
    const list = document.querySelector(".results");
    return list ? list.scrollWidth - list.clientWidth : 0;
}"""
NO_PAGES = ("logout", "jsi18n", "autocomplete", "view_on_site", "app_list")


def shares(number):
    """Share a walk out among this many tests, each of which may run in a process of its own."""
    groups = [pytest.mark.xdist_group(f"administration {part}") for part in range(number)]
    parts = [
        pytest.param((part, number), id=f"{part + 1} of {number}", marks=group)
        for part, group in enumerate(groups)
    ]
    return pytest.mark.parametrize("share", parts)


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
def root(client, played, tournaments, submission, connected, olga):
    """A superuser, signed in; of everything that the administration knows there is one at least."""
    create_token(owner=olga, name="laptop")
    tell(person=olga, title="karl v1 is suspended", text="Faults.", address="/")
    report_name(person=olga, account=None, address="")
    EmailAddress.objects.create(user=olga, email="olga@example.org")
    Authenticator.objects.create(user=olga, type="totp", data={"secret": "hidden"})
    provider = SocialApp.objects.create(provider="openid_connect", provider_id="school", name="School")
    account = SocialAccount.objects.create(user=olga, provider="school", uid="7")
    SocialToken.objects.create(app=provider, account=account, token="hidden")
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


@pytest.fixture
def desk(visit, client, live_server, olga):
    """Open a tab in which the person is who is signed in: the organiser, or the superuser."""

    def opened():
        tab = visit()
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        tab.context.add_cookies([cookie])
        return tab

    return opened


@pytest.fixture
def asked(root):
    """A request of the superuser, of whom the registry asks what it may show."""
    request = RequestFactory().get("/admin/")
    request.user = root
    return request


def test_what_can_be_done_with_chosen_tournaments_is_read_on_a_phone(root, desk, live_server):
    tab = desk()
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.page.goto(f"{live_server.url}{TOURNAMENTS}")
    boxes = tab.page.locator("#changelist .actions :is(select, input[type=text])").all()
    assert boxes
    for box in boxes:
        place = box.bounding_box()
        assert place["width"] >= 120, box.get_attribute("name")
        assert place["x"] + place["width"] <= 390, box.get_attribute("name")


def site_pages():
    """Yield the addresses of the administration that belong to no model, but for those that are no pages."""
    for pattern in admin.site.get_urls():
        name = getattr(pattern, "name", None)
        if name and name not in NO_PAGES:
            yield f"/admin/{pattern.pattern}"
    yield from sorted({f"/admin/{model._meta.app_label}/" for model in admin.site._registry})


def list_of(page):
    return f"/admin/{page.opts.app_label}/{page.opts.model_name}/"


def pages_of(page, request):
    """Yield the addresses of a page of the registry that this person may see: list, forms, questions."""
    row = page.get_queryset(request).first()
    assert row, f"{list_of(page)} has no row: make one in the fixture"
    refused = {"add/": not page.has_add_permission(request)}
    for pattern in page.get_urls():
        route = str(pattern.pattern)
        if "delete/" in route:
            refused[route] = not page.has_delete_permission(request, row)
        if pattern.name and "export/" not in route and not refused.get(route):
            yield list_of(page) + re.sub(r"<(?:\w+:)?\w+>", str(row.pk), route)


def narrowed(page, request):
    """Yield the list by its first filter, and searched for what is not there."""
    shown = page.get_changelist_instance(request)
    for spec in shown.filter_specs[:1]:
        yield list_of(page) + list(spec.choices(shown))[1]["query_string"]
    if page.search_fields:
        yield f"{list_of(page)}?q=nothing+of+this+name"


def findings(tab, name, looks, context=WITHOUT_SIDEBAR):
    """Yield what is wrong with the page in the tab, in each width and theme: noise, width, barriers."""
    yield from (f"{name}: {complaint}" for complaint in tab.complaints)
    tab.page.evaluate(AXE)
    for width, theme, rules in looks:
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.page.emulate_media(color_scheme=theme)
        tab.page.evaluate(AT_REST)
        if tab.overflow > 0 or tab.page.evaluate(HIDDEN_WIDTH) > 0:
            yield f"{name}: wider than a window of {width}"
        for violation in tab.page.evaluate(RUN, [context, rules]):
            found = " | ".join(node["html"][:120] for node in violation["nodes"][:4])
            yield f"{name}, {width}, {theme}: {violation['id']}: {len(violation['nodes'])} of {found}"
    tab.complaints.clear()


def walk(tab, addresses, looks):
    """Yield what is wrong with these pages, each of which is loaded once."""
    models = re.compile(r"/admin/(\w+/\w+/|operations)")
    for address in addresses:
        status = tab.go(address).status
        if status != 200:
            yield f"{address} answers {status}"
        yield from findings(tab, address, looks, WITHOUT_SIDEBAR if models.match(address) else WHOLE_PAGE)


def send_empty(tab):
    """Send the form of a page as it is, which is wrong."""
    tab.page.locator("#content input[type=submit]:not([name=unset-password])").last.click()
    expect(tab.page.locator(".errornote")).to_be_visible()


def choose(tab, page, action):
    """Choose an action for the first row of a list, and press Go."""
    tab.go(list_of(page))
    tab.page.locator("input.action-select").first.check()
    tab.page.select_option("select[name=action]", action)
    if tab.page.locator("input[name=reason]").count():
        tab.page.fill("input[name=reason]", "It asked the dealer.")
    tab.page.click("button[name=index]")


def my_share(share, addresses):
    part, parts = share
    return list(addresses)[part::parts]


@shares(2)
def test_lists_and_forms_are_quiet_fit_and_have_no_barriers(desk, asked, tournaments, share):
    """All lists and forms of the registry: everything on a light desk, the looks on a dark phone."""
    pages = [address for page in admin.site._registry.values() for address in pages_of(page, asked)]
    pages = [address for address in pages if not re.search("/(history|delete)/", address)]
    states = [f"{TOURNAMENTS}{each.pk}/change/" for each in tournaments.values()]
    tab = desk()
    wrong = [*walk(tab, my_share(share, dict.fromkeys(["/admin/", *pages, *states])), EXTREMES)]
    tab.go(f"{TOURNAMENTS}{tournaments['running'].pk}/change/")
    tab.page.click("button[value=cancel]")
    expect(tab.page.locator("h1")).to_have_text("Cancel for good?")
    wrong += findings(tab, "cancel", EXTREMES)
    assert "\n".join(wrong) == ""
    assert tab.outside == []


@pytest.mark.nightly
@pytest.mark.timeout(2400)
@shares(4)
def test_every_page_has_no_barriers_in_any_width_and_theme(desk, asked, tournaments, share):
    """Pages of the site, lists, filtered and empty ones, forms, filled in and wrong, questions, answers."""
    registered = my_share(share, admin.site._registry.values())
    pages = [address for page in registered for address in pages_of(page, asked)]
    lists = [address for page in registered for address in narrowed(page, asked)]
    actions = [(page, action) for page in registered for action in page.get_actions(asked)]
    tab = desk()
    wrong = [*walk(tab, [*my_share(share, site_pages()), *pages, *lists], PRODUCT)]
    for address in [each for each in pages if re.search("/add/|/password/", each)]:
        tab.go(address)
        send_empty(tab)
        wrong += findings(tab, f"{address} with errors", PRODUCT)
    for page, action in actions:
        choose(tab, page, action)
        wrong += findings(tab, f"{list_of(page)} {action}", PRODUCT)
    assert "\n".join(wrong) == ""
    assert tab.outside == []


@pytest.mark.xdist_group("browser")
def test_another_game_brings_its_options_and_enter_saves(desk, tournaments):
    tab = desk()
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


@pytest.fixture
def thousand_bots(olga):
    """A thousand bots of Olga's that may be entered."""
    bots = Bot.objects.bulk_create(
        Bot(owner=olga, slug=f"robot-{number}", may_be_entered=True) for number in range(1000)
    )
    Version.objects.bulk_create(
        Version(bot=bot, number=1, state="approved", digest=bot.slug, games=["sticheln"]) for bot in bots
    )


@pytest.mark.xdist_group("browser")
def test_entrants_are_found_among_a_thousand_and_seeded_by_drag_and_by_keys(desk, tournaments, thousand_bots):
    tab = desk()
    tab.go(f"{TOURNAMENTS}add/?game=sticheln")
    page = tab.page
    words = page.locator("#id_entrants_input")
    listed = page.locator("#id_entrants_from option:visible")
    chosen = page.locator("#id_entrants_to option")
    for count, part in enumerate(("thu", "robot-777", "bol", "tim"), 1):
        words.fill("")
        words.press_sequentially(part)
        expect(listed).to_have_count(1)
        words.press("Enter")
        expect(chosen).to_have_count(count)
    rows = page.locator(".seeding li")

    def stand(*names):
        expect(rows).to_have_text([re.compile(name) for name in names])

    stand("thumb", "robot-777", "bold", "timid")
    page.get_by_label("timid v1: one up").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    stand("thumb", "timid", "robot-777", "bold")
    assert page.evaluate("document.activeElement.ariaLabel") == "timid v1: one up"
    rows.nth(3).locator("span").drag_to(rows.nth(0).locator("span"), target_position={"x": 5, "y": 2})
    stand("bold", "thumb", "timid", "robot-777")
    page.select_option("#id_entrants_to", label="thumb v2")
    page.click("#id_entrants_remove")
    stand("bold", "timid", "robot-777")
    page.get_by_label("bold v1: one down").click()
    words.fill("")
    words.press_sequentially("flat")
    expect(listed).to_have_count(1)
    words.press("Enter")
    stand("timid", "bold", "robot-777", "flat")
    page.fill("#id_blocks_planned", "1")
    page.fill("#id_name", "Friday")
    page.press("#id_name", "Enter")
    expect(page.locator(".messagelist .success")).to_contain_text("was added successfully")
    saved = Tournament.objects.get(name="Friday")
    order = ["timid v1", "bold v1", "ada/robot-777 v1", "flat v2"]
    assert [str(each.version) for each in saved.entrants.order_by("number")] == order
    stand("timid", "bold", "robot-777", "flat")
    assert tab.overflow <= 0
    assert tab.complaints == []
