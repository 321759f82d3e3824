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


@pytest.mark.nightly
def test_prometheus_understands_its_configuration_the_rules_and_the_dashboard(tmp_path):
    """With promtool of Debian's package `prometheus`, which setting up does not install."""
    asked = [{"record": f"asked:{number}", "expr": text} for number, (_, text) in enumerate(expressions())]
    rules = tmp_path / "asked.yaml"
    rules.write_text(yaml.safe_dump({"groups": [{"name": "asked", "rules": asked}]}))
    for words in (("config", MONITORING / "prometheus.yaml"), ("rules", rules)):
        subprocess.run(["promtool", "check", *words], check=True)


MISTAKES = {
    "StichkampfSiteDown": (
        {'up{instance="site", job="stichkampf"}': "1x10 0x20"},
        "The site at site does not answer.",
    ),
    "StichkampfSchemaOld": (
        {"stichkampf_schema_current": "1x10 0x20"},
        "The database lacks migrations of this version; no site is ready.",
    ),
    "StichkampfRedisEvicts": (
        {"stichkampf_redis_evicts": "0x10 1x20"},
        "A full Redis would drop queued work.",
    ),
    "StichkampfTwoInstallations": (
        {"stichkampf_redis_installations": "1x10 2x20"},
        "2 installations use one Redis and take each other's work.",
    ),
    "StichkampfClockWrong": (
        {
            'stichkampf_node_clock_skew_seconds{node="b"}': "0x10 -300x20",
            'stichkampf_node_silent_seconds{node="b"}': "3x30",
        },
        "The clock of node b is off by 5m 0s.",
    ),
    "StichkampfDiskFills": (
        {"stichkampf_disk_free_bytes": "9000000000x10 1000000000x20"},
        "The disk of the state is nearly full, or will be within a day.",
    ),
}
"""Alerts of what an operator may get wrong: what Prometheus reads each minute, wrong from the eleventh on."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_of_the_operator_raises_an_alert_of_one_line(tmp_path, name):
    series, summary = MISTAKES[name]
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"][0]["rules"]
    (rule,) = (rule for rule in rules if rule["alert"] == name)
    labels = dict(re.findall(r'(\w+)="(\w+)"', next(iter(series))))
    raised = {
        "exp_labels": rule["labels"] | labels,
        "exp_annotations": rule["annotations"] | {"summary": summary},
    }
    case = {
        "interval": "1m",
        "input_series": [{"series": each, "values": values} for each, values in series.items()],
        "alert_rule_test": [
            {"eval_time": "9m", "alertname": name, "exp_alerts": []},
            {"eval_time": "29m", "alertname": name, "exp_alerts": [raised]},
        ],
    }
    cases = tmp_path / "cases.yaml"
    cases.write_text(yaml.safe_dump({"rule_files": [str(MONITORING / "alerts.yaml")], "tests": [case]}))
    subprocess.run(["promtool", "test", "rules", cases], check=True)
