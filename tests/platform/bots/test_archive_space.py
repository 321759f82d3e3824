"""The quota of an account, and the deletion of archives."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from stichkampf.limits import REJECTED_DAYS
from stichkampf_platform.bots import archive_space, services
from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.bots.tasks import delete_rejected
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import DiskFull, RequestRefused
from stichkampf_platform.storage.models import StoredFile
from support import archive

pytestmark = pytest.mark.queries


@pytest.fixture
def ann(person):
    return person("ann")


@pytest.fixture
def rejected(ann):
    """A version that was rejected just now."""
    submission = services.submit_version(owner=ann, slug="karl", content=archive("pass"))
    services.reject(version=submission.version, reason="It does not start.")
    return submission.version


def rejected_before(days):
    Submission.objects.update(finished_at=clock.now() - timedelta(days=days))


def test_an_account_stores_no_more_than_its_quota(ann, person, monkeypatch):
    size = len(archive("1"))
    monkeypatch.setattr(archive_space, "ACCOUNT_BYTES", 2 * size)
    for number in (1, 2):
        services.submit_version(owner=ann, slug=f"karl-{number}", content=archive(str(number)))
    with pytest.raises(
        RequestRefused, match=f"Your archives have {2 * size} bytes, and this one {size}; an account"
    ):
        services.submit_version(owner=ann, slug="karl-3", content=archive("3"))
    assert StoredFile.objects.count() == 2
    assert not ann.bots.filter(slug="karl-3").exists()
    assert services.submit_version(owner=person("bob"), slug="otto", content=archive("3"))


def test_the_archive_of_a_rejected_version_goes_after_a_week_and_its_log_stays(rejected, ann):
    rejected_before(REJECTED_DAYS - 1)
    delete_rejected()
    assert StoredFile.objects.exists()
    assert archive_space.stored_bytes(ann) > 0
    rejected_before(REJECTED_DAYS + 1)
    delete_rejected()
    assert not StoredFile.objects.filter(deleted=False).exists()
    assert archive_space.stored_bytes(ann) == 0
    version = Version.objects.get()
    assert version.digest == rejected.digest
    assert version.submission.lines.filter(text="Rejected: It does not start.").exists()
    assert archive_space.delete_rejected() == 0


def test_the_archive_of_a_version_that_plays_stays(ann):
    submission = services.submit_version(owner=ann, slug="karl", content=archive("pass"))
    Version.objects.filter(pk=submission.version_id).update(state=Version.State.APPROVED)
    rejected_before(REJECTED_DAYS + 1)
    delete_rejected()
    assert StoredFile.objects.exists()


def test_a_disk_that_is_nearly_full_takes_no_archive(ann, settings):
    settings.FREE_DISK_BYTES = 2**62
    with pytest.raises(DiskFull, match="nearly full"):
        services.submit_version(owner=ann, slug="karl", content=archive("pass"))
    assert not StoredFile.objects.filter(deleted=False).exists()


def test_pages_and_api_say_that_the_disk_is_full(client, token, ann, settings):
    settings.FREE_DISK_BYTES = 2**62
    upload = {"slug": "karl", "archive": SimpleUploadedFile("karl.zip", archive("pass"))}
    answer = client.post("/api/v1/bots/bob/karl/versions/", upload, headers=token("bob"))
    assert answer.status_code == 507
    assert "nearly full" in answer.json()["detail"]
    client.force_login(ann)
    upload["archive"].seek(0)
    answer = client.post("/submit/", upload)
    assert answer.status_code == 507
    assert "nearly full" in answer.content.decode()


def test_the_name_of_an_uploaded_file_is_stored_without_hidden_signs(ann):
    services.submit_version(owner=ann, slug="karl", content=archive("pass"), file_name="karl\u202epiz.zip")
    assert Submission.objects.get().file_name == "karl\ufffdpiz.zip"
