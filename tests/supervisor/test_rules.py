"""Matches wait for the compiled rules, which `make up` compiles while the site runs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from stichkampf_platform.supervisor import compiled_rules, process_manager
from stichkampf_platform.supervisor.__main__ import compile_rules
from stichkampf_platform.supervisor.installation import Installation
from stichkampf_platform.supervisor.process_manager import ProcessManager
from stichkampf_platform.supervisor.services import Service

COMPILES = "test $1 = --rules && touch sdk/a__mypyc.so"
FAILS = "echo 'setup: compiling the rules failed: there is no C compiler' >&2; exit 1"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """An installation in a checkout of its own, whose set-up the test writes."""
    monkeypatch.delenv("STICHKAMPF_COMPILE", raising=False)
    for folder in ("deploy", "sdk", "var"):
        (tmp_path / folder).mkdir()
    installation = Installation(
        root=tmp_path,
        var=tmp_path / "var",
        host="127.0.0.1",
        port=8000,
        uid=None,
        redis_url=None,
        remote_listen="",
    )
    installation.prepare_folders()
    yield installation
    installation.leave()


def test_rules_are_awaited_until_they_are_compiled(checkout, capfd):
    (checkout.root / "deploy/setup.sh").write_text(COMPILES)
    assert compiled_rules.are_awaited(checkout)
    with ProcessManager(checkout) as manager:
        assert compile_rules(manager)
    assert not compiled_rules.are_awaited(checkout)
    assert re.search(r"the rules are compiled, after \d+ s: matches begin", capfd.readouterr().out)


def test_without_compiled_rules_no_match_is_played_and_a_line_says_why(checkout, capfd):
    (checkout.root / "deploy/setup.sh").write_text(FAILS)
    with ProcessManager(checkout) as manager:
        assert not compile_rules(manager)
    assert capfd.readouterr().out == (
        "no match is played: compiling the rules failed: there is no C compiler;"
        " STICHKAMPF_COMPILE=0 make up plays on interpreted rules\n"
    )


def test_how_long_the_compilation_has_taken_is_told_meanwhile(checkout, capfd, monkeypatch):
    monkeypatch.setattr(process_manager, "NEWS_SECONDS", 0.2)
    (checkout.root / "deploy/setup.sh").write_text(f"sleep 1; {COMPILES}")
    with ProcessManager(checkout) as manager:
        assert compile_rules(manager)
    *meanwhile, last = capfd.readouterr().out.splitlines()
    assert len(meanwhile) >= 2
    assert all(re.fullmatch(r"  the rules are being compiled: \d s so far", line) for line in meanwhile)
    assert "are compiled" in last


def test_interpreted_rules_that_were_asked_for_are_played_on(checkout, monkeypatch):
    monkeypatch.setenv("STICHKAMPF_COMPILE", "0")
    assert not compiled_rules.are_awaited(checkout)


def test_a_compilation_ends_with_the_supervisor(checkout):
    (checkout.root / "deploy/setup.sh").write_text("sleep 600")
    with compiled_rules.compilation(checkout) as process:
        pass
    assert process.returncode is not None


def test_services_are_restarted_while_another_process_is_awaited(checkout):
    starts = checkout.var / "starts"
    program = f"import os, time; open({str(starts)!r}, 'a').write('.'); time.sleep(600)"
    service = Service(name="sleeper", command=[sys.executable, "-c", program], ready=starts.exists)
    awaits = (
        f"import pathlib, time\nwhile pathlib.Path({str(starts)!r}).read_text() != '..': time.sleep(0.01)"
    )
    with ProcessManager(checkout) as manager:
        manager.start([service])
        manager.running[0].process.kill()
        with subprocess.Popen([sys.executable, "-c", awaits]) as other:
            manager.watch(until=other)
            assert other.returncode == 0
    assert starts.read_text() == ".."
