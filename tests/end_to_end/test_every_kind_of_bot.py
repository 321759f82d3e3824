"""Bots of every kind play a rated block together: JavaScript, C++, JSON lines, a net and a language model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from chat_endpoint import chat_endpoint
from documents import lines_programs
from stichkampf.cli.project import net_files
from stichkampf.lab.batch.untrained import untrained_net
from stichkampf.match.verify import verify
from stichkampf.packaging.archive import pack
from support import Program, archive, wait_until

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

EXAMPLES = Path(__file__).parents[2] / "examples"
GAME, SEATS = "sticheln", 3
"""A game of which no ladder runs on this platform, which would draw these bots too."""
LINES = 'name = "Karl"\nlanguage = "sh"\nprotocol = "lines"\ncommand = ["./karl.sh"]\n'
NET = 'name = "Karl"\nweight = "net"\n'


def archives():
    """Make the archive of each hosted kind, by the name of its bot."""
    return {
        "in-javascript": pack(EXAMPLES / "javascript" / "build"),
        "in-cpp": pack(EXAMPLES / "cpp" / "build" / "static"),
        "by-lines": archive({"karl.sh": lines_programs()["karl.sh"], "stichkampf.toml": LINES}),
        "by-net": archive(
            {
                "bot.py": net_files.BOT.format(name="Karl", class_name="Karl", game=GAME, seats=SEATS),
                "net.onnx": untrained_net(GAME, SEATS),
                "stichkampf.toml": NET,
            }
        ),
    }


@pytest.fixture(scope="module")
def hosted(platform):
    """Submit a bot of each hosted kind, by an author of its own; yields their names, all accepted."""
    handed_in = {}
    kinds = archives()
    authors = platform.authors(*(f"author-of-{name}" for name in kinds))
    for author, (name, content) in zip(authors, kinds.items(), strict=True):
        status, submission = author.submit(name, content, games=[GAME])
        assert status == 201, submission
        handed_in[name] = author, submission["id"]
    platform.approve_where_asked(*handed_in)
    for author, number in handed_in.values():
        submission = platform.finished_submission(author, number)
        assert submission["version"]["state"] == "approved", submission["lines"]
    return list(handed_in)


@pytest.fixture(scope="module")
def language_model(platform, tmp_path_factory):
    """Log in and connect a language model, which makes its own token; yields its name and its endpoint."""
    folder = tmp_path_factory.mktemp("model")
    (author,) = platform.authors("author-of-parrot")
    command = [sys.executable, "-m", "stichkampf"]
    environment = {**os.environ, "STICHKAMPF_CONFIG": str(folder / "config.toml")}
    login = [*command, "login", platform.installation.address]
    subprocess.run(login, input=author.token, env=environment, text=True, check=True, capture_output=True)
    with chat_endpoint() as (endpoint, address):
        connect = [*command, "connect", "--llm", address, "--model", "parrot", "--game", GAME]
        with Program(connect, folder / "log", ready="connected to", environment=environment):
            version = author.api(f"{author.own_bot('parrot')}versions/1/")
            submission = platform.finished_submission(author, version["submission"])
            assert submission["version"]["state"] == "approved", submission["lines"]
            yield "parrot", endpoint


def test_bots_of_every_kind_play_a_rated_block_without_a_fault(platform, hosted, language_model):
    model, endpoint = language_model
    asked = len(endpoint.asked)
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="Every kind", slug="every-kind", game=GAME, seats=SEATS,
        options='{"edition": "short", "length": "deals:1"}', blocks_planned=1, bots=[*hosted, model, "thumb"],
    )  # fmt: skip
    wait_until(lambda: platform.is_finished("every-kind"), 300, goal="the block is played")
    tables = admin.api("/api/v1/tournaments/every-kind/tables/?limit=100")["results"]
    seated = [seat["bot"].rpartition("/")[2] for table in tables for seat in table["results"]]
    assert sorted(seated) == sorted([*hosted, model, "thumb"])
    for table in tables:
        record = admin.api(f"/api/v1/tables/{table['id']}/record/")
        assert record["faults"] == []
        verify(record)
    assert len(endpoint.asked) > asked

    def rated(name):
        return [
            row["blocks"] for row in admin.api(f"/api/v1/bots/author-of-{name}/{name}/ratings/")["results"]
        ]

    for name in [*hosted, model]:
        assert wait_until(lambda name=name: rated(name), goal=f"{name} is rated") == [1]
