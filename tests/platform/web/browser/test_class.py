"""A class by the steps of docs/organisers.md: from a list of names to a running ladder, and its end."""

from __future__ import annotations

import re
import zipfile
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from documents import text_of
from playwright.sync_api import expect
from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.classes.enrolment import create_class, slips
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.core import clock
from stichkampf_platform.people.models import User
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.running import due_steps
from support import archive

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

PASSWORD = "kreide-tafel-schwamm"
BOT = "from stichkampf import Bot\n"


@pytest.fixture
def tina(house, person):
    """An account that a superuser, called root-admin, can make a teacher."""
    import_module("stichkampf_platform.classes.migrations.0001_initial").make_teachers(apps, None)
    User.objects.create_superuser("root-admin", password=PASSWORD)
    made = person("tina")
    made.set_password(PASSWORD)
    made.save()
    return made


def slips_on(page):
    """Wait for slips; return name, login and password of each."""
    page.locator(".slip").first.wait_for()
    found = []
    for slip in page.locator(".slip").all():
        codes = slip.locator("code").all_inner_texts()
        found.append((slip.locator("h2").inner_text(), codes[1], codes[2]))
    return found


def let_play(school_class, land):
    """Do what workers do: approve what was submitted, play two rounds of blocks, rate."""
    Version.objects.filter(house="").update(state=Version.State.APPROVED, games=["stiche-raten"])
    Submission.objects.update(finished_at="2026-11-22T00:00Z")
    ladder = school_class.ladders.get()
    for _ in range(2):
        due_steps.advance_tournaments()
        for block in ladder.blocks.filter(over_at=None):
            for table in leases.take(block_id=block.pk, owner="w1"):
                assert land(table)
        ratings.publish(ladder=ladder.ladder)
    return ladder


def test_a_teacher_brings_a_class_to_its_ladder_and_ends_it(visit, tina, land, tmp_path):
    admin = visit()
    admin.go("/admin/people/user/?q=tina")
    admin.page.fill("#id_username", "root-admin")
    admin.page.fill("#id_password", PASSWORD)
    admin.page.click("input[type=submit]")
    admin.page.click("#result_list >> text=tina")
    admin.page.select_option("#id_groups_from", label="Teachers")
    admin.page.click("#id_groups_add, #id_groups_add_link")
    admin.page.click("input[name=_save]")
    expect(admin.page.locator(".messagelist .success")).to_contain_text("was changed successfully")

    desk = visit()
    page = desk.page
    desk.sign_in("tina", PASSWORD)
    desk.go("/account/")
    page.click("main >> text=Your classes")
    page.click("text=New class")
    page.fill("#id_name", "Computing 10b")
    page.get_by_label("Stiche-Raten").check()
    page.fill("#id_names", "Ada Lovelace\nAlan Turing\nada lovelace\n")
    page.click("text=Show the names")
    expect(page.locator(".errorlist")).to_contain_text("Line 3: 'ada lovelace' stands in line 1 already")
    page.fill("#id_names", "Ada Lovelace\nAlan Turing\n")
    page.click("text=Show the names")
    expect(page.locator("main li")).to_have_text(["Ada Lovelace", "Alan Turing"])
    page.click("text=Make the accounts and show the slips")
    expect(page.locator(".slip")).to_have_count(2)
    page.emulate_media(media="print")
    assert not page.locator(".top").is_visible()
    assert page.locator(".slip").first.is_visible()
    page.emulate_media(media="screen")
    (_, ada, password), (_, alan, _) = slips_on(page)
    page.click("text=Computing 10b >> nth=0")

    pupil = visit(width=390)
    pupil.sign_in(ada, password)
    pupil.go("/submit/")
    pupil.page.fill("#id_slug", "karl")
    upload = {"name": "bot.zip", "mimeType": "application/zip", "buffer": archive(BOT)}
    pupil.page.set_input_files("#id_archive", upload)
    pupil.page.click("button:has-text('Submit')")
    expect(pupil.page.locator(".log")).to_contain_text("the archive is valid")
    school_class = SchoolClass.objects.get()
    ladder = let_play(school_class, land)
    pupil.go("/account/")
    pupil.page.click(f"main >> text={ladder.name}")
    expect(pupil.page.locator("main")).to_contain_text("karl")
    pupil.go("/classes/")
    expect(pupil.page.locator("h1")).to_contain_text("There is no such page")

    desk.go(school_class.get_absolute_url())
    row = page.locator("tbody tr").filter(has_text="Ada Lovelace")
    expect(row.locator("td").nth(0)).to_have_text("1")
    expect(row.locator(".spark")).to_have_count(1)
    page.click("tbody >> text=Ada Lovelace")
    expect(page.locator("svg.history")).to_have_count(1)
    page.click("text=Make a new slip")
    ((_, again, fresh),) = slips_on(page)
    assert again == ada
    visit().sign_in(ada, fresh)

    desk.go(school_class.get_absolute_url())
    page.click("text=Add people")
    page.fill("#id_names", "Grace Hopper")
    page.click("text=Show the names")
    page.click("text=Make the accounts and show the slips")
    assert [name for name, *_ in slips_on(page)] == ["Grace Hopper"]

    desk.go(school_class.get_absolute_url())
    page.click("text=End the class …")
    with page.expect_download() as saving:
        page.click("text=Export as one archive")
    saving.value.save_as(tmp_path / "class.zip")
    with zipfile.ZipFile(tmp_path / "class.zip") as export:
        people = export.read("people.csv").decode("utf-8-sig")
    assert [name in people for name in ("Ada Lovelace", alan, "Grace Hopper")] == [True] * 3
    page.get_by_label("I have saved the export").check()
    page.click("text=End the class and delete")
    expect(page.locator("main")).to_contain_text("This class ended on")
    expect(page.locator("main")).not_to_contain_text("Lovelace")
    page.click("text=Your classes >> nth=0")
    assert desk.outside == pupil.outside == []


