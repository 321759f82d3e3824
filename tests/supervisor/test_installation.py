"""Checks of `make up` on the installation, before it starts anything."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from stichkampf_platform.supervisor.installation import SECRETS, Installation, checkout
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.output import CannotStart


def an_installation(tmp_path, **environment) -> Installation:
    return Installation.from_environment({"STICHKAMPF_VAR": str(tmp_path), **environment}, checkout())


@pytest.fixture
def deep_installation(tmp_path):
    """An installation in a folder so deep that its sockets lie elsewhere."""
    installation = an_installation(tmp_path / ("deep" * 20) / ("deeper" * 10))
    yield installation
    installation.leave()


@pytest.fixture
def open_folder():
    """A folder that everybody may enter, as those above a checkout often are."""
    with tempfile.TemporaryDirectory(prefix="sk-open-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_the_site_listens_on_loopback_by_default(tmp_path):
    assert an_installation(tmp_path).address == "http://127.0.0.1:8000/"
    assert (
        an_installation(tmp_path, STICHKAMPF_HOST="0.0.0.0", STICHKAMPF_PORT="9000").address
        == "http://127.0.0.1:9000/"
    )
    assert an_installation(tmp_path, STICHKAMPF_HOST="::1").address == "http://[::1]:8000/"


def test_a_site_on_all_addresses_answers_to_all_names_by_default(tmp_path, monkeypatch):
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    assert "*" not in an_installation(tmp_path).environment(secrets=SECRETS)["ALLOWED_HOSTS"]
    open_place = an_installation(tmp_path, STICHKAMPF_HOST="0.0.0.0")
    assert "*" in open_place.environment(secrets=SECRETS)["ALLOWED_HOSTS"]
    monkeypatch.setenv("ALLOWED_HOSTS", "cards.example")
    assert open_place.environment(secrets=SECRETS)["ALLOWED_HOSTS"] == "cards.example"


@pytest.mark.parametrize("port", ["", "http", "0", "65536", "-1", "\uff18\uff10"])
def test_a_wrong_port_is_refused_and_quoted(tmp_path, port):
    with pytest.raises(CannotStart, match=f"STICHKAMPF_PORT is '{port}'.*from 1 to 65535"):
        an_installation(tmp_path, STICHKAMPF_PORT=port)


@pytest.mark.parametrize("uid", ["0", "root", ""])
def test_services_never_run_as_root(tmp_path, uid):
    with pytest.raises(CannotStart, match="a user that is not root"):
        an_installation(tmp_path, STICHKAMPF_UID=uid)


def test_a_taken_port_is_refused_with_the_command_for_another(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        installation = an_installation(tmp_path, STICHKAMPF_PORT=str(taken.getsockname()[1]))
        with pytest.raises(
            CannotStart, match=r"taken by another program: stop it.*STICHKAMPF_PORT=\d+ make up"
        ):
            installation.check_port()


def test_a_host_of_another_machine_is_refused(tmp_path):
    with pytest.raises(CannotStart, match=r"198\.51\.100\.1"):
        an_installation(tmp_path, STICHKAMPF_HOST="198.51.100.1").check_port()


def test_a_second_start_in_one_checkout_is_refused(tmp_path):
    installation = an_installation(tmp_path)
    words = rf"up already \(process {os.getpid()}, http://127\.0\.0\.1:8000/\)"
    with installation.lock(), pytest.raises(CannotStart, match=words):
        installation.lock()
    installation.lock().close()


def test_sockets_of_a_deep_folder_lie_in_a_short_folder(deep_installation):
    assert len(os.fsencode(deep_installation.redis_socket)) <= 107
    assert deep_installation.sockets != an_installation(deep_installation.var / "other").sockets
    assert an_installation(Path("/srv/cards")).sockets == Path("/srv/cards/run")


def test_the_folder_of_sockets_is_removed_when_nothing_runs(deep_installation):
    deep_installation.prepare_folders()
    (deep_installation.sockets / "arbiter.sock.lock").touch()
    with deep_installation.lock():
        deep_installation.leave()
        assert deep_installation.sockets.is_dir()
    deep_installation.leave()
    assert not deep_installation.sockets.exists()
    deep_installation.leave()


def test_folders_are_private_and_logs_belong_to_the_supervisor(deep_installation):
    installation = deep_installation
    installation.prepare_folders()
    owner = os.getuid() if installation.uid is None else installation.uid
    assert [
        (folder.stat().st_uid, folder.stat().st_mode & 0o777)
        for folder in (installation.state, installation.sockets)
    ] == [(owner, 0o700)] * 2
    assert installation.logs.stat().st_uid == os.getuid()
    installation.prepare_folders()


def test_open_folders_are_made_private(tmp_path):
    for name in ("log", "state", "run"):
        (tmp_path / name).mkdir(mode=0o755)
    installation = an_installation(tmp_path)
    installation.prepare_folders()
    assert {
        folder.stat().st_mode & 0o777
        for folder in (installation.logs, installation.state, installation.sockets)
    } == {0o700}


def test_only_its_owner_can_read_a_log(deep_installation):
    deep_installation.prepare_folders()
    (deep_installation.logs / "site.log").write_text("of an older version\n")
    (deep_installation.logs / "site.log").chmod(0o644)
    with deep_installation.open_log("site") as log:
        log.write(b"and of this one\n")
    kept = deep_installation.logs / "site.log"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_text() == "of an older version\nand of this one\n"


def test_root_gives_each_installation_its_own_uid(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    uids = [an_installation(tmp_path / name).uid for name in ("one", "two", "one")]
    assert uids[0] == uids[2] != uids[1]
    assert an_installation(tmp_path, STICHKAMPF_UID="61042").uid == 61042
    monkeypatch.setattr(Path, "read_text", lambda _: "         0     100000      65536\n")
    assert an_installation(tmp_path / "one").uid == 61042


def test_no_installation_can_read_the_files_of_another(open_folder):
    """Its services run with the uid that root gives them, else as the same user."""
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


def test_files_of_the_shared_uid_are_given_to_the_installations_uid(tmp_path):
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


def test_a_full_disk_is_reported(deep_installation, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=10_000_000))
    with pytest.raises(CannotStart, match=r"the disk of .*state is full: free 200 MB"):
        deep_installation.prepare_folders()


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "var").write_text("a file in the way")
    with pytest.raises(CannotStart, match=r"cannot write to .*var"):
        an_installation(tmp_path / "var").prepare_folders()


def test_remote_bots_connect_to_the_next_port_or_a_free_one(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        other = an_installation(tmp_path, STICHKAMPF_PORT=str(port - 1)).remote_listen
        assert other.startswith("127.0.0.1:")
        assert other != f"127.0.0.1:{port}"
    assert an_installation(tmp_path, STICHKAMPF_PORT=str(port - 1)).remote_listen == f"127.0.0.1:{port}"
    assert an_installation(tmp_path, STICHKAMPF_PORT="65535").remote_listen.startswith("127.0.0.1:")


def test_the_arbiter_gets_the_configured_address_for_remote_bots(tmp_path, monkeypatch):
    monkeypatch.setenv("STICHKAMPF_ARBITER_REMOTE_ADDRESS", "bots.example:443")
    installation = an_installation(tmp_path, STICHKAMPF_ARBITER_REMOTE_LISTEN="0.0.0.0:7100")
    told = installation.environment(secrets=())
    assert told["STICHKAMPF_ARBITER_REMOTE_LISTEN"] == "0.0.0.0:7100"
    assert told["STICHKAMPF_ARBITER_REMOTE_ADDRESS"] == "bots.example:443"
