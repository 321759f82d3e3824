"""Whole journeys in both languages: newcomer, author, phone, keyboard, no scripts, little motion, dark."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from playwright.sync_api import expect
from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.bots.services import write
from stichkampf_platform.core import clock
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.models import Seat, SeatReport, Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import due_steps

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]


SWIPE = """([from, to]) => {
    const felt = document.querySelector(".felt");
    const finger = (x) => new Touch({ identifier: 1, target: felt, clientX: x, clientY: 300 });
    felt.dispatchEvent(new TouchEvent("touchstart", { bubbles: true, touches: [finger(from)] }));
    const lifted = { bubbles: true, touches: [], changedTouches: [finger(to)] };
    felt.dispatchEvent(new TouchEvent("touchend", lifted));
}"""
WORDS = {
    "en": {
        "home": "/",
        "learn": "Rules",
        "look": "Watch",
        "write": "Write a bot",
        "watch": "Play it card by card",
    },
    "de": {
        "home": "/de/",
        "learn": "Regeln",
        "look": "Zusehen",
        "write": "Bot schreiben",
        "watch": "Karte für Karte",
    },
}


def step_of(tab) -> int:
    return int(tab.page.get_attribute(".replay", "data-step"))


def stands_at(tab, step):
    expect(tab.page.locator(f".replay[data-step='{step}']")).to_be_visible()


def newcomer(tab, words):
    """Go from the front page to the rules, to a replay, and to how a bot is written."""
    tab.go(words["home"])
    tab.page.click(f"nav >> text={words['learn']}")
    tab.page.click("main >> text=Sticheln")
    expect(tab.page.locator(".worked").first).to_be_visible()
    tab.go(words["home"])
    tab.page.click(f"nav >> text={words['look']}")
    tab.page.click(f"a.button:has-text('{words['watch']}')")
    before = step_of(tab)
    tab.page.click("#on")
    expect(tab.page.locator(f".replay[data-step='{before}']")).to_have_count(0)
    replay = tab.page.url
    tab.go(words["home"])
    tab.page.click(f"nav >> text={words['write']}")
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


AUTHORS = {"en": ("", "ann", "karl"), "de": ("/de", "bea", "karla")}
CODE = """from stichkampf import Bot

class Mine(Bot):
    def choose(self, table):
        return table.legal[0]
"""


def submit(tab, prefix, slug):
    """Paste the code of a bot, and watch its log grow until the bot may play; returns the version."""
    tab.go(f"{prefix}/submit/")
    tab.page.fill("#id_slug", slug)
    tab.page.fill("#id_code", CODE)
    tab.page.click("form.panel button[type=submit]")
    expect(tab.page.locator("#log")).to_be_visible()
    submission = Submission.objects.get(version__bot__slug=slug)
    Version.objects.filter(pk=submission.version_id).update(state=Version.State.APPROVED, games=["sticheln"])
    write(submission, "Played sticheln.")
    Submission.objects.filter(pk=submission.pk).update(finished_at=clock.now())
    expect(tab.page.locator(".log")).to_contain_text("Played sticheln.")
    return submission.version_id


def compete(played, versions):
    """Play a block of these versions and two of the house, and publish the ladder."""
    played.tournament(blocks=1)
    house = Version.objects.exclude(house="").order_by("bot__slug")[:2]
    tournament = lifecycle.create_tournament(
        name="Open", game="sticheln", seats=4, versions=[*versions, *house], blocks=1
    )
    lifecycle.start(tournament=tournament)
    tables = Table.objects.filter(block__tournament=tournament).select_related("block__tournament")
    for table in tables.prefetch_related("seats__entrant__version__bot__owner"):
        played.play(table)
    due_steps.advance_tournaments()
    Ladder.objects.filter(pk=tournament.ladder_id).update(main=True)
    ratings.publish(ladder=Ladder.objects.get(pk=tournament.ladder_id))


def mark_first_decision(version, store_mark):
    """Store a mark of a version's first decision and what it printed there; returns its step and seat."""
    seat = Seat.objects.filter(entrant__version=version).select_related("table").first()
    moves = [mover for deal in record_files.record(seat.table_id)["deals"] for mover, _ in deal["moves"]]
    step = moves.index(seat.number) + 1
    store_mark(seat, step)
    SeatReport.objects.create(seat=seat, stderr="I hope for the best", written=[[1, 0, 1]])
    return step, seat.number + 1


def test_a_page_that_was_opened_before_the_start_shows_the_start_by_itself(visit, played):
    tournament = played.draft(blocks=1, entry="anybody")
    tab = visit()
    tab.page.clock.install()
    tab.go(tournament.get_absolute_url())
    expect(tab.page.locator("#entry")).to_be_visible()
    lifecycle.start(tournament=tournament)
    tab.page.clock.fast_forward(20_000)
    expect(tab.page.locator("#now .mark")).to_have_text("running")
    expect(tab.page.locator("#entry")).to_have_count(0)
    assert tab.complaints == []


def test_an_author_comes_from_the_form_to_the_own_costliest_decision(
    visit, played, person, signed_in, store_mark
):
    tabs, versions = {}, {}
    for language, (prefix, author, slug) in AUTHORS.items():
        tabs[language] = signed_in(visit(), person(author))
        versions[language] = submit(tabs[language], prefix, slug)
    compete(played, Version.objects.filter(pk__in=versions.values()))
    for language, (prefix, _, slug) in AUTHORS.items():
        tab = tabs[language]
        step, seat = mark_first_decision(versions[language], store_mark)
        tab.go(f"{prefix}/ladders/sticheln/")
        tab.page.click(f"main a[href*='/{slug}/']")
        tab.page.click("section[aria-labelledby=costliest] a")
        expect(tab.page.locator(f".replay[data-step='{step}'][data-view='{seat}']")).to_be_visible()
        expect(tab.page.locator("#mark")).to_be_visible()
        expect(tab.page.locator("pre[aria-labelledby=written]")).to_have_text("I hope for the best")
        expect(tab.page.locator("html")).to_have_attribute("lang", language)
        assert tab.overflow <= 0
        assert tab.complaints == []
        assert tab.outside == []


def test_the_benchmark_of_pages_finds_a_match_and_a_tournament(played, chromium, live_server, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[4] / "benchmarks")
    budgets = import_module("page_budgets")
    cup = played.whole(blocks=1)
    match = budgets.featured_match(chromium, live_server.url)
    assert re.fullmatch(rf"{live_server.url}/r/\d+/\d+", match)
    assert budgets.of_a_tournament(live_server.url)["big screen"] == f"{cup.get_absolute_url()}screen/"
