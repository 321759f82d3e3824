"""A class by the steps of docs/organisers.md: from a list of names to a running ladder, and its end."""

from __future__ import annotations

import zipfile
from importlib import import_module

import pytest
from django.apps import apps
from playwright.sync_api import expect
from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.people.models import User
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle
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


def sign_in(tab, name, password):
    tab.go("/login/")
    tab.page.fill("#id_username", name)
    tab.page.fill("#id_password", password)
    tab.page.click("main button[type=submit]")
    expect(tab.page.locator(".top .person")).to_contain_text(name)


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
        lifecycle.advance_tournaments()
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
    sign_in(desk, "tina", PASSWORD)
    desk.go("/account/")
    page.click("main >> text=My classes")
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
    sign_in(pupil, ada, password)
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
    sign_in(visit(), ada, fresh)

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
    page.click("text=My classes >> nth=0")
    assert desk.outside == pupil.outside == []
