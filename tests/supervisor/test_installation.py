"""Checks and messages of `make up` before it starts any program."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.output import CannotStart


def an_installation(tmp_path, **environment) -> Installation:
    return Installation.from_environment({"STICHKAMPF_VAR": str(tmp_path), **environment}, checkout())


@pytest.fixture
def deep_installation(tmp_path):
    """A installation so deep that its sockets lie elsewhere."""
    installation = an_installation(tmp_path / ("deep" * 20) / ("deeper" * 10))
    yield installation
    installation.leave()


@pytest.fixture
def open_folder():
    """A folder that everybody may enter, as those above a checkout often are."""
    with tempfile.TemporaryDirectory(prefix="sk-open-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_it_listens_on_loopback_unless_told_otherwise(tmp_path):
    assert an_installation(tmp_path).address == "http://127.0.0.1:8000/"
    assert (
        an_installation(tmp_path, STICHKAMPF_HOST="0.0.0.0", STICHKAMPF_PORT="9000").address
        == "http://127.0.0.1:9000/"
    )
    assert an_installation(tmp_path, STICHKAMPF_HOST="::1").address == "http://[::1]:8000/"


def test_a_site_on_all_addresses_answers_to_all_names_unless_they_are_given(tmp_path, monkeypatch):
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    assert "*" not in an_installation(tmp_path).environment(secrets=True)["ALLOWED_HOSTS"]
    open_place = an_installation(tmp_path, STICHKAMPF_HOST="0.0.0.0")
    assert "*" in open_place.environment(secrets=True)["ALLOWED_HOSTS"]
    monkeypatch.setenv("ALLOWED_HOSTS", "cards.example")
    assert open_place.environment(secrets=True)["ALLOWED_HOSTS"] == "cards.example"


@pytest.mark.parametrize("port", ["", "http", "0", "65536", "-1", "\uff18\uff10"])
def test_a_port_that_is_none_is_refused_with_what_was_given(tmp_path, port):
    with pytest.raises(CannotStart, match=f"STICHKAMPF_PORT is '{port}'.*from 1 to 65535"):
        an_installation(tmp_path, STICHKAMPF_PORT=port)


@pytest.mark.parametrize("uid", ["0", "root", ""])
def test_services_never_run_as_root(tmp_path, uid):
    with pytest.raises(CannotStart, match="a user that is not root"):
        an_installation(tmp_path, STICHKAMPF_UID=uid)


def test_a_taken_port_is_refused_with_the_way_to_choose_another(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        installation = an_installation(tmp_path, STICHKAMPF_PORT=str(taken.getsockname()[1]))
        with pytest.raises(
            CannotStart, match=r"taken by another program: stop it.*STICHKAMPF_PORT=\d+ make up"
        ):
            installation.check_port()


def test_a_host_that_is_not_here_is_refused(tmp_path):
    with pytest.raises(CannotStart, match=r"198\.51\.100\.1"):
        an_installation(tmp_path, STICHKAMPF_HOST="198.51.100.1").check_port()


def test_two_at_once_in_one_checkout_are_refused(tmp_path):
    installation = an_installation(tmp_path)
    words = rf"up already \(process {os.getpid()}, http://127\.0\.0\.1:8000/\)"
    with installation.lock(), pytest.raises(CannotStart, match=words):
        installation.lock()
    installation.lock().close()


def test_sockets_of_a_deep_folder_lie_where_their_paths_are_short(deep_installation):
    assert len(os.fsencode(deep_installation.redis_socket)) <= 107
    assert deep_installation.sockets != an_installation(deep_installation.var / "other").sockets
    assert an_installation(Path("/srv/cards")).sockets == Path("/srv/cards/run")


def test_what_lies_outside_the_deep_folder_is_taken_away_once_nothing_runs(deep_installation):
    deep_installation.prepare_folders()
    (deep_installation.sockets / "arbiter.sock.lock").touch()
    with deep_installation.lock():
        deep_installation.leave()
        assert deep_installation.sockets.is_dir()
    deep_installation.leave()
    assert not deep_installation.sockets.exists()
    deep_installation.leave()


def test_folders_of_services_are_private_and_logs_stay_the_supervisors(deep_installation):
    installation = deep_installation
    installation.prepare_folders()
    owner = os.getuid() if installation.uid is None else installation.uid
    assert [
        (folder.stat().st_uid, folder.stat().st_mode & 0o777)
        for folder in (installation.state, installation.sockets)
    ] == [(owner, 0o700)] * 2
    assert installation.logs.stat().st_uid == os.getuid()
    installation.prepare_folders()


def test_folders_that_were_open_are_closed(tmp_path):
    for name in ("log", "state", "run"):
        (tmp_path / name).mkdir(mode=0o755)
    installation = an_installation(tmp_path)
    installation.prepare_folders()
    assert {
        folder.stat().st_mode & 0o777
        for folder in (installation.logs, installation.state, installation.sockets)
    } == {0o700}


def test_a_log_can_be_read_by_its_owner_alone(deep_installation):
    deep_installation.prepare_folders()
    (deep_installation.logs / "site.log").write_text("of an older version\n")
    (deep_installation.logs / "site.log").chmod(0o644)
    with deep_installation.open_log("site") as log:
        log.write(b"and of this one\n")
    kept = deep_installation.logs / "site.log"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_text() == "of an older version\nand of this one\n"


def test_root_gives_each_installation_a_uid_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    uids = [an_installation(tmp_path / name).uid for name in ("one", "two", "one")]
    assert uids[0] == uids[2] != uids[1]
    assert an_installation(tmp_path, STICHKAMPF_UID="61042").uid == 61042
    monkeypatch.setattr(Path, "read_text", lambda _: "         0     100000      65536\n")
    assert an_installation(tmp_path / "one").uid == 61042


def test_no_installation_reads_what_another_keeps(open_folder):
    """As its services would: with the uid that root gives them, else as the same user."""
    ours, theirs = an_installation(open_folder / "ours"), an_installation(open_folder / "theirs")
    for installation in (ours, theirs):
        installation.prepare_folders()
    (theirs.state / "secret-key").write_text("kept close")
    with theirs.open_log("site") as log:
        log.write(b"kept close")
    for kept in (theirs.state / "secret-key", theirs.logs / "site.log"):
        with launch(ours, ["cat", str(kept)], subprocess.PIPE) as cat:
            said, _ = cat.communicate()
        assert (b"kept close" in said) == (os.geteuid() != 0)


def test_what_ran_as_a_uid_shared_with_others_gets_one_of_its_own(tmp_path):
    owner = 61042 if os.geteuid() == 0 else os.geteuid()
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "secret-key").write_text("secret")
    for path in (tmp_path / "state", tmp_path / "state" / "secret-key"):
        os.chown(path, owner, -1)
    installation = an_installation(tmp_path)
    installation.prepare_folders()
    expected = owner if installation.uid is None else installation.uid
    assert {path.stat().st_uid for path in (installation.state, installation.state / "secret-key")} == {
        expected
    }


def test_a_full_disk_is_named(deep_installation, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=10_000_000))
    with pytest.raises(CannotStart, match=r"the disk of .*state is full: free 200 MB"):
        deep_installation.prepare_folders()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "var").write_text("a file in the way")
    with pytest.raises(CannotStart, match=r"cannot write to .*var"):
        an_installation(tmp_path / "var").prepare_folders()


def test_remote_bots_dial_in_on_loopback_beside_the_site_or_at_a_free_port(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        other = an_installation(tmp_path, STICHKAMPF_PORT=str(port - 1)).remote_listen
        assert other.startswith("127.0.0.1:")
        assert other != f"127.0.0.1:{port}"
    assert an_installation(tmp_path, STICHKAMPF_PORT=str(port - 1)).remote_listen == f"127.0.0.1:{port}"
    assert an_installation(tmp_path, STICHKAMPF_PORT="65535").remote_listen.startswith("127.0.0.1:")


def test_where_remote_bots_dial_in_is_as_set_and_told_to_the_arbiter(tmp_path, monkeypatch):
    monkeypatch.setenv("STICHKAMPF_ARBITER_REMOTE_ADDRESS", "bots.example:443")
    installation = an_installation(tmp_path, STICHKAMPF_ARBITER_REMOTE_LISTEN="0.0.0.0:7100")
    told = installation.environment(secrets=False)
    assert told["STICHKAMPF_ARBITER_REMOTE_LISTEN"] == "0.0.0.0:7100"
    assert told["STICHKAMPF_ARBITER_REMOTE_ADDRESS"] == "bots.example:443"
