"""The program of the site: its settings from the environment, and the proxies that it believes."""

import http.client
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from stichkampf_platform.serving.trusted_proxies import is_trusted_proxy
from stichkampf_platform.supervisor.installation import checkout
from support import children_of

SECONDS = 60
WITHOUT_CORE_SECONDS = 12


def environment(folder, **settings):
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.production",
        "SECRET_KEY": "x" * 60,
        "ALLOWED_HOSTS": "cards.example",
        "DATABASE_URL": f"sqlite:///{folder}/database",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "STICHKAMPF_STORE": f"{folder}/store",
        "STICHKAMPF_ARBITER_ADDRESS": f"unix:{folder}/arbiter.sock",
        "STICHKAMPF_STATE_DIR": str(folder),
        **settings,
    }


def start(folder, port=0, **settings):
    return subprocess.Popen(
        [sys.executable, "-m", "stichkampf_platform.serving", "--port", str(port)],
        cwd=checkout(),
        env=environment(folder, **settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@contextmanager
def serving(folder, **settings):
    """Runs the site; yields the port that it prints."""
    with start(folder, **settings) as program:
        try:
            said = ""
            while "running on" not in said:
                said = program.stdout.readline()
                assert said, "it ended"
            yield int(said.rpartition(":")[2].split()[0])
        finally:
            program.terminate()
            program.stdout.read()


def status_of(port, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    deadline = time.monotonic() + SECONDS
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            connection.request("GET", "/api/v1/", headers={"Host": "cards.example", **headers})
            return connection.getresponse().status
        except ConnectionError:
            assert time.monotonic() < deadline
        finally:
            connection.close()


@pytest.mark.parametrize(("proxy", "believed"), [("127.0.0.1", True), ("172.30.61.0/24", False)])
def test_only_a_named_proxy_is_believed(tmp_path, proxy, believed):
    """A visitor of an unknown proxy is redirected to https, whatever the headers say."""
    with serving(tmp_path, STICHKAMPF_PROXIES=proxy) as port:
        assert status_of(port) == 301
        assert (status_of(port, X_Forwarded_Proto="https") != 301) == believed


def test_a_named_proxy_is_believed_where_its_address_is_written_as_ipv6(monkeypatch):
    monkeypatch.setenv("STICHKAMPF_PROXIES", "172.30.61.0/24, 192.0.2.1")
    believed = is_trusted_proxy.__wrapped__
    assert all(map(believed, ("172.30.61.9", "::ffff:172.30.61.9", "::FFFF:ac1e:3d09", "::ffff:192.0.2.1")))
    assert not any(map(believed, ("172.30.62.9", "::ffff:172.30.62.9", "::ffff:192.0.2.2", "::ac1e:3d09")))


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"STICHKAMPF_PROXIES": "*"}, "STICHKAMPF_PROXIES names '*'"),
        ({"STICHKAMPF_PROXIES": "proxy.example"}, "addresses or networks of proxies"),
        ({"STICHKAMPF_PROXIES": ""}, "STICHKAMPF_PROXIES (the addresses of the TLS proxies"),
        ({"STICHKAMPF_SITE_PROCESSES": "many"}, "STICHKAMPF_SITE_PROCESSES is 'many'"),
        ({"STICHKAMPF_SITE_PLACES": "0"}, "STICHKAMPF_SITE_PLACES is '0'; it must be a number from 1 to 64."),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(tmp_path, setting, words):
    with start(tmp_path, **{"STICHKAMPF_PROXIES": "127.0.0.1", **setting}) as program:
        said, _ = program.communicate(timeout=SECONDS)
    assert program.returncode != 0
    assert words in said.replace("\n", " ")


@pytest.mark.nightly
def test_a_process_that_gets_no_core_for_a_while_is_not_ended(tmp_path):
    with start(tmp_path, STICHKAMPF_SITE_PROCESSES="2", STICHKAMPF_PROXIES="127.0.0.1") as program:
        try:
            said = ""
            while "running on" not in said:
                said = program.stdout.readline()
                assert said, "it ended"
            port = int(said.rpartition(":")[2].split()[0])
            status_of(port)
            before = children_of(program.pid)
            for process in before:
                os.kill(process, signal.SIGSTOP)
            time.sleep(WITHOUT_CORE_SECONDS)
            for process in before:
                os.kill(process, signal.SIGCONT)
            assert status_of(port) == 301
            assert children_of(program.pid) == before
        finally:
            program.terminate()
            program.stdout.read()
