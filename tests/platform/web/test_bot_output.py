"""The output of a bot on its page, for its owner: folded, and apart by seat."""

import re

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle

pytestmark = pytest.mark.django_db


def test_what_a_bot_printed_is_folded_and_apart_by_seat(
    client, person, submitted, make_tournament, house, land, played_record
):
    ann = person("ann")
    karl = submitted(ann, "karl")
    tournament = make_tournament(versions=[karl, house["thumb"], house["random"]], blocks=1)
    lifecycle.start(tournament=tournament)
    for table in leases.take(block_id=tournament.blocks.get().pk, owner="w1"):
        seat = table.seats.get(entrant__version=karl).number
        report = pb.SeatReport(seat=seat, stderr=f"I sit on seat {seat + 1}\nand think")
        assert land(table, played_record(table), reports=[report])
    client.force_login(ann)
    page = client.get("/bots/ann/karl/").content.decode()
    output = page.partition('id="reports"')[2].partition("</section>")[0]
    by_seat = re.split(r"In\s+seat\s+(\d)", output)[1:]
    assert by_seat[::2] == ["1", "2", "3"]
    for seat, told in zip(by_seat[::2], by_seat[1::2], strict=True):
        assert re.findall(r"I sit on seat (\d)", told) == [seat]
        assert re.findall(r"<details[^>]*>", told) == ["<details>"]
    client.logout()
    assert "I sit on seat" not in client.get("/bots/ann/karl/").content.decode()
