"""A weekly cup, a class and a championship by the steps of docs/organisers.md, on a running platform.

Bots are really validated and play in sandboxes. `make nightly` brings a class of thirty (STICHKAMPF_PEOPLE).
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from string import ascii_uppercase

import pytest
from chromium import Visit, running_browser
from playwright.sync_api import expect
from stichkampf.cli.project.project_files import PYTHON, project_files
from stichkampf.games import GAMES
from support import PASSWORD, archive, wait_until

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

PATIENCE_MS = 120_000
PEOPLE = int(os.environ.get("STICHKAMPF_PEOPLE", "3"))
VERDICT_SECONDS, PLAYING_SECONDS = 300, 900


@pytest.fixture(scope="module")
def browser():
    with running_browser(PATIENCE_MS) as browser:
        yield browser


@pytest.fixture(scope="module")
def visit(platform, browser):
    """Open a tab on the platform, signed in with a name and password where they are given."""

    def opened(name="", password=PASSWORD, *, width=1280):
        tab = Visit(browser, platform.installation.address, width=width, theme="light")
        if name:
            tab.sign_in(name, password)
        return tab

    return opened


@pytest.fixture(scope="module")
def in_group(platform, visit):
    """Make an account that the administrator puts into a group; return a tab with its own page."""
    admin = visit("admin", platform.password)

    def made(name, group):
        platform.authors(name)
        admin.go("/admin/")
        admin.page.get_by_role("link", name="Users", exact=True).click()
        admin.page.get_by_role("searchbox").fill(name)
        admin.page.keyboard.press("Enter")
        admin.page.locator("#result_list").get_by_role("link", name=name).click()
        admin.page.select_option("#id_groups_from", label=group)
        admin.page.click("#id_groups_add, #id_groups_add_link")
        admin.page.get_by_role("button", name="Save", exact=True).click()
        expect(admin.page.locator(".messagelist .success")).to_contain_text("was changed successfully")
        tab = visit(name)
        tab.page.locator(".top .person").get_by_role("link", name=name).click()
        return tab

    return made


@pytest.fixture(scope="module")
def orla(in_group):
    """An organiser, who is no superuser and not even staff."""
    return in_group("orla", "Organisers")


@pytest.fixture(scope="module")
def karla(visit, karl):
    """An author with an approved bot called karl, on a phone."""
    assert karl["version"]["state"] == "approved", karl["lines"]
    return visit("karla", width=390)


def begin_tournament(tab, name, game="stiche-raten"):
    """Go to the form of a new tournament, from the page of the account; fill in name and game."""
    tab.go("/account/")
    tab.page.get_by_role("link", name="Administration").click()
    tab.page.locator(".model-tournament").get_by_role("link", name="Add").click()
    field(tab, "Name").press_sequentially(name)
    field(tab, "Game").select_option(GAMES[game].title)
    expect(tab.page.locator(f"[id^=id_option_{game[:5]}]").first).to_be_visible()


def field(tab, label):
    """Find a field by the words beside it, as the table of the docs has them."""
    labelled = tab.page.get_by_label(re.compile(rf"^{label}:?$", re.I))
    return labelled.and_(tab.page.locator("input, select, textarea"))


def saved(tab, message="was added successfully"):
    tab.page.get_by_role("button", name="Save", exact=True).click()
    expect(tab.page.locator(".messagelist .success")).to_contain_text(message)


def pressed(tab, button, answer):
    tab.page.get_by_role("button", name=button, exact=True).click()
    expect(tab.page.locator(".messagelist")).to_contain_text(answer)


def set_start(tab, at):
    start = tab.page.get_by_role("group", name="Start").last
    start.get_by_label("Date").fill(f"{at:%Y-%m-%d}")
    start.get_by_label("Time:", exact=True).fill(f"{at:%H:%M:%S}")


def enter(karla, tournament):
    """Enter karl from the list of tournaments."""
    karla.go("/tournaments/")
    karla.page.get_by_role("link", name=tournament).click()
    karla.page.get_by_role("button", name="Enter", exact=True).click()
    expect(karla.page.locator("main")).to_contain_text("Your bot karl is entered")


def assert_quiet(*tabs):
    """Check that nothing was wrong in these tabs, and that the page that is shown fits the window."""
    for tab in tabs:
        assert (tab.complaints, tab.outside) == ([], [])
        assert tab.overflow <= 0, tab.page.url


def test_a_weekly_open_cup_from_announcement_to_result(platform, visit, orla, karla):
    now = datetime.now(UTC)
    friday = (now + timedelta(days=1 + (3 - now.weekday()) % 7)).replace(hour=18, minute=0, second=0)
    page = orla.page
    begin_tournament(orla, "Friday cup")
    field(orla, "Description").fill("Short matches, every **Friday**. Bring a bot and watch it play.")
    field(orla, "Length").fill("deals:2")
    field(orla, "Format").select_option("Round robin")
    field(orla, "Blocks").fill("3")
    field(orla, "More entrants").fill("thumb\nrandom\ntimid")
    field(orla, "Who enters bots").select_option("every author who sees it")
    field(orla, "Places").fill("24")
    set_start(orla, friday)
    field(orla, "Repeats").select_option("every week")
    saved(orla)

    guest = visit(width=390)
    guest.go("/tournaments/friday-cup/")
    expect(guest.page.locator("#entry")).to_be_visible()
    expect(guest.page.locator("main")).to_contain_text(f"{friday:%-d %b %Y}, 18:00 UTC")
    expect(guest.page.locator("main")).to_contain_text("· every week")
    expect(guest.page.get_by_role("link", name="Sign in to enter a bot")).to_be_visible()
    enter(karla, "Friday cup")
    karla.page.get_by_role("button", name="Withdraw").click()
    expect(karla.page.locator("main")).to_contain_text("No bot is entered yet.")
    enter(karla, "Friday cup")

    page.reload()
    expect(page.locator(".banner").first).to_contain_text("karl")
    set_start(orla, datetime.now(UTC) + timedelta(seconds=15))  # rather than to wait for Friday
    field(orla, "Reason for another deadline").fill("The hall is taken on Friday.")
    saved(orla, "was changed successfully")
    wait_until(lambda: platform.is_finished("friday-cup"), 300, goal="the cup is over")

    guest.go("/tournaments/friday-cup/")
    expect(guest.page.get_by_role("heading", name="Result", exact=True)).to_be_visible()
    guest.page.locator(".matches a").first.click()
    expect(guest.page.locator(".replay")).to_be_visible()
    guest.page.go_back()
    guest.page.get_by_role("link", name=re.compile("^Friday cup 2")).click()
    expect(guest.page.get_by_role("link", name="Sign in to enter a bot")).to_be_visible()
    told = karla.page.get_by_role("link", name="Friday cup is over")
    wait_until(lambda: karla.go("/account/") and told.count(), goal="karla is told of the end")
    told.click()
    expect(karla.page.locator("main")).to_contain_text("karl")

    orla.go("/account/")
    page.get_by_role("link", name="Your tournaments").click()
    page.get_by_role("link", name=re.compile("^Desk Friday cup 2")).click()
    expect(page.locator(".banner").first).to_contain_text("starts by itself")
    field(orla, "Repeats").select_option("never")
    saved(orla, "was changed successfully")

    expect(play_again(orla, "friday-cup", "The wrong bot won.")).to_contain_text("only the operators")
    admin = visit("admin", platform.password)
    confirmed = play_again(admin, "friday-cup", "Its machine had no power.")
    confirmed.get_by_role("button", name="Make void and play again").click()
    guest.go("/tournaments/friday-cup/")
    rulings = guest.page.get_by_role("region", name="Rulings and protests")
    expect(rulings).to_contain_text("The hall is taken on Friday.")
    expect(rulings).to_contain_text("Its machine had no power.")
    expect(rulings).to_contain_text("the operators of this site")
    expect(rulings).not_to_contain_text("The wrong bot won.")
    wait_until(lambda: platform.is_finished("friday-cup"), 300, goal="the block is played again")
    changed = rulings.get_by_text(re.compile("Places:|It changed no place"))
    wait_until(
        lambda: guest.go("/tournaments/friday-cup/") and changed.count(),
        goal="what the ruling has changed is known",
    )
    guest.go("/de/tournaments/friday-cup/")
    expect(guest.page.locator("main")).to_contain_text("die Betreiber dieser Seite")
    assert_quiet(orla, karla, guest, admin)


def play_again(tab, slug, reason):
    """Ask for the first block of a tournament to be played again; return what the page then says."""
    tab.go(f"/admin/tournaments/block/?q={slug}")
    tab.page.locator("#result_list tbody tr:first-child input.action-select").check()
    tab.page.select_option("select[name=action]", "again")
    tab.page.locator("input[name=reason]").fill(reason)
    tab.page.select_option("select[name=fault]", "machine")
    tab.page.get_by_role("button", name="Go", exact=True).click()
    return tab.page.locator("body")


def makes_final(tab):
    """Press the button for the final on the tournament's page; tell whether it was not too early."""
    tab.page.reload()
    tab.page.get_by_role("button", name="Knock-out of the best eight").click()
    answer = tab.page.locator(".messagelist")
    expect(answer).to_contain_text(re.compile("The best have entered a knock-out|not final yet"))
    return "The best have entered" in answer.inner_text()


