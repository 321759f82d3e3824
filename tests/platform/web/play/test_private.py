"""Answers to who sits at a table: nobody keeps them, whatever became of the match."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key
from stichkampf_platform.web.play.seats_kept import keep_seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def void(client):
    """A table without a match, at whose first seat the visitor sits."""
    table = PlayedTable.objects.create(
        public_id="gone", game_name="sticheln", seats_count=4, seed=bytes(32), state=PlayedState.VOID
    )
    table.end_void("Its machine was lost.")
    table.save()
    for number in range(4):
        table.seats.create(number=number, person=number == 0, house="" if number == 0 else "even")
    answer = HttpResponse()
    keep_seat(answer, seat_key(table.public_id, 0))
    client.cookies.update(answer.cookies)
    return table


@pytest.mark.parametrize("page", ["", "result/", "told/"])
def test_nobody_keeps_what_a_table_that_is_void_answers(client, void, page):
    answer = client.get(f"/play/{void.public_id}/{page}")
    assert answer.status_code in (200, 410)
    assert answer["Cache-Control"] == "private, no-store"
    assert PlayedTable.objects.get().told_void in answer.content.decode() or page == "told/"


def test_nobody_keeps_what_a_stranger_is_answered(client, void):
    client.cookies.clear()
    for page in ("", "result/", "told/"):
        answer = client.get(f"/play/{void.public_id}/{page}")
        assert (answer.status_code, answer["Cache-Control"]) == (403, "private, no-store")
