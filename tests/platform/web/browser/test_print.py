"""Printed pages: as many sheets as their content needs, and none that is nearly empty."""

import re

import pytest
from stichkampf_platform.tournaments.models import Table

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

SHEET = re.compile(rb"/Type\s*/Page\b")
PRINTED_HEIGHT = "document.querySelector('main').getBoundingClientRect().height"
A4_HEIGHT_PX, A4_WIDTH_PX, MARGIN_PX = 1123, 794, 38


def sheets(page):
    """Print a page on A4 with Chromium's usual margins, and count the sheets."""
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "1cm")
    return len(SHEET.findall(page.pdf(format="A4", margin=margin)))


def needed(page):
    """Return the sheets that the content fills when it flows without gaps."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4_WIDTH_PX - 2 * MARGIN_PX, "height": A4_HEIGHT_PX})
    height = page.evaluate(PRINTED_HEIGHT)
    page.emulate_media(media="screen")
    return height / (A4_HEIGHT_PX - 2 * MARGIN_PX)


@pytest.mark.parametrize("language", ["", "/de"])
def test_pages_print_on_as_many_sheets_as_their_content_fills(visit, played, language):
    cup = played.whole(blocks=1)
    table = Table.objects.filter(block__tournament=cup).first()
    tab = visit()
    wasted = []
    for address in (
        f"/r/{table.pk}/30",
        f"/r/{table.pk}/",
        "/ladders/sticheln/",
        cup.get_absolute_url(),
        "/games/was-sticht/",
        "/games/mue/",
        "/games/stiche-raten/",
        "/games/mue/summary/",
        "/docs/tournaments/",
    ):
        tab.go(language + address)
        content, printed = needed(tab.page), sheets(tab.page)
        if printed > content * 1.15 + 1.2:
            wasted.append(f"{address}: {printed} sheets for {content:.1f}")
    assert wasted == []
