"""A real arbiter with its sandbox, and archives of bots that behave in one way or another."""

import pytest
from stichkampf.local_play import validation
from stichkampf_platform.bots import services
from stichkampf_platform.bots.validation import run
from stichkampf_platform.core.arbiter_client import ArbiterClient
from support import archive, running_arbiter


@pytest.fixture(scope="session")
def arbiter_process():
    """The address of an arbiter."""
    with running_arbiter() as (_, address):
        yield address


@pytest.fixture
def arbiter(arbiter_process):
    client = ArbiterClient(arbiter_process)
    client.status(seconds=120)
    yield client
    client.close()


@pytest.fixture(autouse=True)
def few_matches(monkeypatch):
    """Play only the matches that differ in seats or rules; `tests/sdk/local_play` shows what others bring."""
    monkeypatch.setattr(validation, "MOST_MATCHES", 1)


@pytest.fixture
def validated(arbiter, house, person):
    """Submit a bot of staff's and validate it; its version and the lines of its log."""

    def validate(source, *, slug="karl", games=("stiche-raten",), **files):
        owner = services.User.objects.filter(username="chief").first() or person("chief", is_staff=True)
        files = {name.replace("__", "."): text for name, text in files.items()}
        content = archive({"bot.py": source, **files} if source else files)
        submission = services.submit_version(
            owner=owner, slug=slug, content=content, games=list(games) or None
        )
        run.validate(submission_id=submission.pk, arbiter=arbiter)
        return told(submission)

    return validate


def told(submission):
    submission.refresh_from_db()
    submission.version.refresh_from_db()
    return submission.version, [line.text for line in submission.lines.all()]


@pytest.fixture
def again(arbiter):
    """Validate a version once more; the version and the lines that came since."""

    def validate(version):
        before = version.submission.lines.count()
        run.validate(submission_id=version.submission.pk, arbiter=arbiter)
        version, lines = told(version.submission)
        return version, lines[before:]

    return validate
