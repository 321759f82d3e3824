"""Renewal of pages around what a reader holds, and pages in all windows, with all names and contrasts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from stichkampf_platform.tournaments.models import Table

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]


@pytest.fixture
def replay(visit, played):
    table = Table.objects.filter(block__tournament=played.whole(blocks=1)).first()
    tab = visit()
    tab.go(f"/r/{table.pk}/0")
    return tab


def at(tab, step):
    expect(tab.page.locator(f".replay[data-step='{step}']")).to_be_visible()


def test_the_bar_of_a_replay_is_dragged_and_keeps_the_focus(replay):
    page = replay.page
    bar = page.locator("#seek").bounding_box()
    middle = bar["y"] + bar["height"] / 2
    page.mouse.move(bar["x"] + bar["width"] * 0.1, middle)
    page.mouse.down()
    expect(page.locator(".replay[data-step='0']")).to_have_count(0)
    first = int(page.get_attribute(".replay", "data-step"))
    for share in (0.3, 0.5, 0.7, 0.9):
        page.mouse.move(bar["x"] + bar["width"] * share, middle, steps=4)
    page.mouse.up()
    page.wait_for_function("from => document.querySelector('.replay').dataset.step > from + 20", arg=first)
    assert page.evaluate("document.activeElement.id") == "seek"
    assert page.locator("#seek").input_value() == page.get_attribute(".replay", "data-step")
    assert replay.complaints == []


def test_the_list_of_speeds_stays_itself_while_the_replay_steps_on(replay):
    page = replay.page
    page.select_option("#speed", "4")
    page.focus("#speed")
    page.evaluate("window.speed = document.getElementById('speed')")
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))"
    )
    at(replay, 1)
    assert page.evaluate("window.speed === document.getElementById('speed') && window.speed.value") == "4"


def test_ten_quick_presses_are_ten_steps(replay):
    for _ in range(10):
        replay.page.keyboard.press("ArrowRight")
    at(replay, 10)
    for _ in range(4):
        replay.page.keyboard.press("ArrowLeft")
    at(replay, 6)
    expect(replay.page).to_have_url(f"{replay.page.url.rsplit('/', 1)[0]}/6")


def test_the_address_changes_less_often_than_browsers_allow(replay):
    page = replay.page
    page.evaluate(
        """() => {
          window.changes = 0;
          const change = history.replaceState.bind(history);
          history.replaceState = (...all) => { window.changes += 1; change(...all); };
        }"""
    )
    started = page.evaluate("performance.now()")
    for key in ("ArrowRight", "ArrowLeft", "ArrowRight"):
        for _ in range(40):
            page.keyboard.press(key)
    at(replay, 40)
    expect(page).to_have_url(f"{page.url.rsplit('/', 1)[0]}/40")
    seconds = (page.evaluate("performance.now()") - started) / 1000
    assert page.evaluate("window.changes") <= 50 * (1 + seconds / 10) + 4 * seconds


def test_the_menu_closes_by_escape_and_by_a_press_elsewhere(replay):
    page = replay.page
    menu = page.locator("details.menu")
    page.click("details.menu summary")
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    assert page.evaluate("document.activeElement.matches('details.menu summary')")
    page.click("details.menu summary")
    page.click(".felt", position={"x": 3, "y": 3})
    expect(menu).not_to_have_attribute("open", "")


def test_the_theme_changes_where_a_browser_keeps_no_data(visit):
    tab = visit()
    tab.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', "
        "{ get() { throw new DOMException('kept nothing', 'SecurityError'); } });"
    )
    tab.go("/")
    tab.page.click("#theme")
    expect(tab.page.locator("html")).to_have_attribute("data-theme", "dark")
    assert tab.complaints == []


def test_a_refused_form_puts_the_reader_into_the_field_to_mend(visit):
    tab = visit()
    tab.go("/join/?next=/submit/")
    tab.page.fill("#id_username", "a b")
    tab.page.fill("#id_password", "correct horse battery")
    tab.page.click("button:has-text('Create account')")
    expect(tab.page.locator("#id_username")).to_be_focused()


@pytest.mark.parametrize(
    "size", [(320, 256), (640, 400), (667, 375), (740, 360)], ids=lambda size: f"{size[0]}x{size[1]}"
)
def test_a_replay_is_readable_zoomed_and_on_a_telephone_held_across(replay, size):
    page = replay.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert replay.overflow <= 0
    outside = page.evaluate(
        """() => [...document.querySelectorAll('.felt .seat')].map((seat) => {
          const edge = seat.getBoundingClientRect();
          const cards = [...seat.querySelectorAll('.card')].map((card) => card.getBoundingClientRect());
          return cards.filter((card) => card.right > edge.right + 1 || card.left < edge.left - 1).length;
        })"""
    )
    assert sum(outside) == 0
    assert page.locator(".board .felt").bounding_box()["width"] >= 0.5 * size[0]


def test_lines_say_with_forced_colors_what_grounds_and_shadows_say(replay):
    page = replay.page
    page.emulate_media(forced_colors="active")
    page.keyboard.press("ArrowRight")
    at(replay, 1)
    width = "(selector) => parseFloat(getComputedStyle(document.querySelector(selector)).outlineWidth)"
    for selector in (".asked .plate", ".tricks tr.on"):
        assert page.evaluate(width, selector) >= 2, selector
    step = 1
    while not page.locator(".slot.wins").count():
        step += 1
        page.keyboard.press("ArrowRight")
        at(replay, step)
    outlines = page.locator(".slot .card").evaluate_all(
        "all => all.map(card => getComputedStyle(card).outlineStyle)"
    )
    assert sorted(outlines) == ["none"] * (len(outlines) - 1) + ["solid"]
    assert page.evaluate(width, ".slot.wins .card") >= 2
    below = "(selector) => parseFloat(getComputedStyle(document.querySelector(selector)).borderBottomWidth)"
    assert page.evaluate(below, ".tricks .led a") >= 2
    assert page.evaluate(below, ".tricks td:not(.led) a") < 2
