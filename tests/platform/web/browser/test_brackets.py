"""Brackets and standings on a phone: they scroll in their frames, and the page stays within the window."""

import pytest
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]


def test_a_bracket_of_three_rounds_fits_a_phone(visit, make_tournament, land):
    names = ("thumb", "random", "timid", "bold", "flat", "rival", "glimpse", "gambler", "worrier", "search")
    cup = make_tournament(*names, name="Cup", format="knock-out", blocks=1)
    lifecycle.start(tournament=cup)
    while cup.blocks.filter(over_at=None).exists():
        for block in cup.blocks.filter(over_at=None):
            assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
        due_steps.advance_tournaments()
    tab = visit(width=390)
    tab.go("/tournaments/cup/")
    assert tab.page.locator(".bracket > li").count() == 3
    assert tab.overflow <= 0


def test_the_tie_breaks_of_a_swiss_can_be_read_on_a_phone(visit, make_tournament, land):
    names = ("thumb", "random", "timid", "bold", "flat", "rival")
    cup = make_tournament(*names, name="Cup", format="swiss", blocks=1, rounds=1)
    lifecycle.start(tournament=cup)
    for block in cup.blocks.all():
        assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    due_steps.advance_tournaments()
    cup.refresh_from_db()
    ratings.publish(ladder=cup.ladder, tournament=cup)
    tab = visit(width=390)
    tab.go("/tournaments/cup/")
    for title in ("Direct", "Buchholz", "Sonneborn-Berger"):
        head = tab.page.get_by_role("columnheader", name=title, exact=True)
        head.scroll_into_view_if_needed()
        assert head.bounding_box()["width"] > 0
    assert tab.overflow <= 0
