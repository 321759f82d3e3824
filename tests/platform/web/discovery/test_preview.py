"""The picture beside a link to a match."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.web.discovery.preview_picture import FELT, PreviewLine, draw

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_a_match_that_is_over_has_a_picture_and_its_page_names_it(played, client, first_table):
    table = first_table(played.whole(blocks=1))
    answer = client.get(f"/r/{table.pk}/preview.png")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("image/png", "public, max-age=86400")
    assert Image.open(BytesIO(answer.content)).size == (1200, 630)
    assert len(answer.content) < 300_000
    for page in (f"/r/{table.pk}/5", f"/de/r/{table.pk}/"):
        picture = f'<meta property="og:image" content="http://testserver/r/{table.pk}/preview.png">'
        assert picture in client.get(page).content.decode()


@pytest.mark.slow
def test_a_match_of_a_running_block_or_a_private_tournament_has_none(played, client, ada, first_table):
    running = played.tournament(blocks=1)
    table = first_table(running)
    played.play(table)
    assert client.get(f"/r/{table.pk}/preview.png").status_code == 404
    private = played.whole(blocks=1)
    Tournament.objects.filter(pk=private.pk).update(private=True, created_by=ada)
    shut = Table.objects.filter(block__tournament=private).first()
    client.force_login(ada)
    assert client.get(f"/r/{shut.pk}/").status_code == 200
    assert client.get(f"/r/{shut.pk}/preview.png").status_code == 404
    assert "og:image" not in client.get(f"/r/{shut.pk}/").content.decode()


@pytest.mark.slow
def test_every_suit_and_the_longest_names_fit_into_the_picture():
    words = ["R5", "Y10", "G2", "B7", "O4", "V3", "K1", "ST", "HQ", "D9", "C7"]
    seats = [PreviewLine(f"{name}/{name}", "\N{MINUS SIGN}1,234", 1) for name in ["w" * 30] * 6]
    for cards in (words[:6], words[6:], []):
        picture = Image.open(BytesIO(draw("At Sixes and Sevens", "W" * 100, seats, cards)))
        edges = {picture.getpixel((x, y)) for x in (0, 1199) for y in range(630)}
        assert edges == {tuple(bytes.fromhex(FELT[1:]))}
