"""A match on an author's machine is the match that the server plays, with the sandbox and without it."""

import json
import os
import sys
import tempfile

import pytest
from stichkampf.bots.practice import seeds_from
from stichkampf.bots.registry import house_bot
from stichkampf.cli import main
from stichkampf.errors import installing
from stichkampf.sandboxed.private_arbiter import FOLDER_BYTES
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2
from support import archive

GAME, SEED, SECONDS = "stiche-raten", "a", 0.25
GOOD = """
from stichkampf import Bot, Note

class Karl(Bot):
    def choose(self, table):
        print("a line of mine")
        word = table.rng.choice(table.legal)
        return word, Note(f"decision {len(table.history)}", {word: 1.0})
"""
CRASHES = GOOD.replace('print("a line of mine")', 'table.facts["trumpp"]')
HANGS = GOOD.replace('print("a line of mine")', "while True: pass")
OF_THE_RUN = {"costs", "wall_times", "sandbox", "stichkampf"}
"""Fields of a record that tell how a match was run, not what was played."""


def played(record):
    """Leave out the times, and what stands for the place where a match was played."""
    return {key: value for key, value in record.items() if key not in OF_THE_RUN}


@pytest.fixture
def play(tmp_path, monkeypatch, capfd):
    """Runs `stichkampf play` with bots in files; returns its record, exit status and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def command(bots, *options):
        names = []
        for name, source in bots.items():
            (tmp_path / f"{name}.py").write_text(source)
            names.append(f"{name}.py")
        clock = f"{SECONDS},0,{SECONDS}"
        words = [GAME, *names, "thumb", "random"][:4]
        arguments = ["play", *words, "-o", "length=deals:2", "--seed", SEED, "--clock", clock, *options]
        (tmp_path / "records").unlink(missing_ok=True)
        status = main([*arguments, "--records", "records"])
        return json.loads((tmp_path / "records").read_text()), status, capfd.readouterr().err

    return command


def on_the_server(arbiter, bots):
    """Play the same match on an arbiter that runs already, as the platform has it played."""
    seats = [
        pb.Seat(bot=f"{name}.py", archive_sha256=arbiter.upload(archive(source)))
        for name, source in bots.items()
    ]
    for name in ("thumb", "random")[: 3 - len(seats)]:
        seats.append(pb.Seat(bot=f"house/{name}", version=house_bot(name).version, house=name))
    request = pb.StartMatchRequest(
        idempotency_key=f"local-{'-'.join(bots)}",
        game=GAME,
        seats=seats,
        seed=next(seeds_from(SEED)),
        options_json='{"length": "deals:2"}',
        lane="0",
        time_control=bot_pb2.TimeControl(move_seconds=SECONDS, bank_seconds=0, cap_seconds=SECONDS),
        fault_allowance=2,
        substitute_version=house_bot("thumb").version,
    )
    arbiter.stub.StartMatch(request)
    record, reports = arbiter.finished(request.idempotency_key)
    for seat in record["seats"]:
        if not seat["version"]:
            del seat["version"]
    return record, reports


def test_the_same_seed_gives_the_records_of_the_server_but_for_times(arbiter, play):
    bots = {"mine": GOOD}
    record, _ = on_the_server(arbiter, bots)
    for options in ([], ["--sandbox"]):
        local, status, told = play(bots, *options)
        assert (played(local), status) == (played(record), 0)
        assert "a line of mine" in told


def test_bots_that_crash_hang_and_print_get_at_home_what_the_server_gives_them(arbiter, play):
    bots = {"crashes": CRASHES, "hangs": HANGS, "prints": GOOD}
    record, reports = on_the_server(arbiter, bots)
    kinds = {fault["seat"]: fault["kind"] for fault in record["faults"]}
    assert kinds == {0: "crashed", 1: "timeout"}
    for options in ([], ["--sandbox"]):
        local, status, told = play(bots, *options)
        assert (played(local), status) == (played(record), 1)
        assert reports[0].complaints[0].partition(", ")[2] in told
        assert told.count("Traceback (most recent call last):") == 1
        assert "hangs.py: 3 times timeout" in told
        assert "To stop at that decision: stichkampf debug " in told


def test_a_machine_without_the_sandbox_says_in_a_line_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr("stichkampf.sandboxed.private_arbiter.PROGRAM", "no_arbiter_here")
    assert main(["play", GAME, "thumb", "thumb", "random", "--sandbox"]) == 2
    said = f"stichkampf: there is no sandbox here: {installing('sandbox')}\n"
    assert capsys.readouterr() == ("", said)
    assert main(["play", GAME, "thumb", "thumb", "random", "--sandbox", "--no-clock"]) == 2
    assert "give one of them" in capsys.readouterr().err


@pytest.fixture(params=[FOLDER_BYTES, FOLDER_BYTES + 1, 81, 250])
def long_folder(request):
    """A folder whose path has so many bytes."""
    prefix = "".ljust(request.param - len("/tmp/" + 8 * "x"), "y")
    with tempfile.TemporaryDirectory(dir="/tmp", prefix=prefix) as folder:
        assert len(folder) == request.param
        os.chmod(folder, 0o755)
        yield folder


def test_a_folder_for_temporary_files_may_have_any_name(long_folder, play, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", long_folder)
    monkeypatch.setenv("TMPDIR", long_folder)
    record, status, told = play({"prints": GOOD}, "--sandbox")
    assert (record["faults"], status) == ([], 0), told


def test_without_any_short_folder_a_line_says_so_before_anything_starts(monkeypatch, capsys):
    monkeypatch.setattr("stichkampf.sandboxed.private_arbiter.SHORT_FOLDERS", ("/nowhere",))
    monkeypatch.setattr(tempfile, "tempdir", "/tmp/" + 100 * "y")
    assert main(["play", GAME, "thumb", "thumb", "random", "--sandbox"]) == 2
    assert "too long for sockets; name a shorter one with TMPDIR" in capsys.readouterr().err
