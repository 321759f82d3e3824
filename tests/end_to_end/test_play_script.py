"""Keys, the only choice, and the trick that stays: what the script of a person's table does."""

import pytest
from chromium import Visit, running_browser
from support import wait_until

from .test_play import GAME, ONE_DEAL, READY

DECISION = "#table input[name=decision]"
DECIDED = "said => document.querySelector('#table input[name=decision]').value !== said"


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


def begun(browser, platform, game=GAME):
    """Begin a match of few cards at which no choice is made for the person."""
    visit = Visit(browser, platform.installation.address, width=1280, theme="light")
    visit.page.emulate_media(reduced_motion="reduce")
    visit.go("/play/")
    visit.page.evaluate("localStorage.setItem('play.forced', 'no')")
    visit.page.locator(f"button[name={ONE_DEAL}][value={game}]").click()
    visit.page.wait_for_selector(READY)
    return visit


def decided(page, act):
    """Act, and wait until another decision is asked for."""
    page.wait_for_selector(READY)
    before = page.locator(DECISION).get_attribute("value")
    act()
    page.wait_for_function(DECIDED, arg=before)


def test_keys_press_what_they_name(platform, browser):
    visit = begun(browser, platform)
    page, press = visit.page, visit.page.keyboard.press
    press("?")
    page.get_by_role("dialog").get_by_text("take back, in practice").wait_for()
    press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    press("s")
    page.wait_for_url("**/told/")
    page.go_back()
    page.wait_for_selector(READY)
    assert page.locator("#table .where").inner_text() == "Deal 1"
    press("h")
    page.locator("#hinted").wait_for()
    assert page.locator("#table .where").inner_text() == "Deal 1 · practice"
    numbers = page.locator(".numbers button").all_inner_texts()
    decided(page, lambda: press(numbers[-1]))
    page.wait_for_selector(READY)
    assert page.locator(".numbers").count() == 0
    page.wait_for_selector("button[value=back]")
    decided(page, lambda: press("u"))
    page.wait_for_selector(READY)
    assert page.locator(".numbers button").all_inner_texts() == numbers
    decided(page, lambda: press(numbers[0]))
    page.wait_for_selector(READY)
    page.locator("button[name=move]").first.click()
    page.wait_for_selector("#next")
    press("Enter")
    page.wait_for_selector(READY)
    press("l")
    assert page.evaluate("document.activeElement.id") == "last-trick"
    assert visit.complaints == []
    visit.context.close()


def test_the_first_letter_presses_a_labelled_button(platform, browser):
    visit = begun(browser, platform, "mue")
    page = visit.page
    page.wait_for_selector("button[name=move][data-key=p]")
    assert page.locator("button[data-key=p]").inner_text() == "Pass"
    decided(page, lambda: page.keyboard.press("p"))
    visit.context.close()


def test_the_only_choice_is_made_unless_that_is_switched_off(platform, browser):
    visit = begun(browser, platform)
    page, posted = visit.page, []
    page.on("request", lambda request: posted.append(request) if request.method == "POST" else None)
    page.clock.install()
    assert not page.locator("#forced").is_checked()
    decided(page, lambda: page.locator(".numbers button").first.click())
    page.wait_for_selector("#table[data-turn=mine]:not([data-forced=''])")
    page.get_by_text("only this is possible").wait_for()
    page.clock.run_for(60_000)
    assert len(posted) == 1
    decided(page, lambda: page.locator("#forced").check())
    assert len(posted) == 2
    visit.context.close()


def paused(page):
    """Let the clock of a page go on by `run_for` alone."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)


def shown(page, choice):
    wait_until(lambda: page.clock.run_for(1) or page.locator(choice).count(), goal=choice)


@pytest.mark.parametrize("presses", [True, False])
def test_a_taken_trick_stays_for_nine_tenths_of_a_second_or_until_a_press(platform, browser, presses):
    visit = begun(browser, platform)
    page = visit.page
    decided(page, lambda: page.locator(".numbers button").first.click())
    page.wait_for_selector(READY)
    page.locator("button[name=move]").click()
    page.locator("#next").click()
    decided(page, lambda: page.locator(".numbers button").first.click())
    page.wait_for_selector(READY)
    paused(page)
    page.locator("button[name=move]").first.click()
    shown(page, "#table .taken-by")
    page.clock.run_for(890)
    assert page.locator("#table .taken-by").count() == 1
    if presses:
        page.locator(".terms").click()
    else:
        page.clock.run_for(20)
    # who took it leads, with the trick still there
    page.wait_for_selector("#table[data-turn=mine], #table:not(:has(.taken-by))")
    visit.context.close()


@pytest.mark.parametrize("way", ["button", "key", "elsewhere"])
def test_the_end_of_a_deal_stays_until_a_press_and_its_last_trick_in_the_next_deal(platform, browser, way):
    visit = begun(browser, platform)
    page = visit.page
    decided(page, lambda: page.locator(".numbers button").first.click())
    page.wait_for_selector(READY)
    paused(page)
    page.locator("button[name=move]").click()
    shown(page, "#next")
    page.clock.run_for(600_000)
    assert page.locator("#table .taken-by").count() == 1
    told = page.locator(".ask").inner_text()
    assert told.startswith("Deal 1 brought you ")
    cards = page.locator(".middle .card").evaluate_all("each => each.map(card => card.ariaLabel)")
    page.keyboard.press("Tab")
    assert page.locator("#next").count() == 1
    {
        "button": page.locator("#next").click,
        "key": lambda: page.keyboard.press("Enter"),
        "elsewhere": page.locator(".terms").click,
    }[way]()
    shown(page, "#table[data-turn=mine]")
    assert page.locator("#table .where").inner_text() == "Deal 2"
    page.clock.run_for(3_000)
    assert page.locator(".numbers button").count()  # what went on chose nothing
    last = page.locator("#last-trick")
    assert told in last.inner_text()
    assert sorted(last.locator(".card").evaluate_all("each => each.map(card => card.ariaLabel)")) == sorted(
        cards
    )
    page.reload()
    assert told in last.inner_text()
    visit.context.close()
