"""The page of limits shows every limit, with the values that the code uses."""

import platform
import re
import sys
from datetime import timedelta
from importlib.metadata import version
from operator import attrgetter

import pytest
from stichkampf import limits
from stichkampf.faults import FAULT_ALLOWANCE
from stichkampf.time_control import LADDER_CLOCK
from stichkampf_platform.core import clock
from stichkampf_platform.core.models import Node
from stichkampf_platform.core.number_formats import size
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising.presets import PRESETS
from stichkampf_platform.web.guides import FOLDER

OTHERS = ("REMOTE_", "PERSON_", "PEOPLE_")
"""Beginnings of names of limits of remote bots and of people at tables, which other guides explain."""

OF_A_CLASS = {"MIB", "NET", "ARCHIVE_BYTES", "UNPACKED_BYTES"}
"""The page shows those of each weight class, and so the largest."""


def test_every_limit_of_a_submitted_bot_is_published():
    source = (FOLDER / "limits.md").read_text()
    names = [
        name
        for name in vars(limits)
        if name.isupper() and name not in OF_A_CLASS and not name.startswith(OTHERS)
    ]
    assert len(names) > 15
    assert [name for name in names if f"limits.{name}" not in source] == []


@pytest.mark.django_db
def test_the_page_shows_versions_and_the_limits_of_suspension(client, settings):
    settings.CONDUCT_MATCHES, settings.CONDUCT_SUSPENDED_WITH_POINTS = 77, 19
    page = " ".join(client.get("/docs/limits/").content.decode().split())
    for told in (platform.python_version(), *map(version, ("numpy", "onnxruntime", "stichkampf"))):
        assert f"<td>{told}</td>" in page
    for weight in limits.WEIGHT_CLASSES.values():
        assert f"<code>{weight.name}</code>" in page
        assert f"<td>{' '.join(size(weight.archive_bytes).split())}</td>" in page
    assert "Over a version's last 77 matches" in page
    assert "At 19 points the version is suspended" in page
    assert "30 seconds, in which it could run, from the start of the process to its first message" in page


@pytest.mark.django_db
def test_a_server_without_onnxruntime_names_no_version_of_it(client, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    page = client.get("/docs/limits/").content.decode()
    assert ("numpy" in page, "onnxruntime (net)" in page) == (True, False)


@pytest.mark.django_db
def test_the_page_shows_the_interpreters_of_all_nodes_that_live(client):
    assert "Interpreters" not in client.get("/docs/limits/").content.decode()
    now = clock.now()
    for name, seen_at, interpreters in (
        ("north", now, {"javascript": "node 20.20.2", "perl": "perl 5.36.0"}),
        ("south", now, {"javascript": "node 22.1.0"}),
        ("gone", now - timedelta(hours=1), {"awk": "mawk 1.3.4"}),
    ):
        Node.objects.create(name=name, seen_at=seen_at, interpreters=interpreters)
    page = re.sub(r"\s*(<[^>]+>)\s*", r"\1", client.get("/docs/limits/").content.decode())
    assert "<code>javascript</code></td><td>node 20.20.2, node 22.1.0</td>" in page
    assert "<code>perl</code></td><td>perl 5.36.0</td>" in page
    assert "mawk" not in page


@pytest.mark.django_db
def test_the_clock_of_the_page_is_that_of_tournaments_and_of_matches_at_home(client):
    page = " ".join(client.get("/docs/limits/").content.decode().split())
    shown = re.search(
        r"usually ([\d.]+) seconds, .* usually ([\d.]+) seconds, .* more than ([\d.]+) seconds", page
    )
    assert tuple(map(float, shown.groups())) == (2, 10, 5)
    clock_of = attrgetter("move_seconds", "bank_seconds", "cap_seconds")
    assert clock_of(LADDER_CLOCK) == clock_of(Tournament()) == (2, 10, 5)
    ladder = PRESETS["ladder"].settings
    assert tuple(ladder[name] for name in LADDER_CLOCK.to_json()) == (2, 10, 5)
    assert Tournament().fault_allowance == ladder["fault_allowance"] == FAULT_ALLOWANCE
