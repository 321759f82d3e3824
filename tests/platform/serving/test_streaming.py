"""Long answers, made while they are sent."""

import pytest
from asgiref.sync import async_to_sync
from django.core.files.storage import storages
from stichkampf_platform.serving import streaming
from stichkampf_platform.tournaments.records import record_files

# the threads that make answers see only what is committed
pytestmark = pytest.mark.django_db(transaction=True)


def test_the_records_of_a_tournament_are_read_while_they_are_sent(
    make_tournament, play_out, async_client, monkeypatch
):
    tournament = play_out(make_tournament(blocks=4))
    monkeypatch.setattr(streaming, "PORTION", 5)
    monkeypatch.setattr(record_files, "READ_AT_ONCE", 5)
    read = []
    really = storages["records"].read_many
    monkeypatch.setattr(storages["records"], "read_many", lambda names: read.extend(names) or really(names))

    async def portions():
        answer = await async_client.get(f"/api/tournaments/{tournament.slug}/records/")
        assert answer.headers["Content-Disposition"] == 'attachment; filename="a-test.jsonl"'
        return [(part.count(b"\n"), len(read)) async for part in answer.streaming_content]

    assert async_to_sync(portions)() == [(5, 5), (5, 10), (2, 12)]
