import hashlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from stichkampf.packaging.archive import pack
from stichkampf_platform.bots import services
from stichkampf_platform.bots.models import Submission, Version, because
from stichkampf_platform.people.models import ApiToken, User
from stichkampf_platform.people.services import use_token
from support import archive

BOT = b"""
from stichkampf import Bot

class Mine(Bot):
    def choose(self, table):
        return table.legal[0]
"""


def zipped(files):
    return SimpleUploadedFile("bot.zip", archive(files))


@pytest.mark.django_db
def test_joining_signs_in_and_opens_the_page_of_tokens(client):
    answer = client.post("/join/", {"username": "ada", "password": "correct horse battery"}, follow=True)
    assert answer.redirect_chain == [("/account/tokens/", 302)]
    assert "Welcome, ada" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"username": "Ada", "password": "correct horse battery"}, "Use lower-case letters"),
        ({"username": "house", "password": "correct horse battery"}, "is reserved"),
        ({"username": "ada", "password": "short"}, "too short"),
        ({"username": "ada", "password": "correct horse battery", "email": "x"}, "valid email"),
    ],
)
def test_a_wrong_field_is_named_and_no_account_is_made(client, fields, complaint):
    answer = client.post("/join/", fields)
    assert answer.status_code == 422
    assert complaint in answer.content.decode()
    assert not User.objects.exists()


def test_a_token_is_shown_only_once(client, ada):
    client.force_login(ada)
    page = client.post("/account/tokens/", {"name": "laptop"}).content.decode()
    text = page.split('id="token" tabindex="0">')[1].split("<")[0]
    assert use_token(text).owner == ada
    assert text not in client.get("/account/tokens/").content.decode()
    assert "already" in client.post("/account/tokens/", {"name": "laptop"}).content.decode()


def test_a_revoked_token_is_invalid_and_only_its_owner_can_revoke_it(client, ada, django_user_model):
    client.force_login(ada)
    client.post("/account/tokens/", {"name": "laptop"})
    token = ApiToken.objects.get()
    client.force_login(django_user_model.objects.create_user("eve", password="x"))
    client.post(f"/account/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is None
    client.force_login(ada)
    assert client.get(f"/account/tokens/{token.pk}/revoke/").status_code == 405
    client.post(f"/account/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_an_upload_becomes_a_version_with_a_log(client, ada):
    client.force_login(ada)
    answer = client.post("/submit/", {"slug": "karl", "archive": zipped(BOT)}, follow=True)
    submission = Submission.objects.get()
    assert answer.redirect_chain == [(submission.get_absolute_url(), 302)]
    assert submission.version.bot.full_name == "ada/karl"
    assert 'data-live="2" data-stream="/submissions/' in answer.content.decode()
    assert "karl" in client.get("/account/").content.decode()


def test_the_account_tells_why_a_bot_may_not_play_or_not_everywhere(client, ada, submission):
    version = submission.version
    client.force_login(ada)

    def told():
        addresses = ("/account/", version.get_absolute_url())
        return [client.get(address).content.decode() for address in addresses]

    services.reject(version=version, reason="mue: crashed at deal 1, move 8")
    assert all("mue: crashed at deal 1, move 8" in page for page in told())
    left_out = "It may not play where it had a fault: mue: crashed at deal 1, move 8."
    Version.objects.filter(pk=version.pk).update(state="approved", **because(left_out))
    assert all(left_out in page for page in told())
    services.suspend(version=version, reason="It fails under the new rules.", cause="staff")
    assert all("It fails under the new rules." in page for page in told())


def test_a_single_file_and_pasted_code_are_the_same_archive(client, ada, tmp_path):
    client.force_login(ada)
    (tmp_path / "karl.py").write_bytes(b"from stichkampf import Bot\nclass Karl(Bot): pass\n")
    source = (tmp_path / "karl.py").read_bytes()
    client.post("/submit/", {"slug": "filed", "archive": SimpleUploadedFile("karl.py", source)})
    pasted = source.decode().replace("\n", "\r\n")
    assert client.post("/submit/", {"slug": "pasted", "code": pasted}).status_code == 302
    packed = hashlib.sha256(pack(tmp_path / "karl.py")).hexdigest()
    assert [each.version.digest for each in Submission.objects.all()] == [packed, packed]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"slug": "karl", "archive": SimpleUploadedFile("bot.zip", b"PK\x03\x04 torn")}, "archive"),
        ({"slug": "karl", "archive": zipped({"readme.txt": "no bot"})}, "bot.py"),
        ({"slug": "Karl!", "archive": zipped(BOT)}, "lower-case"),
        ({"slug": "karl"}, "Choose a file, or paste the code"),
        ({"slug": "karl", "archive": zipped(BOT), "code": "pass"}, "one of the two"),
        ({"slug": "karl", "archive": zipped(BOT), "games": ["poker"]}, "poker"),
    ],
)
def test_a_bad_upload_is_explained_and_changes_nothing(client, ada, fields, complaint):
    client.force_login(ada)
    answer = client.post("/submit/", fields)
    assert answer.status_code == 422
    assert complaint in answer.content.decode()
    assert not Submission.objects.exists()
    assert not ada.bots.exists()


def test_a_version_by_a_name_that_another_person_uses_makes_an_own_bot(client, ada, django_user_model):
    client.force_login(ada)
    client.post("/submit/", {"slug": "karl", "archive": zipped(BOT)})
    client.force_login(django_user_model.objects.create_user("eve", password="x"))
    answer = client.post("/submit/", {"slug": "karl", "archive": zipped(BOT + b"#")})
    assert answer.status_code == 302
    assert [each.version.bot.full_name for each in Submission.objects.order_by("pk")] == [
        "ada/karl",
        "eve/karl",
    ]


@pytest.mark.django_db
def test_who_is_not_signed_in_reads_what_a_bot_needs_an_owner_for(client):
    text = client.get("/submit/?bot=karl").content.decode()
    assert "Your bot needs an owner" in text
    assert text.index("/join/?next=/submit/%3Fbot%3Dkarl") < text.index("/login/?next=/submit/%3Fbot%3Dkarl")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/account/", "/account/tokens/", "/submissions/1/"])
def test_personal_pages_need_an_account(client, address):
    answer = client.get(address)
    assert answer.status_code == 302
    assert answer.url == f"/login/?next={address}"