HOURS = {
    "en": ("", "docs/organisers.md", "### A class hour\n"),
    "de": ("/de", "docs/de/organisers.md", "## Eine Klassenstunde\n"),
}
"""By language: the beginning of addresses, the document, and the heading in it."""


@pytest.mark.parametrize("language", HOURS)
def test_a_class_hour_goes_by_the_words_of_the_document(visit, tina, land, language):
    prefix, document, heading = HOURS[language]
    text = text_of(document).partition(heading)[2].partition("\n## ")[0]
    steps = " ".join(re.findall(r"^\d\. .*(?:\n   .*)*", text, re.MULTILINE))
    said = [" ".join(words.split()) for words in re.findall(r"\*([^*]+)\*", steps)]
    screen, submit, send, stuck, again, watch, faults, grades = said
    tina.user_permissions.add(Permission.objects.get(codename="add_schoolclass"))
    names = [ListedName("Ada Lovelace"), ListedName("Alan Turing")]
    school_class = create_class(
        teacher=tina, name="10b", games=["stiche-raten"], names=names, key=(key := new_key())
    )
    page_of_class = prefix + f"/classes/{school_class.pk}/"

    wall = visit()
    wall.sign_in("tina", PASSWORD)
    wall.go(page_of_class)
    wall.page.click("section[aria-labelledby=ladders] li a")
    wall.page.click(f"main a:has-text('{screen}')")
    expect(wall.page.locator("body.screen")).to_be_visible()

    desks = []
    for slip, slug in zip(slips(school_class=school_class, key=key), ("karl", "max"), strict=True):
        desk = visit(width=390)
        desk.sign_in(slip.pupil.person.username, slip.password)
        desk.go(f"{prefix}/account/")
        desk.page.get_by_role("link", name=submit, exact=True).first.click()
        desk.page.fill("#id_slug", slug)
        desk.page.fill(
            "#id_code",
            BOT + "class Mine(Bot):\n    def choose(self, table):\n        return table.legal[0]\n",
        )
        desk.page.get_by_role("button", name=send, exact=True).click()
        expect(desk.page.locator(".log li")).not_to_have_count(0)
        desks.append(desk)
    rejected = Version.objects.get(bot__slug="max")
    Version.objects.filter(pk=rejected.pk).update(
        state=Version.State.REJECTED, reason="It chose what is not possible."
    )
    Submission.objects.filter(version=rejected).update(finished_at=clock.now())

    teacher = visit()
    teacher.sign_in("tina", PASSWORD)
    teacher.go(page_of_class)
    panel = teacher.page.locator("section", has=teacher.page.get_by_role("heading", name=stuck, exact=True))
    expect(panel).to_contain_text("It chose what is not possible.")
    expect(panel).to_contain_text(rejected.bot.owner.pupils.get().name)
    mender = desks[1]
    mender.go(prefix + f"/bots/{rejected.bot.full_name}/")
    mender.page.get_by_role("link", name=again, exact=True).click()
    mender.page.fill(
        "#id_code", BOT + "class Mine(Bot):\n    def choose(self, table):\n        return table.legal[-1]\n"
    )
    mender.page.get_by_role("button", name=send, exact=True).click()
    expect(mender.page.locator(".log li")).not_to_have_count(0)
    let_play(school_class, land)
    expect(wall.page.locator("main")).to_contain_text("karl")
    teacher.go(page_of_class)
    expect(teacher.page.get_by_role("heading", name=stuck, exact=True)).to_have_count(0)
    desks[0].go(prefix + f"/bots/{Version.objects.get(bot__slug='karl').bot.full_name}/")
    expect(desks[0].page.get_by_role("heading", name=watch, exact=True)).to_be_visible()
    teacher.page.click(f"thead a:text-is('{faults}')")
    expect(teacher.page.locator("th[aria-sort=descending]")).to_have_text(faults)
    with teacher.page.expect_download() as saving:
        teacher.page.get_by_role("link", name=grades).first.click()
    assert saving.value.suggested_filename.endswith(".csv")
    assert all(tab.overflow <= 0 for tab in (wall, teacher, *desks))
    assert [tab.complaints for tab in (wall, teacher, *desks)] == [[]] * 4
