"""A machine that has no sandbox, then one for its owner's bots only: the platform says so and acts on it."""

import io
import json
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from stichkampf_platform.supervisor import preparation

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("road")]

REFUSED = "STICHKAMPF_RUNSC=/no/such/runsc is no program: install gVisor, or unset it"
DEVELOPMENT = "no control group holds a bot's memory and CPU: /no/such/group is no cgroup of version 2"
KARL = """
from stichkampf import Bot

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[-1]
"""


def archive():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("bot.py", KARL)
    return content.getvalue()


def waiting(stack, stranger, slug, reason):
    """Submit a bot; what it says of itself once it waits for this reason."""
    status, told = stranger.submit(slug, archive())
    assert status == 201, told
    path = f"/api/submissions/{told['id']}/"

    def waits():
        submission = stranger.api(path)
        return submission if reason in submission["version"]["reason"] else None

    return path, stack.wait_until(f"{slug} waits", waits)


@pytest.fixture(scope="module")
def folder():
    made = Path(tempfile.mkdtemp(prefix="sk-road-"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def refused(put_up, folder, play_from_home):
    """What was seen of a platform on a machine without a sandbox, which is down again."""
    with put_up(folder, STICHKAMPF_RUNSC="/no/such/runsc") as stack:
        stranger = stack.visitor()
        stranger.send("/join/", username="karla", password="trumpf-sticht-alles")
        page = stranger.send("/account/tokens/", name="laptop")
        stranger.token = re.search(r"sk_[A-Za-z0-9_-]{20,}", page)[0]
        path, submission = waiting(stack, stranger, "karl", "no sandbox")
        stack.wait_until("a table of house bots is played", lambda: tables_done(stack))
        made = stranger.connect("wanderer", games=["stiche-raten"])
        tried = f"/api/submissions/{made['submission']['id']}/"
        with play_from_home(KARL, made):
            stack.wait_until("wanderer is validated", lambda: stranger.api(tried)["finished_at"], seconds=300)
        return SimpleNamespace(
            welcome=stack.said.read_text(),
            first_page=stack.first_page(stack.administrator()),
            status=preparation.manage(stack.place, ("platform_status",)),
            path=path,
            submission=submission,
            from_home=stranger.api(tried),
            token=stranger.token,
            password=stack.password,
        )


@pytest.fixture(scope="module")
def development(put_up, folder, refused):
    """The same platform, started again where bots can be contained roughly."""
    with put_up(folder, STICHKAMPF_CGROUP="/no/such/group") as stack:
        stack.password = refused.password
        yield stack


@pytest.fixture
def stranger(development, refused):
    visitor = development.visitor()
    visitor.token = refused.token
    return visitor


def tables_done(stack):
    (status,) = json.loads(preparation.manage(stack.place, ("platform_status", "--json")))["tournaments"][:1]
    return status["tables_done"]


def test_without_a_sandbox_the_platform_says_so_at_start_on_the_first_page_and_when_asked(refused):
    line = "sandbox: refused, submitted bots wait, house and remote bots play"
    for place in (refused.welcome, refused.first_page, refused.status):
        assert line in place
        assert REFUSED in place
    assert "1 submissions wait" in refused.status


def test_without_a_sandbox_a_submission_waits_and_its_owner_reads_why(refused):
    version = refused.submission["version"]
    assert version["state"] == "submitted"
    assert version["reason"] == f"This machine has no sandbox, so submitted code does not run: {REFUSED}"
    assert refused.submission["finished_at"] is None
    assert refused.submission["lines"][-1]["text"] == f"It waits. {version['reason']}"


def test_without_a_sandbox_a_bot_that_stays_at_home_plays(refused):
    assert refused.from_home["version"]["state"] == "approved", refused.from_home["lines"]


def test_where_bots_are_contained_roughly_each_waits_for_the_staff(development, stranger, refused):
    admin = development.administrator()
    for place in (development.said.read_text(), development.first_page(admin).replace("&#x27;", "'")):
        assert f"sandbox: development, staff approve each submission ({DEVELOPMENT})" in place
    path, submission = waiting(development, stranger, "otto", "staff approve each submission")
    assert submission["version"]["state"] == "submitted"
    development.act(admin, "bots/version", "approve", "karl")

    def over():
        found = stranger.api(refused.path)
        return found if found["finished_at"] else None

    approved = development.wait_until("karl is validated", over, seconds=300)
    assert approved["version"]["state"] == "approved", approved["lines"]
    assert stranger.api(path)["version"]["state"] == "submitted"
