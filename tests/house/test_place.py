"""What `make up` says about the place where it is to start, before it starts anything."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from stichkampf_platform.supervisor.place import Place, checkout
from stichkampf_platform.supervisor.say import CannotStart


def a_place(tmp_path, **environment) -> Place:
    return Place.from_environment({"STICHKAMPF_VAR": str(tmp_path), **environment}, checkout())


def test_it_listens_on_loopback_unless_told_otherwise(tmp_path):
    assert a_place(tmp_path).address == "http://127.0.0.1:8000/"
    assert (
        a_place(tmp_path, STICHKAMPF_HOST="0.0.0.0", STICHKAMPF_PORT="9000").address
        == "http://127.0.0.1:9000/"
    )
    assert a_place(tmp_path, STICHKAMPF_HOST="::1").address == "http://[::1]:8000/"


def test_a_site_on_all_addresses_answers_to_all_names_unless_they_are_given(tmp_path, monkeypatch):
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    assert "*" not in a_place(tmp_path).environment(secrets=True)["ALLOWED_HOSTS"]
    open_place = a_place(tmp_path, STICHKAMPF_HOST="0.0.0.0")
    assert "*" in open_place.environment(secrets=True)["ALLOWED_HOSTS"]
    monkeypatch.setenv("ALLOWED_HOSTS", "cards.example")
    assert open_place.environment(secrets=True)["ALLOWED_HOSTS"] == "cards.example"


@pytest.mark.parametrize("port", ["", "http", "0", "65536", "-1", "\uff18\uff10"])
def test_a_port_that_is_none_is_refused_with_what_was_given(tmp_path, port):
    with pytest.raises(CannotStart, match=f"STICHKAMPF_PORT is '{port}'.*from 1 to 65535"):
        a_place(tmp_path, STICHKAMPF_PORT=port)


@pytest.mark.parametrize("uid", ["0", "root", ""])
def test_services_never_run_as_root(tmp_path, uid):
    with pytest.raises(CannotStart, match="a user that is not root"):
        a_place(tmp_path, STICHKAMPF_UID=uid)


def test_a_taken_port_is_refused_with_the_way_to_choose_another(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = a_place(tmp_path, STICHKAMPF_PORT=str(taken.getsockname()[1]))
        with pytest.raises(
            CannotStart, match=r"taken by another program: stop it.*STICHKAMPF_PORT=\d+ make up"
        ):
            place.check_port()


def test_a_host_that_is_not_here_is_refused(tmp_path):
    with pytest.raises(CannotStart, match=r"198\.51\.100\.1"):
        a_place(tmp_path, STICHKAMPF_HOST="198.51.100.1").check_port()


def test_two_at_once_in_one_checkout_are_refused(tmp_path):
    place = a_place(tmp_path)
    words = rf"up already \(process {os.getpid()}, http://127\.0\.0\.1:8000/\)"
    with place.lock(), pytest.raises(CannotStart, match=words):
        place.lock()
    place.lock().close()


def test_sockets_of_a_deep_folder_lie_where_their_paths_are_short(tmp_path):
    deep = tmp_path / ("deep" * 20) / ("deeper" * 10)
    place = a_place(deep)
    assert len(os.fsencode(place.redis_socket)) <= 107
    assert place.sockets != a_place(deep / "other").sockets
    assert a_place(Path("/srv/cards")).sockets == Path("/srv/cards/run")


def test_folders_of_services_are_private_and_logs_stay_the_supervisors(tmp_path):
    place = a_place(tmp_path)
    place.prepare_folders()
    owner = os.getuid() if place.uid is None else place.uid
    assert [
        (folder.stat().st_uid, folder.stat().st_mode & 0o777) for folder in (place.state, place.sockets)
    ] == [(owner, 0o700)] * 2
    assert place.logs.stat().st_uid == os.getuid()
    place.prepare_folders()


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=10_000_000))
    with pytest.raises(CannotStart, match=r"the disk of .*state is full: make 200 MB free"):
        a_place(tmp_path).prepare_folders()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "var").write_text("a file in the way")
    with pytest.raises(CannotStart, match=r"cannot write to .*var"):
        a_place(tmp_path / "var").prepare_folders()
