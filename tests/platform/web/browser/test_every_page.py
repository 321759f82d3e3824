"""Every page, on phone and desk, light and dark: quiet, own host only, nothing sideways, no barrier."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth import get_user_model
from stichkampf_platform.tournaments.models import Table

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

PAGES = [
    "/",
    "/ladders/",
    "/ladders/sticheln/",
    "/ladders/mue/",
    "/bots/bold/",
    "/bots/bold/v/1/",
    "/tournaments/",
    "/tournaments/{done}/",
    "/tournaments/{done}/schedule/",
    "/tournaments/{running}/",
    "/blocks/{block}/",
    "/blocks/{closed}/",
    "/r/{table}/",
    "/r/{table}/30",
    "/r/{table}/30?view=2",
    "/r/{shut}/",
    "/games/",
    "/games/sticheln/",
    "/games/njet/",
    "/docs/",
    "/docs/submit/",
    "/docs/limits/",
    "/docs/records/",
    "/docs/api/",
    "/join/",
    "/login/",
    "/nowhere/",
    "/account/",
    "/account/tokens/",
    "/submit/",
    "/submissions/{submission}/",
]
VIOLATIONS = {"resultTypes": ["violations"]}
RULES = {
    "light": VIOLATIONS,
    "dark": VIOLATIONS | {"runOnly": ["color-contrast"]},  # nothing else depends on the theme
}
LOOKS = [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")]


@pytest.fixture
def places(played, submission):
    """Addresses of a finished and a running tournament and all that belongs to them."""
    done = played.whole(blocks=1)
    running = played.tournament(blocks=2)
    first, second = running.blocks.all()
    for table in Table.objects.filter(block=first).select_related("block__tournament"):
        played.play(table, fault=True, stderr="Traceback")
    started = Table.objects.filter(block=second).select_related("block__tournament").first()
    played.play(started)
    return {
        "done": done.slug,
        "running": running.slug,
        "block": first.pk,
        "closed": second.pk,
        "table": Table.objects.filter(block=first).first().pk,
        "shut": started.pk,
        "submission": submission.pk,
    }


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_every_page_is_quiet_fits_and_has_no_barriers(visit, client, places, ada, live_server, width, theme):
    tab = visit(width=width, theme=theme)
    client.force_login(get_user_model().objects.get(pk=ada.pk))
    tab.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}]
    )
    wrong = []
    for page in PAGES:
        address = page.format(**places)
        tab.complaints.clear()
        tab.go(address)
        expected = (
            ["status of 404", "status of 403"] if address in ("/nowhere/", f"/r/{places['shut']}/") else []
        )
        wrong += [
            f"{address}: {text}" for text in tab.complaints if not any(status in text for status in expected)
        ]
        if tab.overflow > 0:
            wrong.append(f"{address}: {tab.overflow} px wider than the window")
        results = Axe().run(tab.page, options=RULES[theme])
        for violation in results.response["violations"]:
            where = violation["nodes"][0]
            wrong.append(
                f"{address}: {violation['id']}: {where['html'][:160]} {where['failureSummary'][:200]}"
            )
    assert "\n".join(wrong) == ""
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
