"""Whole journeys in both languages: a newcomer, a phone, a keyboard, no scripts, little motion, the dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

SWIPE = """([from, to]) => {
    const felt = document.querySelector(".felt");
    const finger = (x) => new Touch({ identifier: 1, target: felt, clientX: x, clientY: 300 });
    felt.dispatchEvent(new TouchEvent("touchstart", { bubbles: true, touches: [finger(from)] }));
    const lifted = { bubbles: true, touches: [], changedTouches: [finger(to)] };
    felt.dispatchEvent(new TouchEvent("touchend", lifted));
}"""
WORDS = {
    "en": {"home": "/", "learn": "Learn a game", "write": "Write a bot", "watch": "Play it card by card"},
    "de": {"home": "/de/", "learn": "Ein Spiel lernen", "write": "Bot schreiben", "watch": "Karte für Karte"},
}


def step_of(tab) -> int:
    return int(tab.page.get_attribute(".replay", "data-step"))


def stands_at(tab, step):
    expect(tab.page.locator(f".replay[data-step='{step}']")).to_be_visible()


def newcomer(tab, words):
    """Go from the front page to the rules, to a replay, and to how a bot is written."""
    tab.go(words["home"])
    tab.page.click(f".ways >> text={words['learn']}")
    tab.page.click("main >> text=Sticheln")
    expect(tab.page.locator(".worked").first).to_be_visible()
    tab.go(words["home"])
    tab.page.click(f"a.button:has-text('{words['watch']}')")
    before = step_of(tab)
    tab.page.click("#on")
    expect(tab.page.locator(f".replay[data-step='{before}']")).to_have_count(0)
    replay = tab.page.url
    tab.go(words["home"])
    tab.page.click(f".ways >> text={words['write']}")
    expect(tab.page.locator("pre", has_text="choose").first).to_be_visible()
    return replay


@pytest.mark.parametrize("language", WORDS)
def test_everybody_finds_the_way_in_both_languages(visit, played, language):
    played.whole(blocks=1)
    words = WORDS[language]
    desk = visit()
    replay = re.sub(r"\d+$", "10", newcomer(desk, words))
    assert ("/de/r/" in replay) == (language == "de")

    phone = visit(width=390, theme="dark")
    newcomer(phone, words)
    phone.go(replay)
    phone.page.evaluate(SWIPE, [300, 100])
    expect(phone.page.locator(".replay[data-step='10']")).to_have_count(0)
    onwards = step_of(phone)
    assert onwards > 10
    phone.page.evaluate(SWIPE, [100, 300])
    stands_at(phone, 10)

    keyboard = visit()
    keyboard.go(replay)
    for _ in range(8):
        keyboard.page.keyboard.press("Tab")
        if keyboard.page.evaluate("document.activeElement.id") == "on":
            break
    keyboard.page.keyboard.press("Enter")
    stands_at(keyboard, onwards)
    keyboard.page.keyboard.press("Home")
    stands_at(keyboard, 0)

    plain = visit(scripts=False)
    newcomer(plain, words)
    plain.page.click("form.languages button >> nth=0")
    assert ("/de/" in plain.page.url) == (language == "en")

    calm = visit()
    calm.page.emulate_media(reduced_motion="reduce")
    calm.go(replay)
    calm.page.keyboard.press("ArrowRight")
    stands_at(calm, onwards)
    assert calm.page.evaluate("document.getAnimations().length") == 0
    for tab in (desk, phone, keyboard, plain, calm):
        assert tab.complaints == []
        assert tab.outside == []
        assert tab.overflow <= 0
