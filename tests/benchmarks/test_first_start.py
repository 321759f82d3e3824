"""The times of a first start: of its downloads and of the ladders that fill."""

from __future__ import annotations

import importlib.util
from itertools import count
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "first_start.py"


@pytest.fixture
def first_start(monkeypatch):
    monkeypatch.syspath_prepend(FILE.parent)
    specification = importlib.util.spec_from_file_location("first_start", FILE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def ladders(first_start, monkeypatch):
    """Two ladders, one of which has results at once and ranks late; each look takes ten seconds."""
    monkeypatch.setattr(first_start, "LOOK_SECONDS", 0.0)
    looks = count(1)
    passed = [0]

    def ratings():
        look = next(looks)
        passed[0] = 10 * look
        yield [{"provisional": look < 6}]
        yield [] if look < 3 else [{"provisional": False}, {"provisional": look == 3}]

    return ratings, lambda: passed[0]


def test_ladders_are_filled_when_each_has_results_and_every_bot_its_rank(first_start, ladders):
    assert first_start.ladders_filled(*ladders) == (30, 60)


def test_ladders_that_are_never_ranked_are_counted(first_start, ladders, monkeypatch):
    monkeypatch.setattr(first_start, "LONGEST_WAIT", 40)
    with pytest.raises(SystemExit, match="1 of 2 ladders had bots without a rank after 40 s"):
        first_start.ladders_filled(*ladders)


@pytest.mark.parametrize(("filled", "status"), [(None, 0), ((119, 599), 0), ((121, 599), 1), ((119, 601), 1)])
def test_the_report_says_each_time_with_its_limit(first_start, filled, status, capsys):
    assert first_start.report(70, 150, 15, filled) == status
    lines = capsys.readouterr().out.splitlines()
    assert "| to the welcome line, without downloads | 55.0 | 60 |" in lines
    assert any("every bot on them is ranked" in line for line in lines) == (filled is not None)


def test_downloads_are_read_from_the_log_of_the_set_up(first_start):
    log = "Prepared 20 packages in 2.50s\nother\nFetched 12 MB in 3s\nPrepared 1 package in 40ms\n"
    assert first_start.downloads(log) == pytest.approx(5.54)
