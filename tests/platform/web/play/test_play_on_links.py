"""The way from the replay of a tournament's match to a table that plays on from there."""

from __future__ import annotations

import pytest
from stichkampf_platform.tournaments.models import Table

pytestmark = pytest.mark.django_db


def test_a_replay_leads_to_playing_on_from_its_decision(client, played):
    table = Table.objects.filter(block__tournament=played.whole(blocks=1)).first()
    page = client.get(f"/r/{table.pk}/9").content.decode()
    assert f'href="/play/on/{table.pk}/9/"' in page
    assert "/play/on/" not in client.get(f"/embed/r/{table.pk}/9").content.decode()
    asked = client.get(f"/play/on/{table.pk}/9/")
    assert asked["Cache-Control"] == "private, no-store"
    assert asked.content.decode().count("decides here") == 1
    assert f'href="/r/{table.pk}/9"' in asked.content.decode()


def test_nobody_plays_on_from_a_match_whose_block_is_not_over(client, played):
    block = played.tournament(blocks=1).blocks.get()
    table = Table.objects.filter(block=block).select_related("block__tournament").first()
    played.play(table)
    answer = client.get(f"/play/on/{table.pk}/9/")
    assert answer.status_code == 404
    assert client.post(f"/play/on/{table.pk}/9/").status_code == 404
