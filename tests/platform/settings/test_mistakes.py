"""A mistake of the operator stops the start, with one clear line; right settings pass Django's checks."""

import os
import subprocess
import sys

import pytest

SITE = ("-m", "stichkampf_platform.serving", "--port", "0")
WORKER = ("-m", "celery", "--app", "stichkampf_platform.celery_app", "worker")
UPGRADE = ("-m", "stichkampf_platform", "upgrade")
NO_SECRET = {"SECRET_KEY": ""}
NO_DATABASE = {"DATABASE_URL": "postgres://stichkampf@127.0.0.1:1/stichkampf"}
LACKS_SECRET = "The environment lacks SECRET_KEY (a long random text, the same for all processes)."


def run(folder, *words, **settings):
    """Run a program with the settings of a server, some of them wrong."""
    environment = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.production",
        "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-0123456789abcdefghijklmnopqrstuvwxyz",
        "ALLOWED_HOSTS": "cards.example",
        "STICHKAMPF_PROXIES": "127.0.0.1",
        "DATABASE_URL": f"sqlite:///{folder}/database",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "STICHKAMPF_STORE": f"{folder}/store",
        "STICHKAMPF_ARBITER_ADDRESS": f"unix:{folder}/arbiter.sock",
        "STICHKAMPF_STATE_DIR": str(folder),
        "STICHKAMPF_SITE_PROCESSES": "4",
        **settings,
    }
    return subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.parametrize(
    ("program", "mistake", "words"),
    [
        (SITE, NO_SECRET, LACKS_SECRET),
        (WORKER, NO_SECRET, LACKS_SECRET),
        (UPGRADE, NO_SECRET, LACKS_SECRET),
        (UPGRADE, NO_DATABASE, 'connection to server at "127.0.0.1", port 1 failed: Connection refused'),
    ],
)
def test_a_mistake_stops_the_start_with_one_line(tmp_path, program, mistake, words):
    done = run(tmp_path, *program, **mistake)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert words in done.stderr


def test_the_settings_of_a_server_pass_the_checks_for_deployment(tmp_path):
    done = run(tmp_path, "-m", "stichkampf_platform", "check", "--deploy", "--fail-level", "INFO")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout
