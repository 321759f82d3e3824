"""The big screen in a browser: nothing scrolls, it follows by itself, and a remote control goes on."""

import pytest
from playwright.sync_api import expect
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]


def test_the_screen_fits_goes_on_by_a_press_and_shows_the_first_match_by_itself(visit, make_tournament, land):
    names = ("thumb", "random", "timid", "bold", "flat", "rival", "glimpse", "gambler", "worrier", "search")
    Bot.objects.update(name="W" * 40)
    cup = make_tournament(*names, name="C" * 60, slug="cup", format="knock-out", blocks=1)
    lifecycle.start(tournament=cup)
    tab = visit(width=1280)
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.go("/tournaments/cup/screen/")
    expect(tab.page.locator("#replay")).to_have_count(0)
    for block in cup.blocks.filter(over_at=None):
        assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    expect(tab.page.locator("#replay .felt")).to_be_visible(timeout=30_000)
    assert tab.overflow <= 0
    assert tab.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    slide = tab.page.locator("#slide")
    before = int(slide.get_attribute("data-number"))
    slides = int(slide.get_attribute("data-slides"))
    tab.page.keyboard.press("PageDown")
    expect(slide).to_have_attribute("data-number", str((before + 1) % slides))
    tab.page.keyboard.press("PageUp")
    expect(slide).to_have_attribute("data-number", str(before))
