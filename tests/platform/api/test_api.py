import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from stichkampf_platform.bots import services as bots
from stichkampf_platform.bots.models import Bot, Submission, Version
from stichkampf_platform.people.models import User
from stichkampf_platform.ratings import services
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle as tournaments
from support import archive

pytestmark = pytest.mark.queries

BOT = b"""
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.legal[0]
"""


@pytest.fixture
def submit(client):
    def send(content, slug="ann/karl", headers=None, **fields):
        body = {"archive": SimpleUploadedFile("karl.zip", content), **fields}
        return client.post(f"/api/v1/bots/{slug}/versions/", body, headers=headers or {})

    return send


def test_a_submission_makes_a_bot_and_a_version_that_waits(submit, token):
    content = archive(BOT)
    answer = submit(content, headers=token(), games=["stiche-raten"])
    assert answer.status_code == 201, answer.content
    told = answer.json()
    assert told["version"]["state"] == "submitted"
    assert told["version"]["games"] == ["stiche-raten"]
    assert "the archive is valid" in told["lines"][0]["text"]
    version = Version.objects.get(bot__slug="karl", number=1)
    assert version.archive.read() == content


@pytest.mark.parametrize(
    "header",
    ["Bearer sk_wrong", "Bearer", "Token x y", "Bearer \xff\xfe", "bearer sk_" + "0" * 500, "Bearer \x00"],
)
def test_every_wrong_token_gets_the_same_answer(submit, db, header):
    answer = submit(archive(BOT), headers={"authorization": header})
    assert answer.status_code == 401
    assert answer.json() == {
        "detail": "This is not a valid API token. Make one on your account page and send it as: "
        "Authorization: Bearer TOKEN"
    }
    assert not Bot.objects.exists()


def test_a_submission_without_a_token_is_refused(submit, db):
    assert submit(archive(BOT)).status_code == 401
    assert not Bot.objects.exists()


def test_a_busy_database_is_answered_503_with_retry_after(submit, token, monkeypatch):
    def locked(**_):
        raise OperationalError("database is locked")

    monkeypatch.setattr(bots, "submit_version", locked)
    answer = submit(archive(BOT), headers=token())
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert answer.json()["detail"].startswith("The database is busy or cannot be reached")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no archive", "zip"),
        (b"", "empty"),
        (archive(BOT)[:-30], "zip"),
        (archive({"readme.txt": b"hello"}), "bot.py"),
        (archive({"../bot.py": BOT}), "../bot.py"),
        (archive({"bot.py": BOT, "stichkampf.toml": b'name = "Karl"\ngames = ["skat"]'}), "skat"),
    ],
    ids=["no archive", "empty", "cut short", "no bot in it", "leaves its folder", "unknown game"],
)
def test_a_bad_archive_gets_a_clear_error_and_changes_nothing(submit, token, content, message):
    answer = submit(content, headers=token())
    assert answer.status_code == 400, answer.content
    assert message in answer.content.decode()
    assert not Bot.objects.exists()
    assert not Submission.objects.exists()


def test_an_unknown_game_is_refused_by_name(submit, token):
    answer = submit(archive(BOT), headers=token(), games=["skat"])
    assert answer.status_code == 400
    assert "no game is called 'skat'; there are sticheln" in answer.json()["detail"]


def test_a_submission_goes_to_the_own_bot_of_that_name(submit, token):
    assert submit(archive(BOT), headers=token("ann")).status_code == 201
    answer = submit(archive({"bot.py": BOT + b"#"}), "bob/karl", headers=token("bob"))
    assert answer.status_code == 201
    assert answer.json()["version"]["author"] == "bob"
    answer = submit(archive({"bot.py": BOT + b"##"}), "ann/karl", headers=token("eve"))
    assert answer.status_code == 403
    assert "ann/karl belongs to someone else" in answer.json()["detail"]


def test_a_submission_to_a_house_bot_is_refused(submit, token, house):
    answer = submit(archive(BOT), slug="ann/thumb", headers=token())
    assert answer.status_code == 400


def test_the_same_archive_cannot_become_a_second_version(submit, token):
    header, content = token(), archive(BOT)
    assert submit(content, headers=header).status_code == 201
    answer = submit(content, headers=header)
    assert answer.status_code == 400
    assert "already version 1 of karl" in answer.json()["detail"]


def test_a_version_before_its_validation_is_shown_to_its_owner_only(submit, token, client):
    ann, bob = token("ann"), token("bob")
    number = submit(archive(BOT), headers=ann).json()["id"]
    assert client.get("/api/v1/bots/ann/karl/versions/1/", headers=ann).status_code == 200
    assert client.get(f"/api/v1/submissions/{number}/", headers=ann).status_code == 200
    for path in (
        "/api/v1/bots/ann/karl/",
        "/api/v1/bots/ann/karl/versions/1/",
        f"/api/v1/submissions/{number}/",
    ):
        assert client.get(path, headers=bob).status_code == 404, path
        assert client.get(path).status_code in (401, 404), path


