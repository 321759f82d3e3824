"""A newcomer plays a whole match in Chromium, from the front page to the result, each way that there is."""

import re

import pytest
from chromium import PATIENCE_MS, Visit, running_browser
from stichkampf.bots.practice import entrant, play_match
from stichkampf.games import new_game
from stichkampf.match import records

GAME = "stiche-raten"
"""The game that is played each way here; the others are in `test_play_every_game.py`."""
READY = "#table[data-turn=mine] button[name=move], #table[data-turn=over]"
ASKED_AGAIN = """said => {
  const table = document.getElementById("table");
  if (!table) return false;
  const [turn, decision] = [table.dataset.turn, table.querySelector("input").value];
  if (turn == "over" || (turn == "mine" && decision != said)) return [turn, decision, table.dataset.forced];
  if (table.querySelector(".taken-by, #next")) table.querySelector(".terms").click();  // it has been seen
}"""
MOST_PRESSES = 400
ONE_DEAL = "guided"
"""The button that begins a match of one deal."""
ZOOMED = {"width": 320, "height": 225}
"""A window of 1280 by 900 at 400%."""


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


def begun(browser, platform, *, game=GAME, width=1280, button="game", **more):
    visit = Visit(browser, platform.installation.address, width=width, theme="light", **more)
    visit.page.emulate_media(reduced_motion="reduce")
    visit.go("/")
    visit.go(visit.page.get_by_role("link", name="Play", exact=True).first.get_attribute("href"))
    visit.page.locator(f"button[name={button}][value={game}]").click()
    return visit


def result_of(visit):
    visit.page.locator(".bar a", has_text="How did it go?").click()
    visit.page.wait_for_selector("#share", state="attached")
    assert "Your costliest decisions" in visit.page.content()
    assert "number" in visit.page.locator("#same ~ .note").inner_text()
    assert visit.complaints == []
    visit.context.close()


def played_with_a_script(visit, press, *, looked=()):
    page, pressed, decision, seen = visit.page, 0, "", set()
    while pressed < MOST_PRESSES:
        turn, decision, only = page.wait_for_function(ASKED_AGAIN, arg=decision).json_value()
        if turn == "over":
            return pressed
        phase = page.locator(".terms .phase dd").inner_text()
        if looked and phase not in seen:
            seen.add(phase)
            assert list(visit.barriers(looked)) == []
            assert visit.overflow <= 0
        if not only:
            press(page)
            pressed += 1
    raise AssertionError("the match does not end")


def by_mouse(browser, platform, game):
    visit = begun(browser, platform, game=game)
    pressed = played_with_a_script(
        visit, lambda page: page.locator("button[name=move]").last.click(), looked=["dark"]
    )
    result_of(visit)
    return pressed


def by_touch(browser, platform, game, button="game"):
    visit = begun(browser, platform, game=game, width=390, button=button, touch=True)

    def press(page):
        card = page.locator(".shelf .cards .card").first
        if card.count():
            box = card.bounding_box()
            assert box["width"] >= 43.5
            assert box["height"] >= 57.5
        page.locator("button[name=move]").first.tap()

    pressed = played_with_a_script(visit, press)
    result_of(visit)
    return pressed


def by_keyboard(browser, platform, game, button="game"):
    visit = begun(browser, platform, game=game, button=button)

    def press(page):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

    pressed = played_with_a_script(visit, press)
    assert visit.page.locator("#said").inner_text()
    result_of(visit)
    return pressed


def without_scripts(browser, platform, game):
    visit = begun(browser, platform, game=game, scripts=False)
    for _ in range(MOST_PRESSES):
        visit.page.wait_for_selector(READY)
        if visit.page.locator("#table[data-turn=over]").count():
            break
        visit.page.locator("button[name=move]").first.click()
    result_of(visit)
    return True


def test_by_mouse(platform, browser):
    assert by_mouse(browser, platform, GAME)


def test_by_touch_on_a_phone_with_cards_for_a_thumb(platform, browser):
    assert by_touch(browser, platform, GAME, ONE_DEAL)