def test_a_championship_is_a_swiss_tournament_and_a_knock_out_by_one_button(platform, orla, karla, visit):
    page = orla.page
    begin_tournament(orla, "Championship")
    page.get_by_role("button", name="Championship", exact=True).click()
    expect(field(orla, "Format")).to_have_value("swiss")
    field(orla, "Length").fill("deals:1")  # shorter than one would have it
    field(orla, "Blocks").fill("1")
    field(orla, "Rounds").fill("2")
    field(orla, "More entrants").fill("thumb\nrandom\ntimid\nglimpse\nbold\nflat\ngambler\nworrier")
    field(orla, "Who enters bots").select_option("every author who sees it")
    saved(orla)
    enter(karla, "Championship")

    page.reload()
    pressed(orla, "Start", "Started.")
    guest = visit(width=390)
    guest.go("/tournaments/championship/")
    wait_until(lambda: platform.is_finished("championship"), 300, goal="the Swiss rounds are over")
    expect(guest.page.get_by_role("heading", name="Result", exact=True)).to_be_visible()

    wait_until(lambda: makes_final(orla), goal="the final ratings are there")
    expect(page.get_by_role("heading", name="Championship, knock-out")).to_be_visible()
    pressed(orla, "Start", "Started.")
    wait_until(lambda: platform.is_finished("championship-final"), 300, goal="the knock-out is over")
    guest.page.reload()
    guest.page.get_by_role("link", name="Championship, knock-out").click()
    expect(guest.page.get_by_role("heading", name="Bracket")).to_be_visible()
    expect(guest.page.locator("main")).to_contain_text("wins the knock-out")
    expect(guest.page.locator(".bracket > li").first.locator(".group li")).to_have_count(8)
    assert_quiet(orla, karla, guest)


