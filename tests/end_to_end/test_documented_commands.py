"""The lines of the documents that need a site, typed by real processes against a running platform.

They are typed as they stand there, but for numbers of blocks and matches, which are small, and for what
stands for something of the reader's own: addresses, a folder, a time to come, and the name of a cup, since
other tests have a Friday cup on the same platform.
"""

from __future__ import annotations

import json
import re
import signal
from datetime import UTC, datetime, timedelta

import pytest
from chat_endpoint import chat_endpoint
from documents import ROOT, code_blocks, fewer, lines_programs, typed_lines
from stichkampf_platform.supervisor.installation import SECRETS
from support import wait_until
from terminal import Terminal

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

ANSWERS = (0, 1)
"""The statuses of a command that answers a question, such as whether a version is better."""
INTERRUPTED = 130
SMALL = {"blocks": 1, "matches": 1}
ORGANISED = "/api/v1/organiser/tournaments/"
RANDOM = """
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.rng.choice(table.legal)
"""
BETTER = """
from stichkampf.bots.registry import house_bot

class Karl(house_bot("thumb")):
    pass
"""


@pytest.fixture(scope="module")
def at_home(platform, tmp_path_factory):
    """Open a terminal in an empty folder."""

    def opened(name, stands_for=None, **environment):
        site = platform.installation.address.rstrip("/")
        of_the_site = {
            "http://127.0.0.1:8000": site,
            "https://stichkampf.example": site,
            "127.0.0.1:8001": platform.installation.remote_listen,
        }
        folder = tmp_path_factory.mktemp(name)
        return Terminal(folder, stands_for={**of_the_site, **(stands_for or {})}, **environment)

    return opened


@pytest.fixture(scope="module")
def logged_in(platform, at_home):
    """Open the terminal of a new author, who logs in with the line of the README; yields both."""

    def opened(name, stands_for=None):
        (author,) = platform.authors(name)
        terminal = at_home(name, stands_for, API_TOKEN=author.token)
        (login,) = typed_lines("README.md", "stichkampf login")
        assert f" as {name}." in terminal.type(login, pasted=f"{author.token}\n")
        return author, terminal

    return opened


@pytest.fixture(scope="module")
def played(platform):
    """Play a cup of the installation, in which any bot may play, to its end."""
    (organiser,) = platform.authors("oscar", scope="organiser", superuser=True)

    def play(**settings):
        status, text = organiser.request("POST", ORGANISED, json=settings)
        assert status == 201, text
        slug = json.loads(text)["slug"]
        status, text = organiser.request("POST", f"{ORGANISED}{slug}/start/")
        assert status == 200, text
        wait_until(lambda: platform.is_finished(slug), 300, goal=f"{slug} is over")

    return play


def submitted(platform, terminal, line, name):
    """Type a line that submits a bot and waits for its verdict; return its output.

    Staff approve it where the sandbox asks for that.
    """
    with terminal.start(line, ready=" is handed in: http") as program:
        platform.approve_where_asked(name)
        assert program.wait(600) == 0, program.output
        return program.output


def test_the_way_of_the_readme_to_a_bot_that_has_played(platform, logged_in, played):
    _, ada = logged_in("ada")
    for line in typed_lines("README.md", "stichkampf new", "stichkampf play", "stichkampf check"):
        ada.type(fewer(line, **SMALL))
    (duel,) = typed_lines("README.md", "stichkampf duel")
    assert "Elo" in ada.type(f"{duel} --blocks 1 -o length=deals:1", statuses=ANSWERS)
    (submit,) = typed_lines("README.md", "stichkampf submit")
    assert "Accepted: the bot may play sticheln" in submitted(platform, ada, submit, "ada/first")
    (status,) = typed_lines("README.md", "stichkampf status")
    assert "ada/first v1  approved" in ada.type(status)

    played(
        name="Ada's first match", game="stiche-raten", seats=3, options={"length": "deals:2"},
        blocks_planned=1, entrants=["ada/first v1", "thumb", "random"],
    )  # fmt: skip
    (matches,) = typed_lines("README.md", "stichkampf matches")
    assert ada.type(matches)
    (records,) = typed_lines("README.md", "stichkampf records")
    assert re.fullmatch(r"(\d+) records refereed: \1 right, 0 wrong\n", ada.type(records))
    (connect,) = typed_lines("README.md", "stichkampf connect")
    with ada.start(connect, ready="connected to") as program:
        assert program.stop() == 0, program.output


