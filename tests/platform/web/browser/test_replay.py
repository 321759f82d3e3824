"""The replay in a browser: keys, views, links, playing by itself, without scripts, and its budgets."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import expect
from stichkampf.games import GAMES
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.records import record_files
from support import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]


@pytest.fixture
def table(played):
    return Table.objects.filter(block__tournament=played.whole(blocks=1)).first()


def at(tab, step, view=0):
    """Wait until the replay stands at this decision and view."""
    expect(tab.page.locator(f".replay[data-step='{step}'][data-view='{view}']")).to_be_visible()


def test_keys_step_by_decision_trick_and_view(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/10")
    steps = int(tab.page.get_attribute(".replay", "data-steps"))
    for key, step, view in [
        ("ArrowRight", 11, 0),
        ("ArrowLeft", 10, 0),
        ("ArrowDown", 12, 0),
        ("ArrowDown", 16, 0),
        ("ArrowUp", 12, 0),
        ("End", steps, 0),
        ("Home", 0, 0),
        ("2", 0, 2),
        ("ArrowRight", 1, 2),
        ("0", 1, 0),
    ]:
        tab.page.keyboard.press(key)
        at(tab, step, view)
    assert tab.page.url.endswith(f"/r/{table.pk}/1")
    assert tab.page.evaluate("history.length") == 2
    tab.page.keyboard.press("?")
    expect(tab.page.locator("#keys")).to_be_visible()
    tab.page.keyboard.press("Escape")
    assert tab.complaints == []


def test_keys_jump_to_deal_fault_and_mistake_and_stop_at_forced_choices(visit, played, store_mark):
    tournament = played.tournament(blocks=1)
    tables = Table.objects.filter(block__tournament=tournament).select_related("block__tournament")
    for number, table in enumerate(tables):
        played.play(table, fault=number == 0)
    table = tables[0]
    fault = table.seats.get(number=0).result.fault_list.get().move + 1
    for step in (20, 40):
        store_mark(table.seats.first(), step)
    tab = visit()
    tab.go(f"/r/{table.pk}/30")
    for key, step in [
        ("m", 40),
        ("m", 20),
        ("m", 40),
        ("x", fault),
        ("PageDown", 61),
        ("PageUp", 0),
        ("End", 120),
    ]:
        tab.page.keyboard.press(key)
        at(tab, step)
    tab.page.keyboard.press("f")
    expect(tab.page.locator(".replay[data-every='1']")).to_be_visible()
    tab.page.keyboard.press("ArrowLeft")
    at(tab, 119)
    assert tab.page.url.endswith("/119?every=1")
    tab.page.click("#mistake")
    at(tab, 20)
    expect(tab.page.locator("#mark")).to_be_visible()
    assert tab.complaints == []


def test_space_plays_and_pauses(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/5")
    tab.page.keyboard.press("Space")
    expect(tab.page.locator(".replay")).to_have_attribute("data-step", re.compile(r"[7-9]|\d\d"))
    tab.page.keyboard.press("Space")
    expect(tab.page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_the_chosen_speed_holds_from_step_to_step(visit, table):
    tab = visit()
    tab.page.add_init_script("""
        const wait = window.setTimeout;
        window.waits = [];
        window.setTimeout = (then, milliseconds) => {
            if (milliseconds > 0 && then.name !== "placeAgain") window.waits.push(milliseconds);
            return wait(then, milliseconds);
        };
    """)
    tab.go(f"/r/{table.pk}/5")

    def waits(speed, number):
        tab.page.evaluate("window.waits = []")
        tab.page.select_option("#speed", speed)
        tab.page.click("#play")
        wait_until(lambda: tab.page.evaluate("window.waits.length") >= number)
        tab.page.click("#play")
        assert tab.page.input_value("#speed") == speed
        return set(tab.page.evaluate("window.waits"))

    (slow,) = waits("0.5", 1)
    assert waits("4", 3) == {slow / 8}


def test_a_click_keeps_the_focus_and_the_address_follows(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/5")
    tab.page.click("#on")
    at(tab, 6)
    assert tab.page.evaluate("document.activeElement.id") == "on"
    assert tab.page.url.endswith(f"/r/{table.pk}/6")
    tab.page.click("#view-3")
    at(tab, 6, 3)
    tab.page.locator("#seek").fill("20")
    at(tab, 20, 3)


def test_it_goes_on_into_the_next_deal(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/60")
    assert tab.page.get_attribute(".replay", "data-last") == "60"
    tab.page.keyboard.press("ArrowRight")
    at(tab, 61)
    expect(tab.page.locator("[data-part=title]")).to_have_text("deal 2 of 2")


def test_a_kept_scene_is_never_taken_for_the_page(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/5")
    tab.page.keyboard.press("ArrowRight")
    at(tab, 6)
    tab.go("/games/")
    tab.page.evaluate(f"location.assign('/r/{table.pk}/6')")
    at(tab, 6)
    expect(tab.page.locator("h1")).to_be_visible()


def test_a_printed_replay_has_table_and_tricks_and_nothing_to_press(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/30")
    tab.page.emulate_media(media="print")
    for shown in (".felt .trick", ".felt .hand >> nth=0", "h1", "#tricks"):
        assert tab.page.locator(shown).is_visible(), shown
    for left_out in (".top .menu", ".foot", ".transport", ".views"):
        assert not tab.page.locator(left_out).is_visible(), left_out


def test_it_works_without_scripts(visit, table):
    tab = visit(scripts=False)
    tab.go(f"/r/{table.pk}/5")
    tab.page.click("#on")
    at(tab, 6)
    tab.page.click("#view-2")
    at(tab, 6, 2)
    tab.page.click("#trick-on")
    at(tab, 8, 2)
    tab.page.locator(".lanes a").nth(4).click()
    at(tab, 5, 2)
    assert not tab.page.locator("#play").is_visible()


def test_hidden_cards_never_reach_the_browser_in_a_seats_view(visit, table):
    moves = record_files.record(table.pk)["deals"][0]["moves"]
    tab = visit()
    bodies = []
    tab.page.on("response", lambda response: bodies.append(response) if "/r/" in response.url else None)
    with tab.page.expect_response(f"**/r/{table.pk}/1?view=1"):
        tab.go(f"/r/{table.pk}/0?view=1")
    tab.page.wait_for_load_state("networkidle")
    assert tab.page.locator(".seat-0 .card").count() == 15
    assert len(bodies) > 1  # steps ahead are fetched too
    for body in bodies:
        assert body.url.endswith("?view=1")
        step = int(re.search(r"/(\d+)\?", body.url)[1])
        shown = sum(seat != 0 for seat, word in moves[:step] if word.startswith("play"))
        backs = 45 if step < 4 else 42 - shown
        drawn = body.text().count('class="card back"')
        # a step leaves out the seats that have not changed
        assert drawn == backs if body.url.endswith("/0?view=1") else drawn <= backs
    tab.page.keyboard.press("ArrowRight")
    at(tab, 1, 1)
    assert tab.page.locator(".card.back").count() == 45


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844), (844, 390)])
def test_table_hands_and_controls_are_in_one_screen(visit, table, width, height):
    tab = visit(width=width)
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.go(f"/r/{table.pk}/30")
    for part in (".terms", ".trick", *(f".felt > .seat-{k}" for k in range(4)), "#on", "#play"):
        box = tab.page.locator(part).bounding_box()
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= height, part
    assert tab.overflow <= 0
    small = tab.page.evaluate(
        """() => [...document.querySelectorAll(".board a, .board button, .board select, summary")]
            .filter((one) => !one.closest("svg.lanes") && !one.closest(".plate"))
            .map((one) => [one.id, one.getBoundingClientRect()])
            .filter(([id, box]) => box.width && Math.min(box.width, box.height) < 24)
            .map(([id]) => id)"""
    )
    assert small == []
    for _ in range(8):
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("document.activeElement.id") == "on":
            break
    assert tab.page.evaluate("document.activeElement.id") == "on"


def test_charts_points_and_names_keep_their_size_beside_each_other(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/0")  # without other phases yet, the deals have the whole width
    letters = tab.page.evaluate(
        """() => [...document.querySelectorAll(".replay svg.totals text")]
            .map((one) => one.getBoundingClientRect().height)"""
    )
    assert letters
    assert max(letters) < 20
    size = "(one) => parseFloat(getComputedStyle(one).fontSize)"
    points, total = (tab.page.locator(f".seat-0 .total {one}").first.evaluate(size) for one in ("b", "small"))
    assert points > 1.5 * total
    tab.go(f"/r/{table.pk}/30")
    names = [seat.entrant.version.bot.name for seat in table.seats.order_by("number")]
    for heads in ("table.tricks thead th", "#deals ~ .scroll thead th"):
        told = [" ".join(head.split()) for head in tab.page.locator(heads).all_inner_texts()]
        assert all(any(name in head for head in told) for name in names), heads


def test_a_phone_has_one_line_above_the_table_and_controls_below_or_beside_it(visit, table):
    tab = visit(width=390)
    boxes = """() => Object.fromEntries([".top", ".felt", ".transport", ".side"]
        .map((part) => [part, document.querySelector(part).getBoundingClientRect()]))"""
    for width, height in ((390, 844), (844, 390)):
        tab.page.set_viewport_size({"width": width, "height": height})
        tab.go(f"/r/{table.pk}/30")
        box = tab.page.evaluate(boxes)
        assert box[".top"]["height"] < 48
        if width < height:
            assert box[".transport"]["top"] >= box[".felt"]["bottom"] - 1
            style = "(one) => getComputedStyle(one).position"
            assert tab.page.locator(".transport").evaluate(style) == "sticky"
            rows = tab.page.locator(".felt .hand").all()
            assert all(row.bounding_box()["height"] <= 2 * 40 for row in rows)
        else:
            assert box[".transport"]["left"] >= box[".felt"]["right"] - 1
    tab.page.click(".menu summary")
    for entry in ("Record", "To embed", "Rules of Sticheln"):
        assert tab.page.locator(f".menu >> text={entry}").is_visible()


def test_the_contents_of_the_rules_stand_beside_them(visit):
    tab = visit()
    tab.go("/games/mue/")
    contents, article = (tab.page.locator(part).bounding_box() for part in (".contents", ".rulebook .prose"))
    assert contents["x"] >= article["x"] + article["width"]
    assert contents["y"] < article["y"] + 40


SCREENS = [(1280, 720), (390, 844), (844, 390)]
OFTEN = {("njet", 4), ("njet", 5), ("was-sticht", 4), ("mue", 4)}
"""The games and seats whose phases need the most room; the others are for the nightly tests."""
ALL_BUT_LENGTH = {"was-sticht": {"max_deals": 1}}
SPILLED = """() => [...document.querySelectorAll(".felt .name, .felt .fact, .felt .aim, .felt .badge")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
    .map((one) => `${one.className} ${one.textContent.trim()}`)"""


def phases_of(moves):
    """Yield a step in the midst of each of the first phases of a deal, and one of its tricks."""
    verbs = [word.partition(" ")[0] for _, word in moves]
    for verb in sorted(set(verbs), key=verbs.index)[:4]:
        steps = [step for step, each in enumerate(verbs, 1) if each == verb]
        yield steps[len(steps) // 2]


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(game, seats, marks=[] if (game, seats) in OFTEN else pytest.mark.nightly)
        for game, rules in GAMES.items()
        for seats in rules.players
        if seats >= 4
    ],
)
def test_every_phase_of_a_game_is_in_one_screen(visit, played, store_mark, game, seats):
    tournament = played.tournament(game, seats, blocks=1, options=ALL_BUT_LENGTH.get(game), house=seats)
    tables = Table.objects.filter(block__tournament=tournament).select_related("block__tournament")
    for table in tables.prefetch_related("seats__entrant__version__bot__owner"):
        played.play(table)
    moves = record_files.record(table.pk)["deals"][0]["moves"]
    longest = max((word for _, word in moves), key=len)
    store_mark(table.seats.first(), 1, longest, longest)
    tab = visit()
    hands = [f".felt > .seat-{seat}" for seat in range(seats)]

    def bottom(part):
        box = tab.page.locator(part).bounding_box()
        assert box["y"] >= 0, part
        return box["y"] + box["height"]

    for step in phases_of(moves):
        tab.go(f"/de/r/{table.pk}/{step}")
        for width, height in SCREENS:
            tab.page.set_viewport_size({"width": width, "height": height})
            where = f"{game}, {seats} seats, decision {step}, {width} x {height}"
            below = {part: bottom(part) for part in ("#on", "#play")}
            assert max(below.values()) <= height, f"{below}: {where}"
            # on a phone that is held upright, the controls lie over what is under them
            end = tab.page.locator(".transport").bounding_box()["y"] if width < height else height
            below = {part: bottom(part) for part in (".terms", ".trick", *hands)}
            assert max(below.values()) <= end, f"{below}: {where}"
            assert tab.overflow <= 0, where
            assert tab.page.evaluate(SPILLED) == [], where


def test_a_step_sends_what_changed(visit, table):
    tab = visit()
    sizes = []
    tab.page.on("response", lambda response: sizes.append(response) if "/r/" in response.url else None)
    with tab.page.expect_response(f"**/r/{table.pk}/31"):
        tab.go(f"/r/{table.pk}/30")
    tab.page.wait_for_load_state("networkidle")
    page, *fragments = [len(response.body()) for response in sizes]
    assert fragments
    assert max(fragments) < page / 2
    whole = tab.page.request.get(f"/r/{table.pk}/31").text()
    tab.page.keyboard.press("ArrowRight")
    at(tab, 31)
    assert tab.page.locator(".replay .card, .replay .chip").count() == whole.count(
        'class="card '
    ) + whole.count('class="chip ')


def test_the_page_stays_within_its_budgets(visit, table):
    tab = visit()
    sizes = {}
    tab.page.on("response", lambda response: sizes.setdefault(response.url, response))
    tab.page.goto(f"/r/{table.pk}/30", wait_until="load")
    first = [url for url in tab.requests if not url.startswith("data:")]
    loaded = [url for url in first if f"/r/{table.pk}/" not in url or url.endswith("/30")]
    assert len(loaded) <= 4
    bodies = [sizes[url].body() for url in loaded]
    assert sum(map(len, bodies)) <= 102_000
    assert sum(len(gzip.compress(body)) for body in bodies) <= 30_000
    scripts = [Path(finders.find(f"web/{name}")).read_bytes() for name in ("replay.js", "site.js")]
    assert sum(len(gzip.compress(script)) for script in scripts) <= 10_000


@pytest.mark.parametrize(("width", "most"), [(1280, 0.01), (390, 0.02)])
def test_nothing_shifts_while_stepping(visit, table, width, most):
    tab = visit(width=width)
    tab.go(f"/r/{table.pk}/4?every=1")
    tab.page.evaluate(
        """() => {
            window.shifted = 0;
            new PerformanceObserver((list) => {
                for (const entry of list.getEntries()) window.shifted += entry.value;
            }).observe({ type: "layout-shift" });
        }"""
    )
    for step in range(5, 60):
        tab.page.evaluate(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))"
        )
        at(tab, step)
    for view in (1, 2, 3, 4, 0):
        tab.page.evaluate(
            "key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))",
            str(view),
        )
        at(tab, 59, view)
    assert tab.page.evaluate("window.shifted") <= most
