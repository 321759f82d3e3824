"""A machine without a sandbox, then one with a weak sandbox: the platform says so and acts on it."""

import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from stichkampf_platform.supervisor import preparation
from support import archive, wait_until

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("supervised")]

REFUSED = "STICHKAMPF_RUNSC=/no/such/runsc is not a program: install gVisor, or unset it"
DEVELOPMENT = "no control group holds a bot's memory and CPU: /no/such/group is no cgroup of version 2"
KARL = """
from stichkampf import Bot

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[-1]
"""


def waiting(platform, stranger, slug, reason):
    """Submit a bot and wait until it waits for this reason; return its address in the API and its state."""
    status, told = stranger.submit(slug, archive(KARL))
    assert status == 201, told
    path = f"/api/v1/submissions/{told['id']}/"

    def waits():
        submission = stranger.api(path)
        return submission if reason in submission["version"]["reason"] else None

    return path, wait_until(waits, goal=f"{slug} waits")


@pytest.fixture(scope="module")
def folder():
    made = Path(tempfile.mkdtemp(prefix="sk-e2e-"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def refused(start_platform, folder, play_from_home):
    """Run a platform on a machine without a sandbox, stop it; returns everything that it showed."""
    with start_platform(folder, STICHKAMPF_RUNSC="/no/such/runsc") as platform:
        wait_until(lambda: tables_done(platform), goal="a table of house bots is played")
        admin = platform.administrator()
        platform.act(admin, "tournaments/tournament", "cancel", "Demonstration")  # it would play on and on
        stranger = platform.member("karla")
        path, submission = waiting(platform, stranger, "karl", "no sandbox")
        made = stranger.add_remote_version("wanderer", games=["stiche-raten"])
        with play_from_home(KARL, made):
            from_home = platform.finished_submission(stranger, made["submission"]["id"])
        return SimpleNamespace(
            welcome=platform.log.read_text(),
            admin_home=platform.admin_home(admin),
            status=preparation.manage(platform.installation, ("platform_status",)),
            path=path,
            submission=submission,
            from_home=from_home,
            token=stranger.token,
            password=platform.password,
        )


@pytest.fixture(scope="module")
def development(start_platform, folder, refused):
    """The same platform, started again on a machine with a weak sandbox."""
    with start_platform(folder, STICHKAMPF_CGROUP="/no/such/group") as platform:
        platform.password = refused.password
        yield platform


@pytest.fixture
def stranger(development, refused):
    visitor = development.visitor()
    visitor.token = refused.token
    return visitor


def tables_done(platform):
    return platform.progress("demonstration")["progress"]["tables_done"]


def test_without_a_sandbox_the_start_the_admin_home_and_the_status_command_say_so(refused):
    line = "sandbox: refused, submitted bots wait, house and remote bots play"
    for text in (refused.welcome, refused.admin_home, refused.status):
        assert line in text
        assert REFUSED in text
    assert "1 submissions wait" in refused.status


def test_without_a_sandbox_a_submission_waits_and_its_owner_reads_why(refused):
    version = refused.submission["version"]
    assert version["state"] == "submitted"
    assert version["reason"] == f"This machine has no sandbox, so submitted code does not run: {REFUSED}"
    assert refused.submission["finished_at"] is None
    assert refused.submission["lines"][-1]["text"] == f"Waiting. {version['reason']}"


def test_without_a_sandbox_a_remote_bot_plays(refused):
    assert refused.from_home["version"]["state"] == "approved", refused.from_home["lines"]


def test_with_a_weak_sandbox_each_submission_waits_for_the_staff(development, stranger, refused):
    admin = development.administrator()
    for text in (development.log.read_text(), development.admin_home(admin).replace("&#x27;", "'")):
        assert f"sandbox: development, staff approve each submission ({DEVELOPMENT})" in text
    path, submission = waiting(development, stranger, "otto", "staff approve each submission")
    assert submission["version"]["state"] == "submitted"
    development.act(admin, "bots/version", "approve", "karl")

    approved = development.finished_submission(stranger, refused.submission["id"])
    assert approved["version"]["state"] == "approved", approved["lines"]
    assert stranger.api(path)["version"]["state"] == "submitted"
