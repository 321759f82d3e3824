"""The same deal at all tables of a block, and replays in frames of other pages."""

import re

import pytest
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.records import record_files


@pytest.fixture
def tables(played):
    tournament = played.whole("stiche-raten", 3, blocks=1, options={"length": "deals:2"}, house=3)
    return list(Table.objects.filter(block__tournament=tournament).order_by("lane"))


def test_a_deal_is_shown_at_every_table_with_the_first_difference(client, tables):
    page = client.get(f"/deals/{tables[0].block_id}/2/?a=2&b=3").content.decode()
    records = [record_files.record(table.pk) for table in tables]
    first, second, third = (record["deals"][1]["moves"] for record in records)
    before = len(records[0]["deals"][0]["moves"])
    alike = next(at for at, (one, other) in enumerate(zip(second, third, strict=True)) if one != other)
    assert f"Table 2, decision {before + alike + 1}:" in page
    assert f"Table 3, decision {before + alike + 1}:" in page
    from_second = next((at for at, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]))
    assert f'href="/r/{tables[0].pk}/{before + from_second + 1}">decision' in page
    for record in records:
        assert all(
            f"<b>{score:+d}</b>".replace("-", "\N{MINUS SIGN}") in page
            for score in record["deals"][1]["scores"]
            if score
        )
    assert page.count("bid ") >= 9
    assert f'href="/deals/{tables[0].block_id}/2/' in client.get(f"/r/{tables[0].pk}/3").content.decode()


def test_the_row_of_what_lies_on_the_table_stands_only_where_something_does(client, tables, played):
    told = 'scope="row">On the table'
    assert told in client.get(f"/deals/{tables[0].block_id}/1/").content.decode()
    block = played.whole("sticheln", blocks=1).blocks.get()
    assert told not in client.get(f"/deals/{block.pk}/1/").content.decode()


@pytest.mark.parametrize(
    ("address", "said"),
    [("3/", "No table of this block played a deal 3."), ("1/?a=9", "no table of this block"), ("0/", "")],
)
def test_a_deal_or_table_that_is_not_there_is_said(client, tables, address, said):
    answer = client.get(f"/deals/{tables[0].block_id}/{address}")
    assert answer.status_code == 404
    assert said in answer.content.decode()


def test_a_bar_leads_on_and_from_a_seats_view_to_no_open_cards(client, tables):
    table = tables[0]
    ways = {
        "Play on": f"/play/on/{table.pk}/3/",
        "What if?": f"/r/{table.pk}/continuations/3/",
        "Marks": f"/r/{table.pk}/marks/",
        "Same deal": f"/deals/{table.block_id}/1/?a=1",
    }

    def bar(address):
        page = client.get(address).content.decode()
        inside = page.partition('<nav class="onward"')[2].partition("</nav>")[0]
        return {words: way for way, words in re.findall(r'href="([^"]+)">([^<]+)</a>', inside)}

    assert bar(f"/r/{table.pk}/3") == ways
    assert bar(f"/r/{table.pk}/3?view=1") == {"Play on": ways["Play on"]}
    assert bar(f"/embed/r/{table.pk}/3") == {}
    assert "What if?" not in bar(f"/r/{table.pk}/0")
    for address in ways.values():
        assert client.get(address).status_code == 200


def test_deals_of_a_running_block_stay_closed(client, played):
    tournament = played.tournament(blocks=1)
    table = Table.objects.filter(block__tournament=tournament).select_related("block__tournament").first()
    played.play(table)
    answer = client.get(f"/deals/{table.block_id}/1/")
    assert answer.status_code == 403
    assert 'class="card' not in answer.content.decode()
    assert client.get(f"/embed/r/{table.pk}/3").status_code == 403


def test_a_replay_may_be_framed_only_where_it_is_embedded(client, tables):
    framed = client.get(f"/embed/r/{tables[0].pk}/3?view=1")
    assert "frame-ancestors *" in framed["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed
    steps = set(re.findall(r'href="(/\w+/(?:r/)?)\d+/\d+', framed.content.decode()))
    assert steps == {"/embed/r/", "/r/"}  # the latter leads out of the frame
    page = client.get(f"/r/{tables[0].pk}/3")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_from_a_bots_results_one_lands_in_its_seat_at_its_costliest_deal(client, tables):
    scores = [[deal["scores"] for deal in record_files.record(table.pk)["deals"]] for table in tables]
    gains = [scores[1][deal][2] - sum(each[deal][2] for each in scores) / 3 for deal in (0, 1)]
    first_moves = len(record_files.record(tables[1].pk)["deals"][0]["moves"])
    step = 0 if gains[0] <= gains[1] else first_moves + 1
    link = f"/r/{tables[1].pk}/seat/3/costliest/"
    assert client.get(link)["Location"] == f"/r/{tables[1].pk}/{step}?view=3"
    bot = tables[1].seats.get(number=2).entrant.version.bot
    assert f'href="{link}"' in client.get(bot.get_absolute_url()).content.decode()
    assert client.get(f"/r/{tables[1].pk}/seat/9/costliest/").status_code == 404
    assert client.get("/r/999/seat/1/costliest/").status_code == 404
