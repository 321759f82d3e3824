"""Answers to who sits at a table: nobody keeps them, whatever became of the match."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.utils import translation
from stichkampf_platform.play import matches
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
    table.end_void(matches.LOST)
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
    assert (answer.status_code, answer["Cache-Control"]) == (410, "private, no-store")
    assert PlayedTable.objects.get().told_void in answer.content.decode()


@pytest.mark.parametrize("page", ["", "result/", "told/"])
def test_the_reason_is_told_in_the_language_of_the_page(client, void, page):
    table = PlayedTable.objects.get()
    english, german = table.told_void, client.get(f"/de/play/{void.public_id}/{page}").content.decode()
    with translation.override("de"):
        assert table.told_void in german
    assert english not in german


@pytest.mark.parametrize("pressed", [{"deed": "hint"}, {"deed": "resign"}, {"move": "bid 1"}])
@pytest.mark.parametrize("headers", [{}, {"X-Fragment": "steps"}])
def test_a_press_at_a_table_that_is_void_is_told_why(client, void, pressed, headers):
    answer = client.post(f"/play/{void.public_id}/", pressed, headers=headers)
    assert (answer.status_code, PlayedTable.objects.get().told_void in answer.content.decode()) == (410, True)


def test_nobody_keeps_what_a_stranger_is_answered(client, void):
    client.cookies.clear()
    for page in ("", "result/", "told/"):
        answer = client.get(f"/play/{void.public_id}/{page}")
        assert (answer.status_code, answer["Cache-Control"]) == (403, "private, no-store")
