"""`stichkampf connect` before it has connected: what it refuses, and how it says so."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from stichkampf.cli import main
from stichkampf.cli.remote.connect import load_bot_of
from stichkampf.games import GAMES
from support import wait_until

pytestmark = pytest.mark.machine

BOT = """
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.legal[0]
"""
TWO = BOT + "\nclass Berta(Karl):\n    pass\n"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs `stichkampf connect` beside a bot.py; returns status and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STICHKAMPF_TOKEN", "skr_abc")
    monkeypatch.delenv("STICHKAMPF_SERVER", raising=False)
    # The command lets a bot import the files beside it; no other test shall.
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "bot.py").write_text(BOT)

    def command(*arguments):
        status = main(["connect", *arguments])
        return status, capsys.readouterr().err

    return command


def test_a_program_a_folder_and_a_file_can_be_connected(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "karl").write_text("#!/bin/sh\nwhile read -r question; do echo; done\n")
    (tmp_path / "karl").chmod(0o755)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "bot.py").write_text(TWO)
    program = load_bot_of(str(tmp_path / "karl"), "")
    program.idle.pop().end()
    assert (program.command, program.folder) == (("./karl",), tmp_path)
    assert load_bot_of(str(tmp_path / "project"), "Berta").__name__ == "Berta"
    assert load_bot_of(str(tmp_path / "project" / "bot.py"), "Karl").__name__ == "Karl"


@pytest.mark.parametrize("token", [["--token", "skr_secret"], ["--token=skr_secret"]])
def test_a_token_on_the_command_line_is_refused_and_not_repeated(run, token):
    status, err = run("bot.py", "--server", "127.0.0.1:9", *token)
    assert status == 2
    assert "can read a token on the command line" in err
    assert "--token-file" in err
    assert "skr_secret" not in err


def test_without_token_and_login_the_ways_to_one_are_told(run, monkeypatch):
    monkeypatch.delenv("STICHKAMPF_TOKEN")
    monkeypatch.setenv("STICHKAMPF_CONFIG", "config.toml")
    monkeypatch.delenv("STICHKAMPF_SITE", raising=False)
    assert run("bot.py") == (
        2,
        "stichkampf: no site is known; run `stichkampf login ADDRESS` once, or set STICHKAMPF_SITE; or name a"
        " file with the token of a remote version: --token-file FILE\n",
    )


@pytest.mark.parametrize("option", [["--name", "karl"], ["--game", "mue"], ["--new-version"]])
def test_options_for_a_kept_token_beside_a_given_one_are_refused(run, option):
    status, err = run("bot.py", "--server", "127.0.0.1:9", *option)
    assert status == 2
    assert f"STICHKAMPF_TOKEN holds the token of one version, so {option[0]} has no meaning" in err


def test_a_refusal_of_the_site_is_told_and_nothing_is_kept(serve, run, monkeypatch, tmp_path):
    monkeypatch.delenv("STICHKAMPF_TOKEN")
    me = (200, {}, '{"username": "ann"}')
    server = serve(me, (400, {}, '{"detail": "A person may have at most 20 remote versions."}'))
    assert run("bot.py", "--name", "karl") == (
        1,
        "stichkampf: A person may have at most 20 remote versions.\n",
    )
    assert [(method, path) for method, path, _ in server.asked] == [
        ("GET", "/api/v1/me/"), ("POST", "/api/v1/bots/ann/karl/remote/")
    ]  # fmt: skip
    assert not (tmp_path / "config.toml").exists()
    for wrong, said in ((["--name", "Karl_"], "'Karl_' cannot name a bot"), (["--game", "skat"], "'skat'")):
        status, err = run("bot.py", *wrong)
        assert (status, said in err) == (2, True)
    assert run("bot.py", "--server", "host:5x")[0] == 2


@pytest.mark.parametrize("text", ["two words", "skr_\N{EURO SIGN}", "x" * 201, "a\nb"])
def test_a_text_that_is_no_token_is_refused_and_not_repeated(run, text):
    Path("token").write_text(text, "utf-8")
    status, err = run("bot.py", "--server", "127.0.0.1:9", "--token-file", "token")
    assert status == 2
    assert "the text in token is no token" in err
    assert text not in err


def test_a_token_file_that_is_not_there_is_named(run):
    status, err = run("bot.py", "--server", "127.0.0.1:9", "--token-file", "tokken")
    assert (status, err) == (2, "stichkampf: cannot read the token in tokken: No such file or directory\n")


def test_a_missing_server_is_reported_with_the_ways_to_name_one(run):
    status, err = run("bot.py")
    assert (status, err) == (
        2,
        "stichkampf: say which server: --server HOST:PORT, or STICHKAMPF_SERVER\n",
    )


@pytest.mark.parametrize(
    "address",
    ["host", ":1", "host:", "host:0", "host:99999", "host:5x", "::1:5", "[::1:5", "[host]:5", "ftp://a:5"],
)
def test_a_text_that_is_no_address_is_quoted(run, address):
    status, err = run("bot.py", "--server", address)
    assert status == 2
    assert f"{address!r} is not the address of a server; write HOST:PORT" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["other.py"], "there is no file other.py"),
        (["bot.py", "--class", "Berta"], "bot.py defines no class Berta(Bot)"),
        (
            ["two.py"],
            "two.py defines 2 bots (Karl, Berta); it must be one, or stichkampf.toml names one:"
            ' class = "Berta"',
        ),
        (["whist.py"], f"whist.py plays 'whist', which is no game; there are {', '.join(GAMES)}"),
        (["broken.py"], "broken.py does not load: broken.py, line 1: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_holds_no_usable_bot_is_named(run, arguments, said):
    Path("two.py").write_text(TWO)
    Path("whist.py").write_text(BOT.replace("    def", '    games = ["whist"]\n\n    def'))
    Path("broken.py").write_text("1 / 0\n")
    status, err = run(*arguments, "--server", "127.0.0.1:9")
    assert (status, err) == (2, f"stichkampf: {said}\n")


def test_a_bot_imports_files_of_its_folder_and_an_absent_server_is_reported(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "helper.py").write_text("def first(legal):\n    return legal[0]\n")
    (tmp_path / "folder" / "bot.py").write_text("import helper\n" + BOT)
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, "-m", "stichkampf", "connect", "folder/bot.py", "--server", f"127.0.0.1:{port}"],
            cwd=tmp_path,
            env={"STICHKAMPF_TOKEN": "skr_abc"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        said = process.stdout.readline().decode()
        process.terminate()
        _, err = process.communicate(timeout=120)
    assert f"cannot connect to 127.0.0.1:{port} (UNAVAILABLE: " in said
    assert "trying again" in said
    assert err == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_bot_that_a_script_put_into_the_background_ends_when_it_is_told_to(tmp_path, number):
    (tmp_path / "bot.py").write_text(BOT)
    said = tmp_path / "said"
    said.touch()
    connect = f"{sys.executable} -m stichkampf connect bot.py --server 127.0.0.1:9"
    # without job control, a shell starts this with SIGINT ignored
    script = f"{connect} >said 2>&1 & echo $!; wait $!; echo ended with $?"
    with subprocess.Popen(
        ["sh", "-c", script],
        cwd=tmp_path,
        env={"STICHKAMPF_TOKEN": "skr_abc"},
        stdout=subprocess.PIPE,
        text=True,
    ) as shell:
        pid = int(shell.stdout.readline())
        try:
            wait_until(lambda: "trying again" in said.read_text(), goal="it tries to connect")
        finally:
            os.kill(pid, number)
        out, _ = shell.communicate(timeout=120)
    assert out == "ended with 0\n"
    assert "stopped; tables: 0 finished, 0 open" in said.read_text()
