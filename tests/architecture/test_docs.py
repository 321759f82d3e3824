"""Documents for newcomers, contributors and administrators name only what exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import resolve
from documents import code_blocks, command_of, fewer, typed_lines
from repository import COMMITTED, text_of
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.table import Table

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "deploy/README.md",
    "docs/sandbox.md",
    "docs/second-bot.md",
    "docs/ratings.md",
    "docs/arbiter-speed.md",
    "docs/engine-speed.md",
    "docs/deploy.md",
    "docs/how-to.md",
    "docs/learners.md",
    "docs/operators.md",
    "docs/organisers.md",
    "docs/platform-speed.md",
    "docs/remote-bots.md",
    "docs/strength.md",
    "docs/threats.md",
)
README = (ROOT / "README.md").read_text()
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
GRPC = {"GRPC_ENABLE_FORK_SUPPORT", "GRPC_VERBOSITY"}
SET_BY_USERS = {
    "APPDATA",
    "LOCALAPPDATA",
    "PYTHONBREAKPOINT",
    "NO_COLOR",
    "TERM",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
}
SET_BY_OTHERS = {"CC", "PATH", "HOME", "LANG", "TMPDIR", "TZ", "MAKELEVEL", *GRPC, *SET_BY_USERS}
SET_BY_THE_SITE = {"PROMETHEUS_MULTIPROC_DIR"}
READS = re.compile(
    r"""(?:environ(?:ment|)(?:\.get\(|\.setdefault\(|\[)|getenv\(|number\(|add\("--[a-z-]+",)\s*"([A-Z][A-Z_]+)\""""
)


def test_the_bots_of_the_readme_play(tmp_path):
    (block,) = code_blocks("README.md", "python")
    assert len([line for line in block.splitlines() if line]) <= 5
    (tmp_path / "bot.py").write_text(block)
    (play,) = typed_lines("README.md", "stichkampf play")
    (new,) = typed_lines("README.md", "stichkampf new")
    words = [sys.executable, "-m", *command_of(fewer(play, matches=1)).split()]
    words[words.index("random")] = "bot.py"
    subprocess.run([*words[:2], *command_of(new).split()], cwd=tmp_path, capture_output=True, check=True)
    played = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    verified = subprocess.run(
        [*words[:3], "verify", "matches.jsonl"], cwd=tmp_path, capture_output=True, check=False
    )
    assert verified.returncode == 0
    duel = ["duel", "sticheln", "bot.py", "random", "--blocks", "25", "--seed", "readme", "--no-clock"]
    proved = subprocess.run(
        [*words[:3], *duel, "--better-than", "0"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert proved.returncode == 0, proved.stdout


def test_everything_that_the_page_for_authors_names_exists():
    page = "docs/write-a-bot.md"
    named = set(re.findall(r"table\.([a-z_]+)", (ROOT / page).read_text()))
    game = new_game("sticheln", 4, {})
    match = Match(game, seed=bytes(32))
    table = Table(game, seat=0, seed=b"")
    table.follow(match.events(0))
    assert {"hand", "trick", "facts", "clock", "legal", "rng"} <= named
    assert [name for name in named if not hasattr(table, name)] == []
    assert "from stichkampf import Bot, Note" in (ROOT / page).read_text()


def test_every_address_in_the_readme_exists_on_the_site():
    paths = set(re.findall(r"http://127\.0\.0\.1:8000(/[^\s<>`]*)", README))
    assert {"/join/", "/ladders/sticheln/"} <= paths
    for path in paths:
        resolve(path)


def test_every_address_of_the_api_that_a_document_names_exists():
    named = {
        address
        for document in ROOT.glob("docs/*.md")
        for address in re.findall(r"`(?:GET|POST|PATCH|PUT|DELETE) (/api/[^`…?]+)`", document.read_text())
    }
    assert "/api/v1/bots/AUTHOR/BOT/versions/N/challenges/" in named
    assert [address for address in named if not address.startswith("/api/v1/")] == []
    for address in named:
        resolve(re.sub(r"[A-Z]+|<[a-z]+>", "1", address))


def test_every_command_in_the_readme_exists():
    names = set(re.findall(r"stichkampf (games|bots|[a-z]+) ", README)) & {
        "play",
        "verify",
        "rate",
        "games",
        "bots",
    }
    shown = subprocess.run(
        [sys.executable, "-m", "stichkampf", "--help"], capture_output=True, text=True, check=True
    )
    assert all(f"\n    {name} " in shown.stdout for name in names)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_command_that_is_named_exists(document):
    named = re.findall(r"(?:`|^ {4})make ([a-z0-9-]+)", (ROOT / document).read_text(), flags=re.MULTILINE)
    assert set(named) <= TARGETS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_linked_file_exists(document):
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / document).read_text())
    assert [link for link in links if not (ROOT / document).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_that_is_named_exists(document):
    paths = re.findall(
        r"`((?:sdk|arbiter|platform|proto|tests|deploy|docs)/[\w./-]*)`", (ROOT / document).read_text()
    )
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_test_against_a_threat_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (ROOT / "docs/threats.md").read_text())
    assert len(named) > 40
    missing = [
        f"{file}::{test}"
        for file, test in named
        if not re.search(rf"^(async )?def {test}\(", (ROOT / file).read_text(), flags=re.MULTILINE)
    ]
    assert missing == []


def test_every_variable_that_is_read_is_explained():
    explained = (ROOT / "deploy" / "README.md").read_text()
    read = {
        name
        for folder in ("arbiter", "platform", "sdk")
        for path in (ROOT / folder).rglob("*.py")
        for name in READS.findall(path.read_text())
    }
    assert {"DATABASE_URL", "STICHKAMPF_PORT", "STICHKAMPF_ARBITER_TABLES"} <= read
    assert {name for name in read - SET_BY_OTHERS - SET_BY_THE_SITE if f"`{name}`" not in explained} == set()


def test_nothing_is_installed_by_a_name_that_anybody_may_take_in_the_public_index():
    """Look at documents, examples and messages of programs: they name a checkout or a file."""
    places = ("README.md", "docs/", "examples/", "sdk/", "arbiter/", "platform/", "deploy/")
    told = [
        (path, line)
        for path in COMMITTED
        if path.startswith(places) and not path.startswith("docs/decisions/")
        for line in re.findall(r"pip install[^`\n]*", text_of(path))
    ]
    assert len(told) > 15
    by_name = re.compile(r"(?<![\w./-])stichkampf(-server)?(?![\w-]* again)(\[|\s|'|$)")
    assert [each for each in told if by_name.search(each[1]) and "--no-index" not in each[1]] == []
