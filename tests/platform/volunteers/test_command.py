"""The command of volunteers as a program of its own, against the real API over HTTP."""

from __future__ import annotations

import signal

import pytest
import support
from documents import typed_lines
from stichkampf.cli import main
from stichkampf_platform.core import clock
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import MatchRecord, Result, Table
from stichkampf_platform.volunteers.checking import check_next
from stichkampf_platform.volunteers.models import VolunteerAnswer, VolunteerNode
from terminal import Terminal

pytestmark = [pytest.mark.machine, pytest.mark.database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def volunteering(live_server, tmp_path, volunteers_token):
    """Start the command for a person, as in a folder where Stichkampf was never used."""

    def start(name, *words):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "token").write_text(volunteers_token(name))
        terminal = Terminal(folder, stands_for={"https://play.example.org": live_server.url})
        (line,) = typed_lines("docs/volunteers.md", "stichkampf volunteer")
        return terminal.start(" ".join([line, *words]))

    return start


@pytest.fixture
def in_process(live_server, tmp_path, monkeypatch, capsys):
    """Run the command here with a file that holds a token; returns its status and what it wrote."""
    monkeypatch.chdir(tmp_path)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def run(file):
        status = main(["volunteer", live_server.url, "--token-file", file])
        return status, "".join(reversed(capsys.readouterr()))

    yield run
    for number, handler in before.items():
        signal.signal(number, handler)


def test_two_machines_play_four_blocks_with_one_command_each(volunteering, running):
    running("thumb", "random", "glimpse", blocks=4)
    with volunteering("vera", "--blocks", "2") as vera, volunteering("otto", "--blocks", "2") as otto:
        assert (vera.wait(), otto.wait()) == (0, 0), vera.output + otto.output
    assert "stiche-raten: 3 matches played and sent" in vera.output
    assert "stopped; 2 blocks sent" in otto.output
    assert not Result.objects.exists()
    while check_next():
        pass
    assert (Result.objects.count(), MatchRecord.objects.count()) == (36, 12)
    assert [node.blocks for node in VolunteerNode.objects.all()] == [2, 2]


def test_a_block_of_a_machine_that_was_killed_or_interrupted_is_played_by_a_node(volunteering, running, land):
    running("flat", "gambler", "worrier", blocks=2, options={"length": "deals:100"})

    def begun(number):
        held = Table.objects.filter(lease_owner__startswith=leases.VOLUNTEER)
        return held.values("block").distinct().count() == number

    with volunteering("vera") as vera:
        vera.wait_for(lambda: begun(1))
        vera.process.send_signal(signal.SIGSTOP)  # so that its block is not over before the other has begun
        with volunteering("otto") as otto:
            otto.wait_for("stiche-raten: a block of 3 matches")
            assert begun(2)
            assert otto.stop(signal.SIGINT) == 0
        assert "stopped; 0 blocks sent" in otto.output
        assert begun(1), "given back at once"
        vera.kill()
    assert begun(1), "as long as its lease"
    Table.objects.exclude(lease_owner="").update(lease_until=clock.now())
    support.wait_until(lambda: all_played(land), goal="both blocks played by a node")
    assert (Result.objects.count(), VolunteerAnswer.objects.count()) == (18, 0)


def all_played(land):
    for block in {table.block_id for table in Table.objects.filter(state=Table.State.PENDING)}:
        for table in leases.take(block_id=block, owner="w1"):
            assert land(table)
    return not Table.objects.filter(state=Table.State.PENDING).exists()


def test_bad_input_is_one_clear_line(in_process, tmp_path, volunteers_token):
    (tmp_path / "token").write_text(volunteers_token())
    (tmp_path / "words").write_text("a token of mine")
    (tmp_path / "other").write_text("sk_of_another_site")
    status, told = in_process("missing")
    assert (status, "cannot read the token in missing" in told, told.count("\n")) == (
        2,
        True,
        1,
    )
    status, told = in_process("words")
    assert (status, "the text in words is no token" in told, len(told.splitlines())) == (2, True, 1)
    status, told = in_process("other")
    assert (status, "does not accept this token" in told) == (2, True)
    VolunteerNode.objects.create(token=ApiToken.objects.get(), seen_at=clock.now(), stopped_at=clock.now())
    status, told = in_process("token")
    assert (status, "refused: A machine of yours sent wrong records" in told) == (1, True)
