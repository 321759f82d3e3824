"""Alert rules and dashboard ask only for what the site tells."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from stichkampf_platform.operations.metrics import exposition
from stichkampf_platform.serving.request_counts import note_answer

MONITORING = Path(__file__).parents[3] / "deploy" / "monitoring"
NAMES = re.compile(r"\bstichkampf_[a-z_]+\b")


@pytest.fixture
def told(db, make_tournament, play_out):
    """The names of all metrics that are told once something was played."""
    play_out(make_tournament())
    note_answer("/api/v1/", 503, 0.1)
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


def test_prometheus_understands_its_configuration_the_rules_and_the_dashboard(tmp_path):
    """With promtool of Debian's package `prometheus`."""
    asked = [{"record": f"asked:{number}", "expr": text} for number, (_, text) in enumerate(expressions())]
    rules = tmp_path / "asked.yaml"
    rules.write_text(yaml.safe_dump({"groups": [{"name": "asked", "rules": asked}]}))
    for words in (("config", MONITORING / "prometheus.yaml"), ("rules", rules)):
        subprocess.run(["promtool", "check", *words], check=True)


FAULTS = {
    "StichkampfSiteDown": (
        {'up{instance="site", job="stichkampf"}': "1x39 0x90"},
        "The site at site does not answer.",
    ),
    "StichkampfSchemaOld": (
        {"stichkampf_schema_current": "1x39 0x90"},
        "The database lacks migrations of this version; no site is ready.",
    ),
    "StichkampfRedisEvicts": (
        {"stichkampf_redis_evicts": "0x39 1x90"},
        "A full Redis would drop queued work.",
    ),
    "StichkampfTwoInstallations": (
        {"stichkampf_redis_installations": "1x39 2x90"},
        "2 installations use one Redis and take each other's work.",
    ),
    "StichkampfClockWrong": (
        {
            'stichkampf_node_clock_skew_seconds{node="b"}': "0x39 -300x90",
            'stichkampf_node_silent_seconds{node="b"}': "3x130",
        },
        "The clock of node b is off by 5m 0s.",
    ),
    "StichkampfDiskFull": (
        {"stichkampf_disk_free_bytes": "9000000000x39 1000000000x90"},
        "The disk of the state is nearly full.",
    ),
    "StichkampfWorkStandsStill": (
        {'stichkampf_work_still_seconds{kind="matches"}': "0x39 15+15x90"},
        "Work of the kind matches waits, and for 3m 15s none has ended.",
    ),
    "StichkampfDrained": (
        {"stichkampf_drained": "0x39 1x90"},
        "The installation is drained: nothing begins.",
    ),
    "StichkampfParked": (
        {"stichkampf_parked": "0x39 1x90"},
        "1 items of work fail again and again, such as a tournament.",
    ),
    "StichkampfNodeSilent": (
        {'stichkampf_node_silent_seconds{node="b"}': "3x39 15+15x90"},
        "Node b has not reported itself for 3m 15s.",
    ),
    "StichkampfNodeArbiterDown": (
        {
            'stichkampf_node_arbiter_up{node="b"}': "1x39 0x90",
            'stichkampf_node_silent_seconds{node="b"}': "3x130",
        },
        "The arbiter of node b does not answer; others play its tables.",
    ),
    "StichkampfOldNode": (
        {
            'stichkampf_node_current{node="b"}': "1x39 0x90",
            'stichkampf_node_silent_seconds{node="b"}': "3x130",
        },
        "The worker of node b is of another version than the site.",
    ),
    "StichkampfTwoBeats": ({"stichkampf_beats": "1x39 2x90"}, "2 beats send every task; one is right."),
    "StichkampfNoBeat": (
        {"stichkampf_beat_seconds": "2x39 15+15x90"},
        "No beat has been heard of; nothing new begins.",
    ),
    "StichkampfArbiterDown": (
        {"stichkampf_arbiter_up": "1x39 0x90"},
        "The arbiter does not answer; nothing is played.",
    ),
    "StichkampfPagesFail": (
        {
            'stichkampf_requests_total{status="503"}': "0x39 4+4x90",
            'stichkampf_requests_total{status="200"}': "0+10x130",
        },
        "In two minutes 32 requests failed, more than one in ten.",
    ),
    "StichkampfHubDown": (
        {"stichkampf_hub_up": "1x39 0x90"},
        "The hub is away; nobody can play, and whoever sits at a table waits.",
    ),
    "StichkampfRedisDown": (
        {"stichkampf_redis_up": "1x39 0x90"},
        "Redis does not answer; workers are told of no work.",
    ),
}
"""Alerts of what goes wrong, or an operator gets wrong: the one line of each, and what Prometheus reads every
15 seconds, wrong from the tenth minute on."""
PATIENT = {"StichkampfSchemaOld": 15}
"""Minutes until an alert that waits for longer than the three of the others."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_raises_an_alert_of_one_line_within_three_minutes(tmp_path, name):
    series, summary = FAULTS[name]
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"][0]["rules"]
    (rule,) = (rule for rule in rules if rule["alert"] == name)
    summed = "sum(" in rule["expr"]
    labels = {} if summed else dict(re.findall(r'(\w+)="(\w+)"', next(iter(series))))
    raised = {
        "exp_labels": rule["labels"] | labels,
        "exp_annotations": rule["annotations"] | {"summary": summary},
    }
    case = {
        "interval": "15s",
        "input_series": [{"series": each, "values": values} for each, values in series.items()],
        "alert_rule_test": [
            {"eval_time": "9m", "alertname": name, "exp_alerts": []},
            {"eval_time": f"{10 + PATIENT.get(name, 3)}m", "alertname": name, "exp_alerts": [raised]},
        ],
    }
    cases = tmp_path / "cases.yaml"
    rules = [str(MONITORING / "alerts.yaml")]
    cases.write_text(yaml.safe_dump({"rule_files": rules, "evaluation_interval": "15s", "tests": [case]}))
    subprocess.run(["promtool", "test", "rules", cases], check=True)