def test_by_the_keyboard_alone(platform, browser):
    assert by_keyboard(browser, platform, GAME, ONE_DEAL)


def test_without_javascript(platform, browser):
    assert without_scripts(browser, platform, GAME)


@pytest.mark.parametrize("scripts", [True, False])
def test_back_and_forward_lead_to_the_present_decision(platform, browser, scripts):
    visit = begun(browser, platform, scripts=scripts)
    page = visit.page
    for _ in range(2):
        page.wait_for_selector(READY)
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            page.locator("button[name=move]").first.click()
    visit.go("/games/")
    for lead in (page.go_back, page.go_forward, page.go_back):
        lead()
    page.wait_for_selector(READY)
    shown = page.locator("#table").inner_text()
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("#table").inner_text() == shown
    visit.context.close()


def test_at_400_percent_in_forced_colours(platform, browser):
    visit = begun(browser, platform, width=ZOOMED["width"])
    visit.page.set_viewport_size(ZOOMED)
    visit.page.emulate_media(reduced_motion="reduce", forced_colors="active")
    assert played_with_a_script(visit, lambda page: page.locator("button[name=move]").first.click())
    assert visit.overflow <= 0
    result_of(visit)


def test_what_is_wrong_is_refused_in_one_sentence_and_counts_nothing(platform, browser):
    visit, stranger = (begun(browser, platform, game="sticheln") for _ in range(2))
    page = visit.page
    page.wait_for_selector(READY)
    token = page.locator("input[name=csrfmiddlewaretoken]").first.get_attribute("value")
    decision = page.locator("input[name=decision]").get_attribute("value")
    word = page.locator("button[name=move]").first.get_attribute("value")

    def sent(move, decision, asking=page):
        fields = {"csrfmiddlewaretoken": token, "move": move, "decision": decision}
        answer = asking.request.post(
            page.url, form=fields, headers={"Referer": page.url, "X-Fragment": ""}, max_redirects=0
        )
        assert answer.headers["cache-control"] == "private, no-store"
        return answer.status, answer.text()

    status, told = sent("pain R99", decision)
    assert (status, "is not possible now; possible: pain " in told) == (409, True)
    status, told = sent(word, "987654")
    assert (status, "This was decided already." in told) == (409, True)
    assert sorted(sent(word, decision)[0] for _ in range(2)) == [302, 409]
    foreign = stranger.page.request.get(page.url)
    assert (foreign.status, "You have no seat at this table." in foreign.text()) == (403, True)
    name = f"seat-{page.url.rstrip('/').rpartition('/')[2]}"
    (cookie,) = [each for each in visit.context.cookies() if each["name"] == name]
    visit.context.add_cookies([cookie | {"value": cookie["value"].replace("0.", "1.", 1)}])
    altered = page.request.get(page.url)
    assert (altered.status, "You have no seat at this table." in altered.text()) == (403, True)
    for each in (visit, stranger):
        each.context.close()


def test_a_record_that_is_sent_is_played_on_to_its_end(platform, browser, tmp_path):
    record = play_match(new_game(GAME, 4, {"length": "deals:2"}), [entrant("gentle")] * 4, bytes(32)).record
    file = tmp_path / "match.json"
    file.write_text(records.dump(record))
    visit = Visit(browser, platform.installation.address, width=390, theme="dark")
    visit.page.emulate_media(reduced_motion="reduce")
    visit.go("/play/")
    visit.page.get_by_role("link", name="Play on from a record").click()
    visit.page.get_by_label("Match record").set_input_files(file)
    last = max(records.decisions_of(record, 2)[:-1])
    visit.page.get_by_label("Decision").fill(str(last - 4))
    visit.page.get_by_label("Your seat").fill("3")
    visit.page.get_by_label("all cards, which lie open").check()
    assert list(visit.barriers(["dark"])) == []
    visit.page.get_by_role("button", name="Play on").click()
    visit.page.wait_for_selector(READY)
    assert visit.page.locator("#open-hands").count() == 1
    played_with_a_script(visit, lambda page: page.locator("button[name=move]").first.click())
    visit.page.locator(".bar a", has_text="How did it go?").click()
    visit.page.get_by_text("You played on:").wait_for()
    assert visit.overflow <= 0
    assert visit.complaints == []
    visit.context.close()


