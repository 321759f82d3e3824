"""A championship evening by docs/organisers.md: entry, rounds by a press, results revealed on a wall."""

from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.running import due_steps, revealing

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

SETTINGS = {
    "format": "swiss", "rounds": 3, "blocks": 1, "slug": "evening", "entry": "anybody", "beat": "press",
    "reveal": "press",
}  # fmt: skip


def play(tournament, land):
    due_steps.advance_tournaments()
    for block in tournament.blocks.filter(over_at=None, played_at=None):
        assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))


def reveal_by_remote_control(screen, tournament):
    """Press until nothing is left; each press shows one more table."""
    left = revealing.held_tables(tournament).count()
    assert left
    for number in range(left, 0, -1):
        expect(screen.page.locator(".reveal")).to_contain_text(f"{number} table")
        screen.page.keyboard.press("PageDown")
        if number > 1:
            expect(screen.page.locator(".reveal")).to_contain_text(f"{number - 1} table")
    expect(screen.page.locator(".reveal")).to_have_count(0)
    assert not revealing.held_tables(tournament).exists()


def test_an_evening_of_three_rounds_is_revealed_on_the_screen(
    signed_in, visit, make_tournament, person, make_organiser, submitted, land
):
    olga, ann = person("olga"), person("ann")
    make_organiser(olga)
    submitted(ann, "karl")
    cup = make_tournament(
        "thumb", "random", "timid", "bold", "flat", name="Evening", created_by=olga, **SETTINGS
    )

    author = signed_in(visit(width=390), ann)
    author.go("/tournaments/evening/")
    author.page.click("main button:has-text('Enter')")
    expect(author.page.locator("main")).to_contain_text("karl")

    desk = signed_in(visit(), olga)
    desk.go(f"/admin/tournaments/tournament/{cup.pk}/change/")
    desk.page.click("button:text-is('Start')")
    expect(desk.page.locator(".messagelist")).to_contain_text("Started")
    screen = signed_in(visit(), olga)
    screen.page.set_viewport_size({"width": 1280, "height": 720})
    guest = visit(width=390)
    screen.go("/tournaments/evening/screen/")
    for number in (1, 2, 3):
        play(cup, land)
        guest.go("/tournaments/evening/")
        expect(guest.page.locator("#now")).to_contain_text("still held back")
        assert screen.overflow <= 0
        reveal_by_remote_control(screen, cup)
        due_steps.advance_tournaments()
        expect(screen.page.locator("#replay")).to_be_visible()  # it loads itself again for the first match
        if number < 3:
            with screen.page.expect_response("**/press/"):
                screen.page.click("button:has-text('Start the next round')")
    assert Tournament.objects.get(pk=cup.pk).state == "finished"
    assert Table.objects.filter(revealed_at=None).count() == 0
    guest.go("/tournaments/evening/")
    expect(guest.page.locator(".podium")).to_be_visible()
    screen.go("/tournaments/evening/screen/")
    expect(screen.page.locator("#shown")).to_have_text("Result")
    for page in ("/tournaments/evening/", "/tournaments/evening/screen/"):
        guest.go(page)
        address = guest.page.locator('meta[property="og:image"]').get_attribute("content")
        picture = Image.open(BytesIO(guest.page.request.get(address).body()))
        assert (picture.format, picture.size) == ("PNG", (1200, 630))
    assert author.complaints + desk.complaints + guest.complaints + screen.complaints == []
