"""Fields of four house bots: results are kept, and the order is judged by every field and by the mean."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "mixed_fields.py"


@pytest.fixture
def mixed_fields(monkeypatch):
    monkeypatch.syspath_prepend(FILE.parent)
    specification = importlib.util.spec_from_file_location("mixed_fields", FILE)
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "mixed_fields", module)
    specification.loader.exec_module(module)
    return module


def field(module, other, search, thumb):
    return module.Field("mue", other, 100, module.Lead(*search), module.Lead(*thumb))


def test_the_interval_of_a_mean_is_narrower_than_that_of_a_field(mixed_fields, capsys):
    timid = field(mixed_fields, "timid", (60, 50), (40, 60))
    bold = field(mixed_fields, "bold", (40, 50), (80, 60))
    assert mixed_fields.report([timid, bold])
    assert "| Mü | all | +50 ± 35 | +60 ± 42 |" in capsys.readouterr().out


def test_a_mean_that_is_not_clear_and_a_field_out_of_order_are_failures(mixed_fields):
    assert not mixed_fields.report([field(mixed_fields, "timid", (60, 70), (40, 30))])
    steady = field(mixed_fields, "timid", (60, 10), (60, 10))
    assert not mixed_fields.report([steady, field(mixed_fields, "bold", (60, 10), (-1, 10))])


@pytest.mark.slow
def test_a_field_is_played_once_and_kept(tmp_path):
    results = tmp_path / "fields.jsonl"
    command = [sys.executable, FILE, "--game", "sticheln", "--others", "timid", "--blocks", "1"]
    run = [*command, "--workers", "1", "--results", results]
    first = subprocess.run(run, capture_output=True, text=True)
    assert "| Sticheln | `timid` |" in first.stdout, first.stderr
    (kept,) = results.read_text().splitlines()
    assert json.loads(kept)["other"] == "timid"
    assert subprocess.run(run, capture_output=True, text=True).stdout == first.stdout
    assert results.read_text().splitlines() == [kept]
