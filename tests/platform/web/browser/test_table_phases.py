"""Every phase of every game at a person's table, in a browser: read, magnified, in forced colours."""

from pathlib import Path

import pytest
from asked_seats import drawn, questions
from chromium import Visit
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from stichkampf.games import GAMES

pytestmark = pytest.mark.xdist_group("browser")

HOME = "http://localhost"
ZOOMED = {"width": 320, "height": 225}
"""A window of 1280 by 900 at 400%."""
COVERED = """() => [...document.querySelectorAll("button")].filter((button) => {
  if (!button.checkVisibility()) return false;
  button.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return left < 0 || right > innerWidth || !(button.contains(seen));
}).map((button) => button.outerHTML)"""
BORDERLESS = """() => [...document.querySelectorAll("button[name=move]")].filter((button) => {
  const { borderTopStyle, borderTopWidth } = getComputedStyle(button);
  return borderTopStyle !== "solid" || parseFloat(borderTopWidth) < 1;
}).map((button) => button.outerHTML)"""
SQUEEZED = """() => [...document.querySelectorAll(".ask b")]
  .filter((asks) => asks.closest(".ask").clientWidth < innerWidth / 2).map((asks) => asks.textContent)"""
LONGEST = """() => Math.max(...[...document.querySelectorAll("*")].flatMap((each) => {
  const of = getComputedStyle(each);
  const ends = (kind) => of[`${kind}Delay`].split(",")
    .map((delay, at) => parseFloat(delay) + parseFloat(of[`${kind}Duration`].split(",")[at]));
  return [...ends("transition"), ...(of.animationName === "none" ? [] : ends("animation"))];
}))"""
"""The seconds of the longest movement of anything that is drawn; style sheets compute to seconds."""
SOLID = """() => [...document.querySelectorAll(".shelf .cannot")]
  .filter((card) => getComputedStyle(card).borderTopStyle !== "dashed").map((card) => card.outerHTML)"""


def phases(game):
    """Yield the page of a table for each kind of question of a game, with the fewest and the most seats.

    The last page of each number of seats is the end of a deal after which another comes.
    """
    head = "".join(
        f"<style>{Path(finders.find(name)).read_text()}</style>" for name in ("web/site.css", "web/play.css")
    )
    head += "<title>A table</title><meta name='viewport' content='width=device-width, initial-scale=1'>"
    sprite = render_to_string("web/parts/sprite.html")
    for seats in {min(GAMES[game].players), max(GAMES[game].players)}:
        shown = set()
        for match, legal in questions(game, seats):
            kind = match.over, *sorted({word.split()[0] for word in legal})
            if kind in shown:
                continue
            shown.add(kind)
            seated, table = drawn(match, legal)
            yield page_of(head, table, sprite)
        yield page_of(head, drawn(match, [], step=seated.replay.deals[0].last_step, passed=True)[1], sprite)


def page_of(head, table, sprite):
    return f"""<!DOCTYPE html><html lang="en"><head>{head}</head><body class="seated"><main>
        <h1>A table</h1><form id="act"></form>{table}</main>{sprite}</body></html>"""


@pytest.fixture
def visits(chromium):
    """Tabs on a desk and on a telephone."""
    found = [Visit(chromium, HOME, width=width, theme="light") for width in (1280, 390)]
    yield found
    for each in found:
        each.context.close()


@pytest.mark.parametrize("game", GAMES)
def test_every_phase_can_be_read_and_pressed_everywhere(visits, game):
    desk, telephone = visits
    for page in phases(game):
        for visit in visits:
            visit.page.set_content(page)
            assert visit.overflow <= 0
            assert list(visit.barriers()) == []
        assert telephone.page.evaluate(SQUEEZED) == []
        size = telephone.page.viewport_size
        telephone.page.set_viewport_size(ZOOMED)
        assert telephone.overflow <= 0
        assert telephone.page.evaluate(COVERED) == []
        telephone.page.set_viewport_size(size)
        desk.page.emulate_media(forced_colors="active")
        assert desk.page.evaluate(BORDERLESS) == []
        assert desk.page.evaluate(SOLID) == []
        desk.page.emulate_media(forced_colors="none")


@pytest.mark.parametrize("game", GAMES)
def test_nothing_moves_for_more_than_160_ms_or_at_all_with_reduced_motion(visits, game):
    desk, moved = visits[0].page, set()
    for page in phases(game):
        desk.set_content(page)
        for motion, most in ("no-preference", 0.16), ("reduce", 0):
            desk.emulate_media(reduced_motion=motion)
            longest = desk.evaluate(LONGEST)
            assert longest <= most
            moved.add(longest)
    assert max(moved) > 0
