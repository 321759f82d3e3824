"""A hostile archive is refused at home and by the server, in the same words."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hostile_archives import HOSTILE
from stichkampf.cli import main
from stichkampf_platform.bots.models import Bot


@pytest.mark.django_db
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_check_and_server_refuse_a_hostile_archive_in_the_same_words(client, token, tmp_path, capsys, make):
    content = make()
    (tmp_path / "karl.zip").write_bytes(content)
    assert main(["check", str(tmp_path / "karl.zip"), "--json"]) == 1
    at_home = json.loads(capsys.readouterr().out)
    body = {"archive": SimpleUploadedFile("karl.zip", content)}
    answer = client.post("/api/v1/bots/ann/karl/versions/", body, headers=token())
    assert answer.status_code == 400
    assert answer.json() == {"detail": at_home["reason"]}
    assert not Bot.objects.exists()
