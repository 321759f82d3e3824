"""The files for servers: every program once, no secret for the arbiter, no variable unexplained."""

import re
from pathlib import Path

import pytest
import yaml
from stichkampf_platform.celery_app import QUEUES

DEPLOY = Path(__file__).parents[3] / "deploy"
SECRETS = {"SECRET_KEY", "DATABASE_URL", "METRICS_TOKEN", "EMAIL_PASSWORD"}


def kubernetes():
    """Yield the containers of the pods by name, in the form of Compose's services."""
    for path in sorted((DEPLOY / "kubernetes/base").glob("*.yaml")):
        for each in yaml.safe_load_all(path.read_text()):
            pod = each.get("spec", {}).get("template", {}).get("spec", {})
            for container in pod.get("containers", []):
                words = [*container.get("command", []), *container.get("args", [])]
                named = [next(iter(source.values()))["name"] for source in container.get("envFrom", [])]
                yield (
                    container["name"],
                    " ".join(words),
                    [*named, *(e["name"] for e in container.get("env", []))],
                )


def compose():
    for name, service in yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].items():
        yield name, service.get("command", ""), list(service.get("environment", {}))


def systemd():
    for path in sorted((DEPLOY / "systemd").glob("*.service")):
        text = path.read_text()
        names = re.findall(r"^Environment=(\w+)", text, re.MULTILINE)
        names += re.findall(r"^EnvironmentFile=(\S+)", text, re.MULTILINE)
        yield path.stem.removeprefix("stichkampf-"), re.search(r"ExecStart=(.*)", text)[1], names


@pytest.mark.parametrize("way", [compose, kubernetes, systemd])
def test_each_queue_is_taken_once_and_there_is_one_beat(way):
    commands = [command for _, command, _ in way()]
    taken = [
        queue
        for each in commands
        for queues in re.findall(r"--queues (\S+)", each)
        for queue in queues.split(",")
    ]
    assert sorted(taken) == sorted(QUEUES)
    assert sum(command.endswith(" beat") for command in commands) == 1
    assert sum("stichkampf_arbiter" in command for command in commands) == 1


@pytest.mark.parametrize("way", [compose, kubernetes, systemd])
def test_the_arbiter_is_told_no_secret(way):
    (told,) = (names for name, _, names in way() if name == "arbiter")
    assert not {*SECRETS, "stichkampf", "/etc/stichkampf.env"} & set(told)
    (others,) = (names for name, _, names in way() if name == "beat")
    assert {*SECRETS, "stichkampf", "/etc/stichkampf.env"} & set(others)


def test_every_variable_in_the_files_is_explained():
    explained = (DEPLOY / "README.md").read_text()
    files = [*DEPLOY.glob("compose*.yaml"), *DEPLOY.glob("systemd/*"), *DEPLOY.glob("kubernetes/*/*.yaml")]
    named = {name for path in files for name in re.findall(r"\bSTICHKAMPF_[A-Z_]+\b", path.read_text())}
    assert len(named) > 8
    assert [name for name in named if f"`{name}`" not in explained] == []