def test_a_token_is_shown_only_once(client, token):
    header = token()
    made = client.post("/api/v1/me/tokens/", {"name": "laptop"}, "application/json", headers=header).json()
    assert (
        client.get("/api/v1/me/", headers={"authorization": f"Bearer {made['token']}"}).json()["username"]
        == "ann"
    )
    listed = client.get("/api/v1/me/tokens/", headers=header).content.decode()
    assert "laptop" in listed
    assert made["token"] not in listed
    assert client.delete(f"/api/v1/me/tokens/{made['id']}/", headers=header).status_code == 204
    assert client.get("/api/v1/me/", headers={"authorization": f"Bearer {made['token']}"}).status_code == 401


def test_no_address_shows_anything_of_a_running_block(client, make_tournament, land):
    tournament = make_tournament(blocks=1)
    tournaments.start(tournament=tournament)
    first, *others = leases.take(block_id=tournament.blocks.get().pk, owner="w1")
    land(first)
    seed = bytes(first.block.seed).hex()
    paths = [f"/api/v1/tables/{first.pk}/", f"/api/v1/tables/{first.pk}/record/"]
    lists = [f"/api/v1/tournaments/a-test/{part}/" for part in ("tables", "records", "standings")]
    for path in paths:
        assert client.get(path).status_code == 404, path
    for path in lists:
        answer = client.get(path)
        text = answer.getvalue().decode() if answer.streaming else answer.content.decode()
        assert seed not in text, path
        assert '"score' not in text, path
        assert '"hands' not in text, path
    for table in others:
        land(table)
    assert client.get(paths[0]).json()["seed"] == seed
    assert client.get(paths[1]).json()["format"] == "stichkampf-record/1"


def test_a_tournament_is_hidden_before_its_start(client, make_tournament):
    make_tournament()
    assert client.get("/api/v1/tournaments/").json()["count"] == 0
    assert client.get("/api/v1/tournaments/a-test/").status_code == 404


@pytest.fixture
def played(make_tournament, play_out):
    tournament = play_out(make_tournament("thumb", "random", "timid", "bold", blocks=6))
    services.publish(ladder=tournament.ladder)
    return tournament


def test_records_are_exported_as_json_lines(client, played):
    answer = client.get("/api/v1/tournaments/a-test/records/")
    lines = answer.getvalue().decode().splitlines()
    assert len(lines) == 18
    assert {json.loads(line)["format"] for line in lines} == {"stichkampf-record/1"}


def test_a_ladder_has_the_same_content_in_json_and_csv(client, played):
    slug = played.ladder.slug
    ratings = client.get(f"/api/v1/ladders/{slug}/").json()["ratings"]
    header, *lines = client.get(f"/api/v1/ladders/{slug}.csv").content.decode().splitlines()
    assert header.startswith("rank,bot,version,elo,plus_minus,blocks,comparisons,rank_best,rank_worst,")
    assert [line.split(",")[1] for line in lines] == [rating["bot"] for rating in ratings]
    assert [line.split(",")[3] for line in lines] == [f"{rating['elo']:.4f}" for rating in ratings]


def test_an_unknown_ladder_or_table_is_answered_404(client, db):
    assert client.get("/api/v1/ladders/skat/").status_code == 404
    assert client.get("/api/v1/tables/1/").status_code == 404
    assert client.get("/api/v1/tables/1/record/").status_code == 404


def test_lists_take_a_bounded_number_of_queries(client, played, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        assert client.get("/api/v1/tournaments/a-test/tables/").json()["count"] == 18


def test_the_openapi_document_describes_every_path_without_a_warning(client, db, capsys):
    answer = client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    assert answer.status_code == 200
    document = answer.json()
    assert "/api/v1/bots/{author}/{slug}/versions/" in document["paths"]
    complaints = capsys.readouterr().err
    assert "Warning" not in complaints, complaints
    assert "Error" not in complaints, complaints


def test_owner_and_staff_read_the_reason_of_a_suspension(client, token, submitted):
    mine = token()
    version = submitted(User.objects.get(username="ann"))
    bots.suspend(version=version, reason="It faulted too often.", cause="staff")
    reasons = [
        client.get("/api/v1/bots/ann/karl/versions/1/", headers=headers).json()["reason"]
        for headers in (mine, token("chief", is_staff=True), token("bob"), {})
    ]
    assert reasons == ["It faulted too often."] * 2 + [None] * 2


@pytest.mark.parametrize(
    ("path", "most"),
    [("bots/", 1000), ("tournaments/a-test/blocks/", 100), ("tournaments/a-test/rulings/", 1000)],
)
def test_more_than_the_largest_page_is_refused_with_its_bound(client, token, make_tournament, path, most):
    tournaments.start(tournament=make_tournament())
    answer = client.get(f"/api/v1/{path}?limit={most + 1}", headers=token())
    assert answer.status_code == 400
    assert f"limit must be a whole number from 1 to {most}, not '{most + 1}'" in answer.json()["detail"]


def test_too_many_submissions_are_answered_429(submit, token, settings):
    settings.RATES = {**settings.RATES, "submissions": {"account": (2, 24 * 3600)}}
    header = token()
    answers = [submit(b"no archive", headers=header) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [400, 400, 429]
    assert answers[-1].json()["detail"].startswith("Too many submissions. Try again in ")
    assert 0 < int(answers[-1]["Retry-After"]) <= 24 * 3600
