"""Rulings on a Swiss of submitted bots: by its organiser, who wants another winner, and by the operators."""

from __future__ import annotations

import json
import re

import pytest
from chromium import Visit, running_browser
from playwright.sync_api import expect
from support import PASSWORD, wait_until

from .karl import KARL, archive_of

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

SLUG = "tie-swiss"
PAGE, API = f"/tournaments/{SLUG}/", f"/api/v1/tournaments/{SLUG}/"
DESK = f"/api/v1/organiser/tournaments/{SLUG}/"
REFUSED = "only the operators of this site take a result of it back"


@pytest.fixture(scope="module")
def visit(platform):
    """Open a tab on the platform, signed in with a name and password where they are given."""
    with running_browser(60_000) as browser:

        def opened(name="", password=PASSWORD):
            tab = Visit(browser, platform.installation.address, width=1280, theme="light")
            if name:
                tab.sign_in(name, password)
            return tab

        yield opened


@pytest.fixture(scope="module")
def olaf(platform):
    """An organiser without other rights, with a token for scripts."""
    (olaf,) = platform.authors("olaf", group="Organisers", scope="organiser")
    return olaf


@pytest.fixture(scope="module")
def finished(platform, stranger, karl, olaf):
    """A Swiss of Olaf's, which bots of two authors have entered, played and rated; its standings."""
    assert karl["version"]["state"] == "approved", karl["lines"]
    nora = platform.member("nora")
    made = platform.validated(nora, "first", archive_of(KARL.replace("legal[-1]", "legal[0]")))
    assert made["version"]["state"] == "approved", made["lines"]
    settings = {
        "name": "Tie Swiss", "slug": SLUG, "game": "stiche-raten", "seats": 3, "format": "swiss",
        "rounds": 2, "blocks_planned": 1, "options": {"length": "deals:1"}, "entry": "anybody",
        "entrants": ["thumb", "random", "timid", "bold"],
    }  # fmt: skip
    status, text = olaf.request("POST", "/api/v1/organiser/tournaments/", json=settings)
    assert status == 201, text
    for author, bot in ((stranger, "karl"), (nora, "first")):
        status, text = author.request("POST", f"{API}entries/", json={"bot": bot})
        assert status in (200, 201), text
    status, text = olaf.request("POST", f"{DESK}start/")
    assert status == 200, text
    return over_and_rated(platform)


def over_and_rated(platform):
    """Wait until the tournament is over and its ratings are final; return the standings."""
    wait_until(lambda: platform.is_finished(SLUG), 300, goal="it is over")

    def final():
        status, text = platform.visitor().get(f"{API}standings/")
        found = json.loads(text) if status == 200 else {}
        return found["standings"] if found.get("final") else None

    return wait_until(final, 120, goal="it is rated")


def ask(tab, rows, action, reason="", fault=""):
    """Tick rows of a list of the desk, choose an action, press Go; return what the page then says."""
    tab.go(f"/admin/tournaments/{rows}")
    for box in tab.page.locator("#result_list tbody input.action-select").all():
        box.check()
    tab.page.select_option("select[name=action]", action)
    tab.page.locator("input[name=reason]").fill(reason)
    tab.page.select_option("select[name=fault]", fault)
    tab.page.get_by_role("button", name="Go", exact=True).click()
    return tab.page.locator("body")


def part(tab, name):
    """Open the tournament's page; return the text of a part of it, in one line."""
    tab.go(PAGE)
    return " ".join(tab.page.locator(f"[aria-labelledby={name}]").inner_text().split())


def test_nobody_plays_a_tournament_again_until_the_right_bot_has_won(platform, visit, finished, olaf):
    guest, tab = visit(), visit("olaf")
    before = part(guest, "result")
    blocks = platform.progress(SLUG)["progress"]["blocks"]
    assert blocks == 4
    for action in ("again", "void"):
        body = ask(tab, f"block/?q={SLUG}", action, "The wrong bot won.", "machine")
        expect(body.locator(".messagelist li")).to_have_count(blocks)
        for message in body.locator(".messagelist li").all():
            expect(message).to_contain_text(REFUSED)
        for number in range(blocks):
            sent = {"reason": "The wrong bot won.", "fault": "machine"}
            status, text = olaf.request("POST", f"{DESK}blocks/{number}/{action}/", json=sent)
            assert status != 200, number
            assert REFUSED in text
    expect(ask(tab, f"table/?q={SLUG}", "again", "It is unfair.", "network")).to_contain_text(REFUSED)
    assert platform.is_finished(SLUG)
    assert part(guest, "result") == before
    assert "void" not in guest.page.inner_text("main")
    assert guest.page.locator("[aria-labelledby=rulings]").count() == 0
    assert platform.visitor().api(f"{API}standings/")["standings"] == finished
    assert (tab.complaints, guest.complaints) == ([], [])


def test_what_the_operators_take_back_stands_in_front_of_the_loser(platform, visit, finished, stranger):
    guest, chief = visit(), visit("admin", platform.password)
    played = platform.visitor().api(f"{PAGE}export/tournament.json")
    karl = next(one["number"] for one in played["entrants"] if one["bot"] == "karla/karl")
    last = max(row["block"] for row in played["results"] if row["entrant"] == karl)  # its author is told
    rows = f"block/?q={SLUG} {last}"
    expect(ask(chief, rows, "again")).to_contain_text("Give the reason; everybody reads it")
    asked = ask(chief, rows, "again", "Its machine had no power.", "machine")
    expect(asked).to_contain_text("This cannot be undone")
    asked.get_by_role("button", name="Make void and play again").click()
    expect(chief.page.locator(".messagelist")).to_contain_text(
        "Void; played again: Its machine had no power."
    )
    after = over_and_rated(platform)

    def ruling():
        (found,) = platform.visitor().api(f"{API}rulings/")
        return found if found["places"] is not None else None

    ruled = wait_until(ruling, 120, goal="what the ruling has changed is known")
    assert (ruled["kind"], ruled["role"], ruled["fault"]) == ("again", "staff", "machine")
    was, now = (
        {f"{row['bot']} v{row['version']}": row["place"] for row in rows} for rows in (finished, after)
    )
    changed = {bot: (was[bot], now[bot]) for bot in was if was[bot] != now[bot]}
    assert {row["entrant"]: (row["before"], row["after"]) for row in ruled["places"]} == changed

    said = part(guest, "rulings")
    told = {f"{bot}: {one} → {other}" for bot, (one, other) in changed.items()}
    assert f"Made void and played again Tie Swiss, block {last}" in said
    assert "the operators of this site Its machine had no power." in said
    assert "admin" not in said
    assert "Fault of the platform:" in said
    assert ("Places:" in said, "It changed no place." in said) == (bool(changed), not changed)
    assert set(re.findall(r"\S+/\S+ v\d+: \d+ → \d+", said)) == told
    guest.go(f"/de{PAGE}")
    german = guest.page.locator("[aria-labelledby=rulings]")
    expect(german).to_contain_text(f"Für ungültig erklärt und neu gespielt Tie Swiss, Block {last}")
    expect(german).to_contain_text("die Betreiber dieser Seite")

    export = platform.visitor().api(f"{PAGE}export/tournament.json")
    assert export["rulings"][0]["reason"] == "Its machine had no power."
    assert {row["void"] for row in export["results"] if row["block"] == last} == {True}, "kept, as it was"
    karla = visit("karla")
    karla.go("/account/")
    expect(karla.page.locator("main")).to_contain_text("Tie Swiss: a ruling")
    assert (chief.complaints, guest.complaints, karla.complaints) == ([], [], [])
