"""Records whose file is missing or damaged: everything else still works, and the log names the file."""

import gzip
import json

import pytest
from stichkampf_platform.storage.models import StoredFile
from stichkampf_platform.tournaments.models import MatchRecord

pytestmark = pytest.mark.queries

RUINS = {
    "missing": lambda file: file.delete(),
    "cut short": lambda file: _write(file, bytes(file.content)[:-20]),
    "not compressed": lambda file: _write(file, b"{}"),
    "spoilt": lambda file: _write(file, bytes(file.content)[:40] + b"\xff" * 40 + bytes(file.content)[80:]),
    "another text": lambda file: _write(file, gzip.compress(b"{}")),
}


def _write(file, content):
    file.content = content
    file.save()


@pytest.fixture(params=RUINS)
def ruined(request, make_tournament, play_out):
    """The record of the second of three matches, of which there is no good file any more."""
    tournament = play_out(make_tournament(blocks=1))
    record = MatchRecord.objects.get(table__block__tournament=tournament, table__lane=1)
    RUINS[request.param](StoredFile.objects.get(name=record.file_name))
    return record


@pytest.mark.parametrize("page", ["", "3"])
def test_the_replay_says_so(client, ruined, caplog, page):
    answer = client.get(f"/r/{ruined.table_id}/{page}")
    assert answer.status_code == 503
    assert f"The record of table {ruined.table_id} cannot be read." in answer.content.decode()
    assert ruined.file_name in caplog.text


@pytest.mark.parametrize(
    ("address", "field"), [("/r/{}/record.json", "error"), ("/api/v1/tables/{}/record/", "detail")]
)
def test_a_worker_that_asks_for_the_record_does_so_too(client, ruined, address, field):
    answer = client.get(address.format(ruined.table_id))
    assert answer.status_code == 503
    assert answer.json() == {field: f"The record of table {ruined.table_id} cannot be read."}


def test_the_page_of_a_bot_shows_what_can_be_read(client, ruined):
    text = client.get("/bots/house/thumb/").content.decode()
    assert "1 record of its newest matches cannot be read" in text
    assert "decisions of its newest matches, in percent" in text


def test_the_export_names_the_match_and_goes_on(client, ruined):
    answer = client.get("/api/v1/tournaments/a-test/records/")
    lines = [json.loads(line) for line in answer.getvalue().decode().splitlines()]
    assert [line.get("format") for line in lines] == ["stichkampf-record/1", None, "stichkampf-record/1"]
    assert lines[1] == {
        "table": ruined.table_id,
        "error": f"The record of table {ruined.table_id} cannot be read.",
    }
