"""The steps of docs/organisers.md in a browser: make, start, pause, resume and export a tournament."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest
from chromium import running_browser
from playwright.sync_api import expect
from stichkampf.match.verify import verify
from support import wait_until

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

PATIENCE_MS = 120_000
FIELD = ["thumb", "glimpse", "worrier", "timid"]
BLOCKS = 40
TOURNAMENTS = "/admin/tournaments/tournament/"


@pytest.fixture(scope="module")
def tab(platform):
    """Open a page on the platform.

    For this module only: while Playwright lives, its event loop counts as running in this thread.
    """
    with running_browser(PATIENCE_MS) as browser:
        context = browser.new_context(base_url=platform.installation.address, accept_downloads=True)
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()


@pytest.fixture(scope="module")
def organiser(platform, tab):
    """Sign in an account that the administrator has made an organiser."""
    platform.visitor().send("/join/", username="olga", password="stich-um-stich-um")
    sign_in(tab, "admin", platform.password)
    tab.goto("/admin/people/user/?q=olga")
    tab.click("#result_list >> text=olga")
    tab.select_option("#id_groups_from", label="Organisers")
    tab.click("#id_groups_add, #id_groups_add_link")
    tab.click("input[name=_save]")
    expect(tab.locator(".messagelist .success")).to_contain_text("was changed successfully")
    tab.click("#logout-form button")
    sign_in(tab, "olga", "stich-um-stich-um")
    return tab


def sign_in(tab, name, password):
    tab.goto("/admin/")
    tab.fill("#id_username", name)
    tab.fill("#id_password", password)
    tab.click("input[type=submit]")
    expect(tab.locator("#user-tools")).to_contain_text(name)


def choose(tab, action):
    """Tick the tournament in the list, and choose the action."""
    tab.goto(f"{TOURNAMENTS}?q=olgas-evening")
    tab.check("#result_list tbody tr:first-child input.action-select")
    tab.select_option("select[name=action]", label=action)


def press_go(tab):
    """Press Go; return the message that follows."""
    tab.click("button[name=index]")
    tab.locator(".messagelist li").first.wait_for()
    tab.wait_for_load_state()
    return tab.locator(".messagelist").inner_text()


def act(tab, action):
    choose(tab, action)
    return press_go(tab)


def test_a_wrong_form_shows_all_errors_at_once_and_makes_nothing(organiser):
    tab = organiser
    tab.goto(TOURNAMENTS)
    tab.click(".object-tools >> text=Add tournament")
    tab.fill("#id_name", "Olga's evening")
    tab.select_option("#id_game", "sticheln")
    tab.fill("#id_seats", "4")
    tab.fill("#id_blocks_planned", str(BLOCKS))
    tab.fill("#id_starts_at_0", "2020-01-01")
    tab.fill("#id_starts_at_1", "10:00:00")
    tab.fill("#id_more_entrants", "thumb\nnobody")
    tab.click("input[name=_save]")
    expect(tab.locator(".form-row.errors").filter(has=tab.locator("#id_more_entrants"))).to_contain_text(
        "line 2: there is no bot 'nobody'"
    )
    assert "The start is in the past" in tab.locator("#tournament_form").inner_text()
    tab.goto(TOURNAMENTS)
    expect(tab.locator("#changelist")).to_contain_text("0 tournaments")


def test_an_organiser_makes_starts_pauses_resumes_and_exports_a_tournament(platform, organiser, tmp_path):
    tab = organiser
    tab.goto(f"{TOURNAMENTS}add/")
    tab.locator("#id_name").press_sequentially("Olga's evening")
    expect(tab.locator("#id_slug")).to_have_value("olgas-evening")
    tab.select_option("#id_game", "sticheln")
    tab.fill("#id_seats", "4")
    tab.fill("#id_option_sticheln_length", "deals:16")
    tab.fill("#id_blocks_planned", str(BLOCKS))
    tab.fill("#id_more_entrants", "bot,version\n" + "\n".join(FIELD))
    tab.click("input[name=_save]")
    expect(tab.locator(".messagelist .success")).to_contain_text("was added successfully")

    second_tab = tab.context.new_page()
    choose(second_tab, "Pause")  # in time: on a busy machine a tournament is soon over and a browser slow
    assert "Started." in act(tab, "Start")
    wait_until(lambda: played(platform), goal="tables have been played")
    assert "Paused." in press_go(second_tab)
    second_tab.close()
    standing = wait_until(lambda: at_rest(platform), 300, goal="no table is in play")
    assert 0 < standing["tables_done"] < 4 * BLOCKS
    assert "Resumed." in act(tab, "Resume")
    assert "it is not possible to start it" in act(tab, "Start")
    wait_until(lambda: platform.is_finished("olgas-evening"), 600, goal="it is finished")
    tab.goto(f"{TOURNAMENTS}?q=olgas-evening")
    expect(tab.locator("#result_list")).to_contain_text(f"{4 * BLOCKS} of {4 * BLOCKS}")

    tab.click("#result_list >> text=Olga's evening")
    rows, tournament, records = (
        download(tab, name, tmp_path) for name in ("results.csv", "tournament.json", "records.jsonl")
    )
    assert len(list(csv.DictReader(io.StringIO(rows)))) == 16 * BLOCKS
    assert len(json.loads(tournament)["entrants"]) == len(FIELD)
    for line in records.splitlines():
        verify(json.loads(line))
    rated = subprocess.run(
        [sys.executable, "-m", "stichkampf", "rate", "--format", "csv", tmp_path / "results.csv"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    names = {line["bot"].rpartition(" v")[0] for line in csv.DictReader(io.StringIO(rated.stdout))}
    assert names == {f"house/{bot}" for bot in FIELD}

    tab.goto(f"{TOURNAMENTS}?q=olgas-evening")
    tab.click("#result_list >> text=Olga's evening")
    tab.click(".object-tools >> text=History")
    history = tab.locator("#change-history").inner_text()
    for action in ("Added.", "Started.", "Paused.", "Resumed."):
        assert re.search(rf"olga\s+{re.escape(action)}", history), history


def played(platform):
    return platform.progress("olgas-evening")["progress"]["tables_done"]


def at_rest(platform):
    """Return the progress of the paused tournament, None while a table is in play."""
    tournament = platform.progress("olgas-evening")
    assert tournament["state"] == "paused"
    return None if tournament["progress"]["tables_running"] else tournament["progress"]


def download(tab, name, folder):
    with tab.expect_download() as waiting:
        tab.click(f"text={name}")
    waiting.value.save_as(folder / name)
    return (folder / name).read_text()
