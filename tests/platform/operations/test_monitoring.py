"""Alert rules and dashboard ask only for what the site tells."""

import json
import re
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from stichkampf_platform.core.telemetry.request_counts import note_answer
from stichkampf_platform.operations.metrics import exposition

MONITORING = Path(__file__).parents[3] / "deploy" / "monitoring"
NAMES = re.compile(r"\bstichkampf_[a-z_]+\b")


@pytest.fixture
def told(db, make_tournament, play_out):
    """The names of all metrics that are told once something was played."""
    play_out(make_tournament())
    note_answer("/api/", 503, 0.1)
    families = text_string_to_metric_families(exposition().decode())
    names = {sample.name for family in families for sample in family.samples}
    # these are told only while Redis, a beat or an arbiter answers
    source = Path(exposition.__code__.co_filename).read_text()
    return names | {f"stichkampf_{name}" for name in re.findall(r'_(?:gauge|labelled)\("([a-z_]+)"', source)}


def expressions():
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())
    for rule in rules["groups"][0]["rules"]:
        yield rule["alert"], rule["expr"]
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def test_alerts_and_dashboard_ask_for_metrics_that_are_told(told):
    told |= {"stichkampf_arbiter_refused_calls_total"}
    asked = {(where, name) for where, text in expressions() for name in NAMES.findall(text)}
    assert len(asked) > 25
    assert {(where, name) for where, name in asked if name not in told} == set()


def test_every_alert_says_what_to_do():
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"][0]["rules"]
    assert [rule["alert"] for rule in rules if not rule["annotations"].get("action")] == []
    assert {rule["labels"]["severity"] for rule in rules} == {"page", "ticket"}