EVEN = """
from stichkampf import Bot


class Even(Bot):
    def choose(self, table):
        return table.legal[0]
"""


def test_a_tied_final_is_played_on_and_then_shared(platform, orla, visit):
    platform.approved(EVEN, ["sixes-and-sevens"], "jan/even", "ida/even")
    begin_tournament(orla, "Even final", game="sixes-and-sevens")
    field(orla, "Length").fill("deals:1")
    field(orla, "Format").select_option("Knock-out")
    field(orla, "Blocks").fill("1")
    field(orla, "More entrants").fill("jan/even\nida/even")
    field(orla, "Rated").uncheck()
    saved(orla)
    pressed(orla, "Start", "Started.")
    guest = visit(width=390)
    wait_until(lambda: platform.is_finished("even-final"), 300, goal="the final is over")
    guest.go("/tournaments/even-final/")
    result = guest.page.locator("[aria-labelledby=result]")
    expect(result).to_contain_text("share the victory: still equal after 4 further blocks")
    expect(result.locator(".podium b")).to_have_text(["1.", "1."])
    expect(guest.page.locator(".bracket .on")).to_have_count(2)
    expect(guest.page.locator(".bracket")).to_contain_text("A tie, also after 4 further blocks; shared.")
    assert_quiet(orla, guest)