def test_who_has_played_is_put_back_at_a_costly_decision_and_takes_it_again(platform, browser):
    visit = begun(browser, platform, game="sticheln", width=390, button="guided")
    played_with_a_script(visit, lambda page: page.locator("button[name=move]").last.click())
    visit.page.locator(".bar a", has_text="How did it go?").click()
    visit.page.wait_for_selector("#learn")
    assert list(visit.barriers(["dark"])) == []
    before = visit.page.url
    visit.page.get_by_role("button", name=re.compile(r"Decision \d+ again")).first.click()
    visit.page.wait_for_selector(READY)
    assert visit.page.url != before
    assert visit.page.locator("#table[data-turn=mine]").count() == 1
    assert visit.page.get_by_role("button", name="Take back").count() == 1
    played_with_a_script(visit, lambda page: page.locator("button[name=move]").first.click())
    visit.page.locator(".bar a", has_text="How did it go?").click()
    visit.page.get_by_text("You played on:").wait_for()
    assert (visit.overflow, visit.complaints) == (0, [])
    visit.context.close()


def test_on_a_touch_screen_the_days_deal_asks_for_a_second_tap(platform, browser):
    context = browser.new_context(has_touch=True, is_mobile=True, base_url=platform.installation.address)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto("/play/daily/sticheln/")
    page.get_by_role("button", name="Play the day's deal").click()
    page.wait_for_selector(READY)
    asked = page.locator("#table input[name=decision]").get_attribute("value")
    card = page.locator("button[name=move]").first
    card.tap()
    assert page.locator("button[name=move].aimed").count() == 1
    assert page.locator("#table input[name=decision]").get_attribute("value") == asked
    card.tap()
    page.wait_for_function(
        "said => document.querySelector('#table input[name=decision]').value != said", arg=asked
    )
    context.close()


def test_two_people_meet_by_a_link_and_play_at_one_table(platform, browser):
    host, guest = (
        Visit(browser, platform.installation.address, width=width, theme="light") for width in (1280, 390)
    )
    host.go("/play/")
    host.page.get_by_role("link", name="Play together").click()
    host.page.get_by_label("Game").select_option(GAME)
    host.page.get_by_label("Seats", exact=True).select_option("3")
    host.page.get_by_role("button", name="Open a table").click()
    link = host.page.locator("main code").inner_text()
    guest.page.goto(link)
    guest.page.get_by_role("button", name="Sit down at seat 2").click()
    guest.page.get_by_text("the bot even will play").wait_for()
    host.page.get_by_role("button", name="Begin now").click()
    host.page.wait_for_selector("#table #phrases")
    guest.page.wait_for_selector("#table #phrases")

    def who_is_asked():
        while True:
            for each in (host, guest):
                for button in each.page.locator("#next").all():
                    button.click()  # a deal is over
                if each.page.locator(READY).count():
                    return each
            host.page.wait_for_timeout(50)

    for _ in range(4):
        asked = who_is_asked()
        decision = asked.page.locator("input[name=decision]").get_attribute("value")
        asked.page.locator("button[name=move]").first.click()
        asked.page.wait_for_function(
            "said => document.querySelector('#table input[name=decision]').value != said", arg=decision
        )
    who_is_asked()  # until they choose no other scene comes
    host.page.locator("summary", has_text="Say something").click()
    host.page.get_by_role("button", name="Well played!").click()
    host.page.get_by_text("You: Well played!").wait_for()
    guest.page.reload()
    guest.page.get_by_text("Guest 1: Well played!").wait_for()
    for each in (host, guest):
        assert each.overflow <= 0
        assert each.complaints == []
        each.context.close()
