"""The big screen of a tournament, as the server sends it."""

import re

import pytest
from qrcode.image.svg import SvgPathImage
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.entry import entries
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.web.tournament_pages.screen import ROWS, qr_code

pytestmark = pytest.mark.django_db


def shown(client, tournament, query=""):
    answer = client.get(f"/tournaments/{tournament.slug}/screen/{query}")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def title(page):
    return re.search(r'<h2 id="shown">(.*?)</h2>', page)[1].strip()


def test_matches_play_from_the_newest_to_the_oldest_and_a_new_one_comes_first(played, client):
    tournament = played.whole(blocks=2)
    tables = list(Table.objects.filter(block__tournament=tournament).order_by("-pk"))
    query, seen = "", []
    for _ in range(len(tables) + 1):
        page = shown(client, tournament, query)
        seen.append(int(re.search(r'data-base="/r/(\d+)/"', page)[1]))
        query = re.search(r'data-channel="[^"?]*([^"]*)"', page)[1].replace("&amp;", "&")
    assert seen == [*(table.pk for table in tables), tables[0].pk]
    oldest = tables[-1].pk
    assert f'data-base="/r/{tables[0].pk}/"' in shown(client, tournament, f"?after={oldest}&newest={oldest}")


def test_nothing_of_a_block_shows_before_it_is_over(played, client):
    tournament = played.tournament(blocks=1)
    played.play(Table.objects.filter(block__tournament=tournament).first())
    page = shown(client, tournament)
    assert "data-base" not in page
    assert "A match plays here as soon as" in page


def test_every_slide_of_a_long_field_is_reached_and_the_last_leads_to_the_first(make_tournament, client):
    names = ("thumb", "random", "timid", "bold", "flat", "rival", "glimpse", "gambler", "worrier", "search")
    tournament = make_tournament(*names, name="Cup", published=True, entry="anybody")
    assert len(names) > ROWS
    pages = [shown(client, tournament, f"?slide={number}") for number in range(3)]
    assert [title(page) for page in pages] == ["Entrants"] * 3
    labels = [set(re.findall(r"<span> (\w+) <small>", page)) for page in pages]
    assert labels[0] == labels[2] != labels[1]
    assert {label.lower() for label in labels[0] | labels[1]} == set(names)


def test_before_the_start_bots_that_authors_entered_are_among_those_who_play(
    make_tournament, submitted, person, client
):
    cup = make_tournament("thumb", "random", name="Cup", published=True, entry="anybody", places=2)
    for author in map(person, ("ann", "ben", "cid")):
        bot = submitted(author, f"of-{author.username}").bot
        entries.enter(tournament=cup, bot=bot, by=author)
    page = shown(client, cup)
    assert re.findall(r"<span> ([\w-]+) <small>", page) == ["Thumb", "Random", "of-ann", "of-ben"]
    assert "4 entrants" in " ".join(client.get(cup.get_absolute_url()).content.decode().split())


def test_a_knock_out_shows_its_rounds_from_the_last_and_the_result_first(make_tournament, land, client):
    names = ("thumb", "random", "timid", "bold", "flat", "rival", "glimpse", "gambler")
    cup = make_tournament(*names, name="Cup", format="knock-out", blocks=1)
    lifecycle.start(tournament=cup)
    assert title(shown(client, cup)) == "Round 1, in play"
    while cup.blocks.filter(over_at=None).exists():
        for block in cup.blocks.filter(over_at=None):
            assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
        due_steps.advance_tournaments()
    titles = [title(shown(client, cup, f"?slide={number}")) for number in range(4)]
    assert titles == ["Result", "Final", "Round 2", "Round 1"]


@pytest.mark.parametrize("slide", ["x", "-1", "9" * 40, "٣", ""])
def test_a_slide_that_is_no_number_is_the_first(played, client, slide):
    tournament = played.whole(blocks=1)
    assert 'data-number="0"' in shown(client, tournament, f"?slide={slide}")


def test_only_who_sees_a_tournament_sees_its_screen(played, client, ada):
    tournament = played.whole(blocks=1)
    Tournament.objects.filter(pk=tournament.pk).update(private=True, created_by=ada)
    assert client.get(f"/tournaments/{tournament.slug}/screen/").status_code == 404
    client.force_login(ada)
    shown(client, tournament)


def test_the_code_holds_the_address_of_the_tournament(played, client):
    tournament = played.whole(blocks=1)
    address = f"http://testserver/tournaments/{tournament.slug}/"
    assert str(qr_code(address)) in client.get(f"/tournaments/{tournament.slug}/screen/").content.decode()
    assert qr_code(address) != qr_code(f"{address}x")
    assert SvgPathImage.QR_PATH_STYLE["fill"] == "#000000", "dark on the light ground of screen.css"