def test_the_second_bot_of_the_tutorial_is_submitted(platform, logged_in):
    _, terminal = logged_in("bea")
    _, second = code_blocks("docs/second-bot.md", "python")
    (terminal.folder / "second").mkdir()
    (terminal.folder / "second" / "bot.py").write_text(second)
    (submit,) = typed_lines("docs/second-bot.md", "stichkampf submit")
    assert "Accepted: the bot may play stiche-raten." in submitted(platform, terminal, submit, "bea/second")
    (matches,) = typed_lines("docs/second-bot.md", "stichkampf matches")
    assert terminal.type(matches)


@pytest.fixture(scope="module")
def ann(platform, logged_in):
    """The author of four versions of karl, of which the last is the best, with her terminal.

    There are three versions of bob/otto besides.
    """
    platform.approved(RANDOM, ["sticheln", "mue"], *3 * ["ann/karl"], *3 * ["bob/otto"])
    platform.approved(BETTER, ["sticheln", "mue"], "ann/karl")
    return logged_in("ann")


def test_versions_are_challenged_compared_and_put_into_old_seats(ann, played):
    """A block in place of 64, 20 and 200. What ends by itself, after 32 blocks or more, is interrupted."""
    _, terminal = ann
    played(
        name="Past blocks", game="mue", seats=4, options={"length": "deals:4"}, blocks_planned=1,
        entrants=["ann/karl v3", "thumb", "random", "timid"],
    )  # fmt: skip
    waited, begun = typed_lines("docs/experiments.md", "stichkampf challenge")
    assert "ann/karl v4 - house/thumb v" in terminal.type(fewer(waited, **SMALL))
    assert "1 block: http" in terminal.type(f"{begun} --blocks 1")
    until_decided, fixed = typed_lines("docs/experiments.md", "stichkampf compare")
    with terminal.start(until_decided, ready="200 blocks: http") as program:
        assert program.stop(signal.SIGINT) == INTERRUPTED
        (number,) = re.findall(r"/experiments/(\d+)/", program.output)
    listed, followed, ended = typed_lines("docs/experiments.md", "stichkampf experiments")
    assert f"{number}  comparison " in terminal.type(listed)
    assert "ann/karl v4 - ann/karl v3: " in terminal.type(ended.replace("12", number))
    assert "ann/karl v4 - ann/karl v3: " in terminal.type(followed.replace("12", number))
    assert "ann/karl v4 - ann/karl v3: " in terminal.type(fewer(fixed, **SMALL), statuses=ANSWERS)
    (again,) = typed_lines("docs/experiments.md", "stichkampf counterfactual")
    assert "ann/karl v4 - ann/karl v3: " in terminal.type(fewer(again, **SMALL))


@pytest.mark.nightly
def test_a_comparison_goes_on_until_it_is_decided(ann):
    _, terminal = ann
    until_decided, _ = typed_lines("docs/experiments.md", "stichkampf compare")
    assert "ann/karl v4 is better than ann/karl v3" in terminal.type(until_decided)


def test_a_cup_is_made_played_and_exported_by_script(platform, ann, at_home, logged_in):
    """One block in place of 24."""
    deadline = datetime.now(UTC) + timedelta(days=1)
    cup = {"friday-cup": "saturday-cup", "championship": "saturday-cup"}
    (organiser,) = platform.authors("otis", group="Organisers", scope="organiser")
    desk = at_home("otis", {**cup, "2026-12-04T17:00Z": f"{deadline:%Y-%m-%dT%H:%MZ}"})
    (login,) = typed_lines("docs/organisers.md", "stichkampf login")
    desk.type(login, pasted=f"{organiser.token}\n")
    (settings,) = code_blocks("docs/organisers.md", "toml")
    settings = settings.replace("Friday", "Saturday").replace("blocks_planned = 24", "blocks_planned = 1")
    (desk.folder / "cup.toml").write_text(settings)
    for line in typed_lines("docs/organisers.md", "stichkampf organise create", "stichkampf organise open"):
        assert "saturday-cup  draft" in desk.type(line)

    platform.approved(RANDOM, ["sticheln"], "eve/karl")
    _, eve = logged_in("eve", cup)
    entering, leaving = typed_lines("docs/organisers.md", "stichkampf enter", "stichkampf withdraw")
    assert "eve/karl is entered in saturday-cup" in eve.type(entering)
    assert "withdrawn" in eve.type(leaving)
    eve.type(entering)

    start, status, export = typed_lines(
        "docs/organisers.md",
        "stichkampf organise start",
        "stichkampf organise status",
        "stichkampf organise export",
    )
    desk.type(start)
    wait_until(lambda: platform.is_finished("saturday-cup"), 300, goal="the cup is over")
    assert "1 of 1 blocks finished" in desk.type(status)
    for line in typed_lines("README.md", "stichkampf organise"):
        assert "saturday-cup  finished" in desk.type(line)
    desk.type(export)
    assert (desk.folder / "results.csv").read_text().startswith("block,hand,bot,score\n")
    (final,) = typed_lines("docs/organisers.md", "stichkampf organise final")
    wait_until(
        lambda: "saturday-cup-final  draft" in desk.type(final, statuses=ANSWERS),
        goal="the ratings are final",
    )