def project_of(number):
    """Return the archive of a new project, with a line of its own so that no two are the same."""
    files = dict(project_files("first", "rules", PYTHON, GAMES["stiche-raten"]))
    return archive(files | {"bot.py": f"{files['bot.py']}\n# {number}\n"})


def test_a_private_class_from_a_list_of_names_to_its_ladder(platform, visit, in_group):
    names = [f"Person {ascii_uppercase[n % 26] * (1 + n // 26)}" for n in range(PEOPLE)]
    teacher = in_group("tina", "Teachers")
    page = teacher.page
    page.get_by_role("link", name="Your classes").click()
    page.get_by_role("link", name="New class").click()
    field(teacher, "Name of the class").fill("Computing 10b")
    page.get_by_label("Stiche-Raten").check()
    field(teacher, "Names").fill("\n".join(names))
    page.get_by_role("button", name="Show the names").click()
    page.get_by_role("button", name="Make the accounts and show the slips").click()
    expect(page.locator(".slip")).to_have_count(PEOPLE)
    slips = [slip.locator("code").all_inner_texts()[1:3] for slip in page.locator(".slip").all()]
    page.get_by_role("link", name="Computing 10b").click()

    pupils = [visit(name, password, width=390) for name, password in slips]
    for number, pupil in enumerate(pupils):
        pupil.page.locator(".top .person a:not(.button, .icon)").click()
        pupil.page.get_by_role("link", name="submit it").click()
        pupil.page.locator("#id_slug").fill("first")
        upload = {"name": "first.zip", "mimeType": "application/zip", "buffer": project_of(number)}
        pupil.page.set_input_files("#id_archive", upload)
    for pupil in pupils:
        pupil.page.get_by_role("button", name="Submit").click()
    for pupil in pupils:
        expect(pupil.page.locator(".log")).to_contain_text("the archive is valid")
    platform.approve_where_asked(*(name for name, _ in slips))

    def each(column):
        """The numbers of a column of the teacher's page."""
        page.reload()
        place = page.locator("thead th").all_inner_texts().index(column) - 1
        return [int(row.locator("td").nth(place).inner_text()) for row in page.locator("tbody tr").all()]

    wait_until(lambda: each("Approved") == [1] * PEOPLE, VERDICT_SECONDS, goal="all bots are approved")
    wait_until(lambda: min(each("Matches")) > 0, PLAYING_SECONDS, goal="all bots have played on the ladder")
    pupil = pupils[0]
    pupil.go("/account/")
    pupil.page.get_by_role("link", name="Computing 10b: Stiche-Raten").click()
    expect(pupil.page.locator("main")).to_contain_text("first")
    outsider = visit()
    outsider.go(pupil.page.url)
    expect(outsider.page.locator("h1")).to_contain_text("There is no such page")
    assert_quiet(*pupils)
    for tab in pupils:
        tab.context.close()  # its live pages would ask for what is deleted now

    page.get_by_role("link", name="End the class …").click()
    with page.expect_download():
        page.get_by_role("link", name="Export as one archive").click()
    page.get_by_label("I have saved the export").check()
    page.get_by_role("button", name="End the class and delete").click()
    expect(page.locator("main")).to_contain_text("This class ended on")
    assert_quiet(teacher)
