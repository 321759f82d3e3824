"""Pages in windows of telephones, with wider text, and large on a desk: nothing is cut, hidden or small."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from stichkampf.games import GAMES
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.tournaments.models import Table

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

OUTSIDE = """(selector) => [...document.querySelectorAll(selector)].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.width && (box.left < -0.5 || box.right > innerWidth + 0.5);
}).map((each) => each.textContent.trim())"""
WIDER_TEXT = (
    "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }"
)
"""The spacing of text that WCAG 1.4.12 lets a reader set."""
OVER_THE_EDGE = """() => [...document.querySelectorAll(".panel")].flatMap((panel) => {
  const edge = panel.getBoundingClientRect().right;
  return [...panel.querySelectorAll(":is(table, select):not(.scroll *)")]
    .filter((each) => each.getBoundingClientRect().right > edge + 0.5)
    .map((each) => each.outerHTML.slice(0, 80));
})"""
"""Tables and choices that reach over the edge of their panel."""
FULL_OF_NUMBERS = "() => document.querySelectorAll('.matrix td').forEach((each) => each.textContent = 2408)"
"""As where every bot has its Elo in every game."""
CUT = """() => [...document.querySelectorAll(".slot .card.big")].flatMap((card) => {
  const edge = card.getBoundingClientRect();
  return [...card.querySelectorAll("svg")].map((pip) => pip.getBoundingClientRect())
    .filter((pip) => pip.bottom > edge.bottom + 0.5 || pip.top < edge.top - 0.5);
}).length"""


@pytest.fixture
def table(played):
    return Table.objects.filter(block__tournament=played.whole(blocks=1)).first()


@pytest.mark.parametrize("size", [(667, 375), (740, 360), (844, 390)], ids=str)
def test_rules_with_a_draft_fit_a_telephone_held_across(visit, size):
    tab = visit(width=size[0])
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    for address in ("/games/was-sticht/", "/de/games/was-sticht/"):
        tab.go(address)
        assert tab.page.locator(".draft").count()
        assert tab.overflow <= 0, address


def test_the_controls_of_a_replay_are_one_row_on_every_telephone(visit, table):
    tab = visit(width=390)
    tab.go(f"/r/{table.pk}/30")
    for width in (320, 360, 375, 378, 390):
        tab.page.set_viewport_size({"width": width, "height": 700})
        first, speed = (tab.page.locator(part).bounding_box() for part in ("#first", "#speed"))
        assert abs(first["y"] + first["height"] / 2 - speed["y"] - speed["height"] / 2) < 4, width
        assert tab.overflow <= 0, width


def test_every_column_of_the_deals_is_inside_its_panel(visit, table):
    tab = visit()
    tab.go(f"/r/{table.pk}/30")
    panel = tab.page.locator("section[aria-labelledby=deals]").bounding_box()
    heads = tab.page.locator("section[aria-labelledby=deals] thead th")
    expect(heads).to_have_count(5)
    last = heads.last.bounding_box()
    assert last["x"] + last["width"] <= panel["x"] + panel["width"]


def test_the_numbers_of_a_ladders_axis_are_whole_on_a_phone(visit, played):
    played.whole(blocks=1)
    Rating.objects.update(blocks=20, provisional=False, plus_minus=240.0, elo=1760.0, rank=1)
    tab = visit(width=390)
    tab.go("/ladders/sticheln/")
    cut = tab.page.evaluate(
        """() => {
          const chart = document.querySelector(".axis").closest("th").getBoundingClientRect();
          const marks = [...document.querySelectorAll(".axis text")];
          const boxes = marks.map((each) => each.getBoundingClientRect());
          const cut = (box) => box.left < chart.left - 0.5 || box.right > chart.right + 0.5;
          return boxes.filter((box) => box.width && cut(box)).length;
        }"""
    )
    assert tab.page.locator(".axis text").count() > 1
    assert cut == 0


@pytest.mark.parametrize("width", [320, 378, 390])
def test_everything_in_the_head_is_in_sight_in_german(visit, width):
    tab = visit(width=width)
    tab.go("/de/")
    expect(tab.page.locator(".top nav a")).to_have_count(5)
    assert tab.page.evaluate(OUTSIDE, ".top a, .top button") == []
    sign_in = tab.page.locator(".person > a").last
    assert sign_in.evaluate("link => link.scrollWidth - link.clientWidth") <= 0
    assert tab.overflow <= 0


def test_symbols_stay_on_the_cards_of_a_trick_where_text_has_more_room(visit, table):
    tab = visit(width=390)
    tab.go(f"/r/{table.pk}/31")
    tab.page.evaluate(
        """(rules) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(rules);
          document.adoptedStyleSheets = [sheet];
        }""",
        WIDER_TEXT,
    )
    assert tab.page.locator(".slot .card.big svg").count()
    assert tab.page.evaluate(CUT) == 0
    assert tab.overflow <= 0


def test_the_forms_for_files_name_what_they_take_and_have_a_place_to_drop_it(visit, signed_in, ada):
    tab = signed_in(visit(), ada)
    tab.go("/submit/")
    file = tab.page.locator("#id_archive")
    assert file.get_attribute("accept") == ".py,.zip,.gz,.tgz"
    assert file.bounding_box()["height"] >= 80


@pytest.mark.parametrize("address", ["/", "/de/", "/watch/", "/de/watch/"])
def test_tournaments_that_can_be_entered_are_named_in_whole_words_on_a_phone(visit, make_tournament, address):
    for name in ("Beginners", "Cup", "An open championship of all bots"):
        make_tournament(name=name, published=True, entry="anybody")
    tab = visit(width=390)
    tab.go(address)
    names = tab.page.locator("section[aria-labelledby=open] li a").filter(has_text="Beginners")
    expect(names).to_have_count(1)
    assert names.bounding_box()["height"] < 40
    assert tab.overflow <= 0


@pytest.mark.parametrize("address", ["/play/on/", "/de/play/on/"])
def test_what_is_chosen_stands_beside_its_mark_on_a_phone(visit, address):
    tab = visit(width=390)
    tab.go(address)
    choices = tab.page.locator("fieldset label").all()
    assert len(choices) == 5
    assert {each.evaluate("label => label.getClientRects().length") for each in choices} == {1}
    assert tab.overflow <= 0


def test_names_of_authors_stand_in_one_line_below_those_of_bots(visit, table):
    bot = table.seats.first().entrant.version.bot
    type(bot.owner).objects.filter(pk=bot.owner_id).update(username="author-with-a-name-of-thirty-x")
    tab = visit(width=390)
    for width in (390, 1280):
        tab.page.set_viewport_size({"width": width, "height": 844})
        for address in ("/watch/", "/de/watch/"):
            tab.go(address)
            authors = tab.page.locator("section[aria-labelledby=result] .author")
            expect(authors).to_have_count(4)
            assert {round(each.bounding_box()["height"]) for each in authors.all()} <= set(range(10, 24))
            assert tab.page.evaluate(OVER_THE_EDGE) == []
            assert tab.overflow <= 0


def test_the_longest_name_of_a_bot_stays_in_its_panel_where_people_choose_one(visit, ada, submitted):
    submitted(ada, "donaudampfschifffahrtsgesellschaftsbotin"[:40], games=("sticheln", "meinz"))
    for width in (1280, 390):
        tab = visit(width=width)
        tab.go("/de/play/")
        expect(tab.page.locator("select[name=bot-sticheln] option")).to_have_count(2)
        assert tab.page.evaluate(OVER_THE_EDGE) == []
        assert tab.overflow <= 0


@pytest.mark.parametrize("address", ["/de/", "/de/bots/", "/de/people/house/"])
def test_the_names_of_games_are_whole_over_a_matrix_on_a_phone(visit, played, address):
    played.whole(blocks=1)
    Rating.objects.update(blocks=20, provisional=False, rank=1)
    tab = visit(width=390)
    tab.go(address)
    heads = tab.page.locator(".matrix thead a").all()
    assert len(heads) == len(GAMES)
    assert {each.evaluate("name => name.getClientRects().length") for each in heads} == {1}
    tab.page.evaluate(FULL_OF_NUMBERS)
    assert tab.broken_words == []
    assert tab.overflow <= 0


def test_every_column_of_the_ladders_of_a_bot_and_of_a_swiss_is_in_sight_on_a_desk(visit, played):
    for game in ("sticheln", "meinz"):
        played.whole(game, blocks=1)
    swiss = played.whole(blocks=1, house=8, format="swiss", rounds=1)
    Rating.objects.update(blocks=20, provisional=False, plus_minus=90.0, rank=2)
    tab = visit()
    for address in ("/de/bots/house/bold/", f"/de/tournaments/{swiss.slug}/"):
        tab.go(address)
        table = tab.page.locator(".scroll:has(.whisker)").first
        assert table.evaluate("each => each.scrollWidth - each.clientWidth") <= 0, address


def test_cards_are_as_large_as_they_fit(visit, table, played):
    tab = visit()
    tab.go(f"/r/{table.pk}/31")
    for part, least in ((".seat-0 .hand .card", 44), (".seat-2 .hand .card", 44), (".slot .card.big", 70)):
        assert tab.page.locator(f".board {part}").first.bounding_box()["width"] >= least, part
    few = played.whole("stiche-raten", options={"length": "deals:2"}, blocks=1)
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.go(f"/r/{Table.objects.filter(block__tournament=few).first().pk}/3")
    assert tab.page.locator(".board .seat-0 .hand .card").first.bounding_box()["width"] >= 32


def test_a_point_of_view_is_the_table_at_which_that_seat_would_sit(visit, table):
    tab = visit()
    for seat in (1, 2, 3, 4):
        tab.go(f"/r/{table.pk}/30?view={seat}")
        own = tab.page.locator(".felt > .seat-0")
        assert own.locator(".seat-number").inner_text() == str(seat)
        assert own.locator(".card.back").count() == 0
        others = [tab.page.locator(f".felt > .seat-{place}").bounding_box() for place in (1, 2, 3)]
        assert all(own.bounding_box()["y"] > each["y"] + each["height"] for each in others)


def test_a_trick_goes_to_who_took_it_and_stays_where_nothing_shall_move(visit, table):
    tab = visit()
    page = tab.page
    page.add_init_script(
        """window.gone = [];
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...all) {
          window.gone.push([this.className, all[1].duration]);
          return animate.apply(this, all);
        };"""
    )
    ends = "() => document.querySelector('.slot.wins') !== null"
    for motion, copies in (("no-preference", 4), ("reduce", 0)):
        page.emulate_media(reduced_motion=motion)
        tab.go(f"/r/{table.pk}/4")
        page.keyboard.press("ArrowDown")
        page.wait_for_function(ends)
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"() => !({ends})()")
        told = page.evaluate("window.gone")
        assert len(told) == copies
        assert all("taken-away" in name and duration <= 160 for name, duration in told)
        expect(page.locator(".taken-away")).to_have_count(0)
    assert tab.complaints == []


def test_the_text_of_rules_stands_in_the_middle_of_the_window(visit):
    tab = visit(width=1280)
    tab.page.set_viewport_size({"width": 1600, "height": 900})
    tab.go("/games/mue/")
    text, contents = (tab.page.locator(part).bounding_box() for part in (".rulebook .prose", ".contents"))
    left, right = text["x"], 1600 - contents["x"] - contents["width"]
    assert abs(left - right) < 40
    assert contents["x"] - text["x"] - text["width"] < 60


def test_the_first_screen_of_a_bot_has_its_interval_in_each_game_and_a_match_to_watch(visit, played):
    for game in ("sticheln", "meinz"):
        played.whole(game, blocks=1)
    Rating.objects.update(blocks=20, provisional=False, plus_minus=90.0, rank=2)
    Rating.objects.filter(snapshot__ladder__game="meinz").update(rank=1)
    tab = visit()
    tab.go("/bots/house/bold/")
    expect(tab.page.locator("svg.whisker")).to_have_count(2)
    watch = tab.page.locator("section[aria-labelledby=to-watch]")
    box = watch.bounding_box()
    assert box["y"] + box["height"] <= 800
    expect(watch).to_contain_text("Its best match in Meinz")
    expect(watch).to_contain_text("Its best rank: 1")
    tab.page.click("section[aria-labelledby=to-watch] a.deck")
    expect(tab.page.locator(".replay")).to_be_visible()
    assert tab.complaints == []
