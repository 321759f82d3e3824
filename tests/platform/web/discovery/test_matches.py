"""The page of all matches of a bot, chosen by what happened in them."""

import re

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.marks.models import Analysis
from stichkampf_platform.tournaments.models import Seat

pytestmark = pytest.mark.slow


def rows_of(client, address):
    return re.findall(r'href="/r/(\d+)/\?view=', client.get(address).content.decode())


def mark(seat, points):
    """Store a decision of this seat that cost some points."""
    analysis = Analysis.objects.create(table=seat.table, reason="request", requested_at=clock.now())
    zero = dict.fromkeys(("decision", "deal", "low", "high", "worlds"), 0)
    zero |= dict.fromkeys(("open_points", "open_low", "open_high"), 0.0)
    analysis.seats.create(seat=seat, decisions=1).marks.create(points=points, **zero)


def test_the_matches_of_a_bot_are_chosen_by_opponent_result_and_fault(
    client, make_tournament, play_out, house
):
    make_tournament(name="Another", blocks=1)
    play_out(make_tournament("thumb", "random", "timid", blocks=2), faulting=[house["timid"]])
    address = "/bots/house/timid/matches/"
    assert (
        'href="/bots/house/timid/matches/?result=lost"' in client.get("/bots/house/timid/").content.decode()
    )
    everything = rows_of(client, address)
    assert len(set(everything)) == 6
    won, lost = rows_of(client, f"{address}?result=won"), rows_of(client, f"{address}?result=lost")
    assert sorted([*won, *lost]) == sorted(everything)
    assert len(rows_of(client, f"{address}?opponent=house/thumb&fault=timeout&game=stiche-raten")) == 6
    page = client.get(f"{address}?fault=crashed").content.decode()
    assert "No match of this bot fits that choice." in page
    assert f'href="{address}"' in page
    assert "has a marked decision" in client.get(f"{address}?order=costliest").content.decode()
    for seat, points in zip(
        Seat.objects.filter(entrant__version__bot__slug="timid"), (2.5, 7.25), strict=False
    ):
        mark(seat, points)
    assert rows_of(client, f"{address}?order=costliest") == [str(seat.table_id), everything[-1]]
    costliest = client.get(f"{address}?order=costliest").content.decode()
    assert costliest.index(">7.2<") < costliest.index(">2.5<")
    for query, told in {
        "opponent=x": "x",
        "result=drawn": "drawn",
        "game=skat": "skat",
        "fault=yes": "yes",
    }.items():
        answer = client.get(f"{address}?{query}")
        assert answer.status_code == 404
        assert told in answer.content.decode()
    assert client.get("/bots/house/no-such-bot/matches/").status_code == 404
