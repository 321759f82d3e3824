"""An installation of each release is upgraded as docs/operators.md says, and goes on as it was.

The list of changes names the releases. The code of each comes from its tag, is set up by its own script and
driven by what it promises: the supervisor's commands, a few forms and the API. A version that has no tag yet
is the last commit, whose own installation is kept by its own upgrade before it is released.
"""

import json
import os
import re
import runpy
import shutil
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from documents import ROOT, text_of
from support import PASSWORD, free_port, wait_until

from .karl import archive_of

pytestmark = [pytest.mark.timeout(1800), pytest.mark.xdist_group("end_to_end")]

RELEASE = runpy.run_path(str(ROOT / "deploy/release.py"))
VERSION = RELEASE["version_of"](ROOT)
VERSIONS = RELEASE["releases"](ROOT) or [VERSION]
STEPS = [["backup"], [], ["upgrade"], [], ["drain --off", "doctor"]]
"""The commands that the steps of the document name."""
GAME = "stiche-raten"
FIELD = ["karla/karl v1", "thumb", "random", "timid"]
DESK = "/api/v1/organiser/tournaments/"
BLOCKS = {"over": 2, "under-way": 40}
"""Numbers of blocks by tournament; of the second some are played before the upgrade, and never all."""
LADDER = f"ladders/{GAME}-4-length-deals-2/"
SHOWN = (
    *("data/results.jsonl", "data/records.jsonl", LADDER, f"{LADDER}pairs/", "people/karla/"),
    *("bots/karla/karl/", "bots/karla/karl/versions/1/"),
    *(f"tournaments/over/{part}" for part in ("", "standings/", "blocks/", "tables/", "rulings/")),
    *(f"tournaments/under-way/{part}" for part in ("", "blocks/", "tables/")),
    *(f"tournaments/everyday/{part}" for part in ("", "blocks/", "tables/")),
)
"""Addresses of the API that everybody may read."""


def git(*words):
    command = ["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", *words]
    return subprocess.run(command, capture_output=True, check=True).stdout


@pytest.fixture
def code_of():
    """Set up the code of a release in a folder of its own; returns the folder."""
    folder = Path(tempfile.mkdtemp(prefix="sk-release-"))

    def code_of(version):
        tags = git("tag", "--list", "v*").decode().split()
        assert {tag[1:] for tag in tags} <= set(VERSIONS), "CHANGELOG.md lacks a release"
        tag = f"v{version}"
        assert tag in tags or version == VERSION, f"there is no tag {tag} here: git fetch --tags"
        code = git("archive", tag if tag in tags else "HEAD")
        subprocess.run(["tar", "-x", "-C", folder], input=code, check=True)
        environment = {**os.environ, "STICHKAMPF_COMPILE": "0"}
        subprocess.run(["sh", "deploy/setup.sh", "--for-running"], cwd=folder, env=environment, check=True)
        folder.chmod(0o755)
        return folder

    yield code_of
    shutil.rmtree(folder)


@pytest.fixture
def var():
    folder = Path(tempfile.mkdtemp(prefix="sk-upgraded-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def organise(organiser, slug, **fields):
    """Make a tournament at the desk and start it."""
    settings = {
        "name": slug, "slug": slug, "game": GAME, "seats": 4, "options": {"length": "deals:1"},
        "rated": True, "blocks_planned": BLOCKS.get(slug, 4), "entrants": FIELD, **fields,
    }  # fmt: skip
    status, text = organiser.request("POST", DESK, json=settings)
    assert status == 201, text
    act(organiser, slug, "start")


def act(organiser, slug, action, **words):
    status, text = organiser.request("POST", f"{DESK}{slug}/{action}/", json=words)
    assert status == 200, text


def done(platform, slug):
    return platform.progress(slug)["progress"]["tables_done"]


def shown(platform, author, submission):
    """Return what visitors, and the author of a submission, are told of everything, by its address."""
    visitor = platform.visitor()
    found = {path: visitor.page(f"/api/v1/{path}") for path in SHOWN}
    for path in (f"submissions/{submission}/", f"submissions/{submission}/records/", "me/matches/"):
        found[path] = author.page(f"/api/v1/{path}")
    return {path: [json.loads(line) for line in text.splitlines()] for path, text in found.items()}


def is_rated(platform):
    """Tell whether the ladder of the tournament that is over has its final ratings."""
    status, text = platform.visitor().get(f"/api/v1/{LADDER}")
    return status == 200 and json.loads(text)["final"]


def lost(before, after, where=""):
    """Yield the places at which an answer no longer says what it said; it may say more."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from lost(value, after.get(key, "nothing"), f"{where}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from lost(one, other, f"{where}[{number}]")
    elif before != after:
        yield f"{where}: {before!r:.200} is {after!r:.200}"


def files(folder):
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def commands_of_the_document():
    section = text_of("docs/operators.md").partition("\n## Upgrade\n")[2].partition("\n**")[0]
    steps = re.split(r"(?m)^\d\. ", section)[1:]
    named = r"`(?:python -m stichkampf_platform )?(backup|upgrade|drain --off|doctor)`"
    return [re.findall(named, step) for step in steps]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_installation_of_a_release_goes_on_as_it_was(version, code_of, var, start_platform):
    assert commands_of_the_document() == STEPS
    port = free_port()
    with start_platform(var, root=code_of(version), port=port) as before:
        admin = before.administrator()
        admin.token = re.search(
            r"sk_[\w-]{20,}", admin.send("/account/tokens/", name="desk", scope="organiser")
        )[0]
        act(admin, "demonstration", "cancel", confirmed=True)  # it would take the time of the others
        karla = before.visitor()
        karla.sign_up("karla")
        submission = before.validated(karla, "karl", archive_of())
        assert submission["version"]["state"] == "approved", submission["lines"]
        organise(admin, "over", options={"length": "deals:2"})
        organise(admin, "everyday", format="ladder")
        wait_until(lambda: before.is_finished("over"), 300, goal="a tournament is over")
        organise(admin, "under-way", options={"length": "deals:4"}, rated=False)
        wait_until(lambda: done(before, "under-way") and done(before, "everyday"), 300, goal="both play")
        before.manage("drain")
        assert 0 < done(before, "under-way") < 4 * BLOCKS["under-way"]
        wait_until(lambda: is_rated(before), 300, goal="its ladder is rated")
        kept = shown(before, karla, submission["id"])
        backup = before.installation.state / "backup.tar"
        before.manage("backup", str(backup))
        stored = files(before.installation.state / "store")
    assert backup.stat().st_size
    assert len(stored) > BLOCKS["over"]
    with start_platform(var, port=port) as after:
        assert list(lost(kept, shown(after, karla, submission["id"]))) == []
        assert stored.items() <= files(after.installation.state / "store").items()
        after.manage("verify_ratings")
        after.visitor().send("/login/", username="karla", password=PASSWORD)
        after.manage("drain", "--off")
        played = done(after, "everyday")
        wait_until(lambda: after.is_finished("under-way"), 600, goal="the tournament goes on to its end")
        wait_until(lambda: done(after, "everyday") > played, 300, goal="the ladder goes on")
        assert done(after, "under-way") == 4 * BLOCKS["under-way"]
        over = {path: kept[path] for path in kept if "/over/" in path or path.startswith("submissions/")}
        assert list(lost(over, shown(after, karla, submission["id"]))) == []
        after.manage("doctor")
