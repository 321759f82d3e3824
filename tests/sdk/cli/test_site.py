"""A site that is down, no Stichkampf site, older, newer or elsewhere: one clear line each."""

import io
import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from stichkampf import __version__
from stichkampf.cli import main
from stichkampf.cli.server import following
from stichkampf.cli.server import site as client
from stichkampf.cli.server.site import ANSWER_BYTES
from support import archive, free_port

ME = json.dumps({"username": "ann"})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {}, '{"detail": "no"}'), "does not accept this token; make a new one on http://"),
        ((200, {}, "<html>"), "no Stichkampf site is there"),
        ((404, {}, "<html>"), "or one that is older than this command"),
        (
            (200, {}, '{"name": "ann"}'),
            "does not tell 'username': no Stichkampf site is there, or one that speaks",
        ),
        (
            (301, {"Location": "https://elsewhere/api/v1/me/"}, ""),
            "leads to https://elsewhere/api/v1/me/; log in there",
        ),
        (
            (503, {}, '{"detail": "The database is busy."}'),
            "is busy: The database is busy.",
        ),
        (
            (400, {}, '{"detail": "Two\\u001b[31m lines"}'),
            "stichkampf: Two\N{REPLACEMENT CHARACTER}[31m lines",
        ),
        ((500, {}, "oh"), "answered with status 500; try again later"),
    ],
)
def test_an_answer_that_is_no_help_becomes_one_line(serve, capsys, answer, said):
    server = serve(answer)
    assert main(["whoami"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err
    assert "sk_right" not in err
    assert len(server.asked) == (3 if answer[0] == 503 else 1)


def test_a_server_that_does_not_speak_http_is_told_in_one_harmless_line(monkeypatch, capsys):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def answer():
            for _ in range(client.ATTEMPTS):
                caller, _ = server.accept()
                with caller:
                    caller.sendall(b"SSH-2.0\x1b[31m\r\n")
                    caller.recv(65536)

        teller = threading.Thread(target=answer)
        teller.start()
        monkeypatch.setattr(client.time, "sleep", lambda seconds: None)
        monkeypatch.setenv("STICHKAMPF_SITE", f"http://127.0.0.1:{server.getsockname()[1]}")
        monkeypatch.setenv("STICHKAMPF_API_TOKEN", "sk_right")
        assert main(["whoami"]) == 2
        teller.join(10)
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "cannot be reached (SSH-2.0\N{REPLACEMENT CHARACTER}[31m); is the address right" in err


def test_a_site_that_is_away_for_a_moment_is_asked_again_and_a_submission_is_sent_once(
    serve, tmp_path, capsys
):
    server = serve((503, {}, ""), (200, {}, ME))
    assert main(["whoami"]) == 0
    assert capsys.readouterr().out.startswith("ann at http://127.0.0.1:")
    (tmp_path / "karl.py").write_text("from stichkampf import Bot\nclass Karl(Bot): pass\n")
    server.answers, server.asked = [(200, {}, ME), (503, {}, "")], []
    assert main(["submit", str(tmp_path / "karl.py")]) == 2
    assert [(method, path) for method, path, _ in server.asked] == [
        ("GET", "/api/v1/me/"), ("POST", "/api/v1/bots/ann/karl/versions/")
    ]  # fmt: skip


def test_matches_tell_the_seat_of_the_bot_from_one_and_who_else_sat_there(serve, capsys):
    players = [
        {"seat": seat, "bot": bot} for seat, bot in enumerate(["house/thumb", "house/bold", "ann/karl"])
    ]
    match = {"page": "/r/7/", "game": "mue", "version": 2, "seat": 2, "score": 11, "rank": 1, "faults": 0}
    serve((200, {}, ME), (200, {}, json.dumps({"results": [match | {"players": players}], "next": None})))
    assert main(["matches", "karl"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    told = dict(zip(head.split()[:6], row.split()[:6], strict=True))
    assert told == {"version": "v2", "game": "mue", "seat": "3", "rank": "1", "score": "11", "faults": "0"}
    assert "house/thumb house/bold" in row
    assert row.endswith("/r/7/")


@pytest.mark.parametrize("name", ["mü.zip", "Käsekönig.zip", "бот.zip", "手札.zip"])
def test_a_submission_has_the_name_of_its_file_as_it_is_written(serve, tmp_path, name):
    server = serve((200, {}, ME))
    (tmp_path / name).write_bytes(archive("from stichkampf import Bot\n"))
    main(["submit", str(tmp_path / name), "--name", "karl"])
    assert f'filename="{name}"'.encode() in server.bodies[-1]


def test_a_site_that_is_down_and_a_name_that_is_none(serve, monkeypatch, capsys):
    serve((200, {}, ME))
    assert main(["faults", "../me"]) == 2
    told = capsys.readouterr().err
    assert "'../me' is not the name of a bot; write BOT for your own, or AUTHOR/BOT" in told
    monkeypatch.setenv("STICHKAMPF_SITE", f"http://127.0.0.1:{free_port()}")
    assert main(["whoami"]) == 2
    assert "cannot be reached (Connection refused); is the address right" in capsys.readouterr().err


def run_beside(proxies, *words):
    """Run a command in a process of its own, since Python reads these variables when it starts."""
    environment = {**os.environ, **proxies}
    return subprocess.run(
        [sys.executable, "-m", "stichkampf", *words], capture_output=True, text=True, env=environment
    )


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY"])
def test_no_proxy_leads_to_this_machine(serve, name):
    serve((200, {}, ME))
    done = run_beside({name: f"http://127.0.0.1:{free_port()}", "no_proxy": ""}, "whoami")
    assert (done.returncode, done.stderr) == (0, "")


def test_another_machine_is_asked_through_the_proxy_of_the_environment(serve, monkeypatch):
    proxy = serve((200, {}, ME))
    monkeypatch.setenv("STICHKAMPF_SITE", "http://cards.example")
    done = run_beside({"http_proxy": f"http://127.0.0.1:{proxy.server_port}", "no_proxy": ""}, "whoami")
    assert (done.returncode, done.stderr) == (0, "")
    assert proxy.asked == [("GET", "http://cards.example/api/v1/me/", "Bearer sk_right")]


@pytest.mark.parametrize(
    ("proxy", "told"),
    [
        ("http://127.0.0.1:{port}", "through the proxy of http_proxy (Connection refused)"),
        ("http:///secret", "http_proxy names no HTTP proxy; one looks like http://"),
        ("socks5://secret:1080", "http_proxy names no HTTP proxy"),
        ("http://ann:secret@127.0.0.1:99999", "http_proxy names no HTTP proxy"),
        ("secret:eighty", "http_proxy names no HTTP proxy"),
        ("http://[secret", "http_proxy names no HTTP proxy"),
    ],
)
@pytest.mark.parametrize("words", ["whoami", "debug http://cards.example/r/1/ 1 thumb"])
def test_a_proxy_that_is_away_or_none_is_named_without_its_password(serve, monkeypatch, proxy, told, words):
    serve()
    monkeypatch.setenv("STICHKAMPF_SITE", "http://cards.example")
    done = run_beside({"http_proxy": proxy.format(port=free_port()), "no_proxy": ""}, *words.split())
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert told in line
    assert "secret" not in line


def test_a_token_is_kept_only_if_the_site_accepts_it(serve, monkeypatch, tmp_path, capsys):
    server = serve((401, {}, "{}"))
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr("sys.stdin", io.StringIO("sk_wrong\n"))
    assert main(["login", address]) == 2
    assert not (tmp_path / "config.toml").exists()
    server.answers = [(200, {}, ME)]
    monkeypatch.setattr("sys.stdin", io.StringIO("sk_mine\n"))
    assert main(["login", f"{address}/"]) == 0
    assert server.asked[-2] == ("GET", "/api/v1/me/", "Bearer sk_mine")
    for name in ("STICHKAMPF_SITE", "STICHKAMPF_API_TOKEN"):
        monkeypatch.delenv(name)
    assert main(["whoami", "--json"]) == 0
    assert server.asked[-1][2] == "Bearer sk_mine"
    assert "sk_" not in capsys.readouterr().out
    assert (tmp_path / "config.toml").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("theirs", "told"),
    [("99.0.1", True), ("0.0.9", False), (__version__, False), ("\x1b[31m99", True), (None, False)],
)
def test_login_says_when_the_site_has_a_newer_sdk(serve, monkeypatch, capsys, theirs, told):
    server = serve((200, {}, ME), (200, {}, json.dumps({"sdk": theirs} if theirs else {})))
    monkeypatch.setattr("sys.stdin", io.StringIO("sk_mine\n"))
    assert main(["login", f"http://127.0.0.1:{server.server_port}"]) == 0
    said = capsys.readouterr().out
    assert (
        f"newer than this {__version__}: see http://127.0.0.1:{server.server_port}/download/" in said
    ) == told
    assert "\x1b" not in said


def test_records_are_written_whole_or_not_at_all(serve, tmp_path, capsys):
    page = json.dumps({"next": None, "results": [{"table": 7}, {"table": 8}]})
    server = serve((200, {}, ME), (200, {}, page), (200, {}, '{"format": 1}'))
    file = tmp_path / "lost.jsonl"
    assert main(["records", "karl", "--lost", "-o", str(file)]) == 0
    assert file.read_text() == '{"format":1}\n' * 2
    assert "/api/v1/bots/ann/karl/matches/?limit=20&lost=true" in server.asked[1][1]
    server.answers, server.asked = [(200, {}, ME), (200, {}, page), (200, {}, "{}"), (500, {}, "")], []
    assert main(["records", "karl", "-o", str(file)]) == 2
    assert file.read_text() == '{"format":1}\n' * 2
    assert [each.name for each in tmp_path.iterdir()] == ["lost.jsonl"]
    server.answers, server.asked = [(200, {}, ME), (200, {}, page), (200, {}, "{}")], []
    assert main(["records", "karl", "-o", str(tmp_path / "none" / "x.jsonl")]) == 2
    assert "No such file or directory; nothing is written" in capsys.readouterr().err


def test_an_export_is_written_whatever_its_size(serve, tmp_path, capsys):
    line = f'{{"format":1,"text":"{"x" * 1000}"}}\n'
    whole = line * (ANSWER_BYTES // len(line) + 1000)
    serve((200, {}, whole))
    file = tmp_path / "records.jsonl"
    assert main(["organise", "export", "cup", "records.jsonl", "-o", str(file)]) == 0
    assert file.stat().st_size == len(whole) > ANSWER_BYTES
    assert "bytes in" in capsys.readouterr().out


def test_a_submission_is_followed_until_it_is_ranked_on_one_ladder(serve, tmp_path, capsys):
    version = {"bot": "ann/karl", "number": 1, "state": "approved"}
    handed_in = {"id": 7, "version": version, "page": "/submissions/7/"}
    over = {**handed_in, "lines": [], "finished_at": "2026-11-23T20:00:00Z"}

    def ladder(game, to_go):
        rating = {
            "elo": 1500.0, "plus_minus": 80.0, "rank": None if to_go else 3, "provisional": bool(to_go),
        }  # fmt: skip
        return {
            "tournament": f"ladder-{game}", "game": game, "rating": rating, "blocks_to_go": to_go,
            "playing": True, "place": None, "seconds": None, "waits": "",
        }  # fmt: skip

    first, then = [ladder("mue", 2), ladder("njet", 9)], [ladder("mue", 0), ladder("njet", 8)]
    told = [json.dumps(one) for one in (json.loads(ME), handed_in, over, first, over, then, over)]
    server = serve(*((201 if one is told[1] else 200, {}, one) for one in told))
    (tmp_path / "karl.py").write_text("from stichkampf import Bot\nclass Karl(Bot): pass\n")
    assert main(["submit", str(tmp_path / "karl.py"), "--wait"]) == 0
    out = capsys.readouterr().out
    assert "mue: Elo 1500 ±80; rank 3; plays a block" in out
    assert "njet: Elo 1500 ±80; plays a block; 8 blocks to a rank" in out
    assert out.splitlines()[-1].startswith("It plays on at its other games")
    assert len(server.asked) == 7


FOLLOWED = {"bot": "ann/karl", "number": 2, "state": "approved", "reason": ""}
SUSPENDED = {**FOLLOWED, "state": "suspended", "reason": "Of its last 8 matches, 8 had a fault."}
OVER = {"id": 7, "version": FOLLOWED, "page": "/submissions/7/", "lines": [], "finished_at": "2026-11-23"}
LADDER = {
    "tournament": "l", "game": "mue",
    "rating": {"elo": 1500.0, "plus_minus": 80.0, "rank": 3, "provisional": False},
    "blocks_to_go": 0, "playing": False, "place": None, "seconds": None, "waits": "",
}  # fmt: skip


def follow(serve, tmp_path, *answers, words=("--wait",)):
    """Submit with --wait; return the status."""
    told = [(200, {}, ME), (201, {}, json.dumps(OVER))]
    serve(*told, *(one if isinstance(one, tuple) else (200, {}, json.dumps(one)) for one in answers))
    (tmp_path / "karl.py").write_text("from stichkampf import Bot\nclass Karl(Bot): pass\n")
    return main(["submit", str(tmp_path / "karl.py"), *words])


def test_a_version_whose_last_block_is_in_no_rating_yet_is_followed_to_its_rank(serve, tmp_path, capsys):
    before = {**LADDER, "rating": {"elo": 1176.0, "plus_minus": 225.0, "rank": None, "provisional": True}}
    assert follow(serve, tmp_path, OVER, [before], OVER, [LADDER], OVER) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["mue: Elo 1176 ±225", "mue: Elo 1500 ±80; rank 3"]


@pytest.mark.parametrize("ladders", [[], [{**LADDER, "rating": None, "blocks_to_go": 3}]])
def test_a_version_that_is_suspended_while_it_is_followed_is_told(serve, tmp_path, capsys, ladders):
    assert follow(serve, tmp_path, OVER, ladders, {**OVER, "version": SUSPENDED}) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "suspended: Of its last 8 matches, 8 had a fault."
    assert "No ladder" not in out


@pytest.mark.parametrize("state", ["rejected", "suspended", "withdrawn"])
def test_a_version_that_may_not_play_is_told_with_its_reason(serve, tmp_path, capsys, state):
    version = {**FOLLOWED, "state": state, "reason": "for a reason"}
    assert follow(serve, tmp_path, {**OVER, "version": version}) == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"{state}: for a reason"


@pytest.mark.parametrize("status", [502, 503, 504])
def test_following_survives_a_site_that_is_busy_for_a_while(serve, tmp_path, capsys, status):
    busy = [(status, {}, '{"detail": "The database is busy."}')] * 7
    assert follow(serve, tmp_path, *busy, OVER, *busy, [LADDER], *busy, OVER) == 0
    out = capsys.readouterr().out
    assert out.count("is busy: The database is busy.; asking on") == 3
    assert "mue: Elo 1500 ±80; rank 3" in out


def test_following_a_site_that_stays_busy_ends_with_the_time(serve, tmp_path, capsys, monkeypatch):
    moments = iter(range(0, 10_000, 50))
    monkeypatch.setattr(following.time, "monotonic", lambda: float(next(moments)))
    assert follow(serve, tmp_path, (503, {}, "{}"), words=("--wait", "--minutes", "3")) == 2
    assert "is busy: status 503" in capsys.readouterr().err


def test_status_takes_up_the_waiting_again(serve, capsys):
    page = {"next": None, "results": [{"number": 1, "state": "suspended", "submission": 3},
                                      {"number": 2, "state": "approved", "submission": 7}]}  # fmt: skip
    answers = (json.loads(ME), page, OVER, [LADDER], OVER)
    server = serve(*((200, {}, json.dumps(one)) for one in answers))
    assert main(["status", "karl", "--wait"]) == 0
    assert [path for _, path, _ in server.asked][2:4] == [
        "/api/v1/submissions/7/", "/api/v1/bots/ann/karl/versions/2/ladders/"
    ]  # fmt: skip
    assert "mue: Elo 1500 ±80; rank 3" in capsys.readouterr().out
    assert main(["status", "--wait"]) == 2
    assert "--wait follows one bot; name it" in capsys.readouterr().err


def fault_of(table, number, **more):
    return {
        "table": table, "page": f"/r/{table}/{number}", "game": "mue", "version": 2, "seat": 1,
        "forfeited": False, "decision": number, "deal": 0, "move": number - 1, "kind": "crashed", **more,
    }  # fmt: skip


def test_faults_are_a_row_a_match_with_the_last_line_of_the_first(serve, capsys):
    lost = [fault_of(8, number, kind="disconnected", forfeited=True) for number in range(40, 20, -1)]
    rows = [*lost, fault_of(7, 12, kind="timeout"), fault_of(7, 9)]
    trace = "Traceback (most recent call last):\n  File bot.py, line 7\nKeyError: 'trumpp'"
    of_8 = [{**fault, "reasons": []} for fault in lost]
    of_7 = [{**fault_of(7, 9), "reasons": [trace]}, {**fault_of(7, 9, seat=2), "reasons": ["not this seat"]}]
    answers = (json.loads(ME), {"next": None, "results": rows}, of_8, of_7)
    server = serve(*((200, {}, json.dumps(one)) for one in answers))
    assert main(["faults", "karl"]) == 0
    address = f"http://127.0.0.1:{server.server_port}"
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["version", "game", "decision", "faults", "first", "forfeited", "why", "page"],
        ["v2", "mue", "21", "20", "disconnected", "yes", f"{address}/r/8/21"],
        ["v2", "mue", "9", "2", "crashed", "KeyError:", "'trumpp'", f"{address}/r/7/9"],
    ]


def test_faults_as_json_have_one_number_for_a_decision(serve, capsys):
    answers = (
        json.loads(ME),
        {"next": None, "results": [fault_of(7, 9)]},
        [{**fault_of(7, 9), "reasons": ["x"]}],
    )
    serve(*((200, {}, json.dumps(one)) for one in answers))
    assert main(["faults", "karl", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["decision"], told["deal"], told["seat"], told["reason"]) == (9, 0, 1, "x")
    assert told["page"].endswith("/r/7/9")