def test_bots_play_from_home_with_the_lines_of_the_documents(platform, logged_in):
    author, rita = logged_in("rita", {"/AUTHOR/": "/rita/"})
    author.wait_for_remote_bots()
    (login,) = typed_lines("docs/remote-bots.md", "stichkampf login")
    rita.type(login, pasted=f"{author.token}\n")
    plain, patient = code_blocks("docs/remote-bots.md", "python")
    (rita.folder / "bot.py").write_text(plain)
    named, with_token = typed_lines("docs/remote-bots.md", "stichkampf connect")
    with rita.start(named, ready="connected to") as program:
        number = author.api("/api/v1/bots/rita/first/versions/1/")["submission"]
        submission = platform.finished_submission(author, number)
        assert submission["version"]["state"] == "approved", submission["lines"]
        assert program.stop() == 0, program.output

    (ask_for_token,) = typed_lines("docs/remote-bots.md", "curl")
    made = json.loads(rita.type(ask_for_token))
    assert made["submission"]["version"]["games"] == ["sticheln", "stiche-raten"]
    (rita.folder / "bot.py").write_text(patient)
    (rita.folder / "token").write_text(made["token"])
    (rita.folder / "token").chmod(0o600)
    with rita.start(with_token, ready="connected to") as program:
        assert program.stop() == 0, program.output


def test_programs_and_language_models_play_from_home(logged_in):
    with chat_endpoint() as (endpoint, address):
        author, rolf = logged_in("rolf", {"http://127.0.0.1:8080/v1": address})
        author.wait_for_remote_bots()
        (rolf.folder / "karl.pl").write_text(lines_programs()["karl.pl"])
        (rolf.folder / "karl.pl").chmod(0o755)
        (program_line,) = typed_lines("docs/json-lines.md", "stichkampf connect")
        (model_line,) = typed_lines("docs/language-models.md", "stichkampf connect")
        for line in (program_line, model_line):
            with rolf.start(line, ready="connected to") as program:
                assert program.stop() == 0, program.output
        assert endpoint.asked


@pytest.mark.parametrize("language", ["cpp", "javascript"])
def test_the_example_of_a_bot_in_another_language_is_checked_and_submitted(platform, logged_in, language):
    _, author = logged_in(f"author-in-{language}")
    (author.folder / "build").symlink_to(ROOT / "examples" / language / "build")
    lines = {
        "cpp": typed_lines("examples/cpp/README.md", "stichkampf check", "stichkampf submit"),
        "javascript": typed_lines("examples/javascript/README.md", "stichkampf check", "stichkampf submit"),
    }
    check, submit = lines[language]
    assert "Accepted for sticheln" in author.type(check)
    told = submitted(platform, author, submit, f"author-in-{language}/karl")
    assert "Accepted: the bot may play sticheln" in told


def test_a_trained_bot_is_submitted_from_its_folder(platform, logged_in):
    _, nora = logged_in("nora")
    (new,) = typed_lines("examples/net/README.md", "stichkampf new")
    nora.type(new)
    (submit,) = typed_lines("examples/net/README.md", "stichkampf submit")
    told = submitted(platform, nora.in_folder("imitator"), submit, "nora/imitator")
    assert "Accepted: the bot may play sixes-and-sevens." in told


def test_an_operator_looks_saves_drains_and_upgrades(platform, at_home):
    environment = platform.installation.environment(secrets=SECRETS)
    kept = {name: value for name, value in environment.items() if name not in ("PATH", "HOME")}
    server = at_home("server", {"/var/backups": "."}, **kept)
    for line in typed_lines("docs/operators.md", "python -m stichkampf_platform doctor"):
        wait_until(  # the first sweep of a platform that has just started may be to come
            lambda line=line: "BAD" not in server.type(line, statuses=ANSWERS), goal="the doctor is content"
        )
    for line in typed_lines("docs/operators.md", "python -m stichkampf_platform backup"):
        server.type(line)
    (backup,) = server.folder.glob("stichkampf-*.tar")
    assert backup.stat().st_mode & 0o077 == 0
    drain, drain_no_more = typed_lines("docs/operators.md", "python -m stichkampf_platform drain")
    assert "Nothing runs: the programs can be stopped." in server.type(drain)
    assert "begin again" in server.type(drain_no_more)
    for line in typed_lines("docs/operators.md", "python -m stichkampf_platform upgrade"):
        assert "restart the programs" in server.type(line)
