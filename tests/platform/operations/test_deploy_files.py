"""The files for servers: right by schema, every program once, no secret for the arbiter, all explained."""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from stichkampf_platform.settings.queues import QUEUES
from stichkampf_platform.supervisor.worker_programs import WORKERS

DEPLOY = Path(__file__).parents[3] / "deploy"
SECRETS = {"SECRET_KEY", "DATABASE_URL", "METRICS_TOKEN", "EMAIL_PASSWORD"}


def kubernetes():
    """Yield the containers of the pods by name, in the form of Compose's services."""
    for path in sorted((DEPLOY / "kubernetes/base").glob("*.yaml")):
        for each in yaml.safe_load_all(path.read_text()):
            pod = each.get("spec", {}).get("template", {}).get("spec", {})
            for container in pod.get("containers", []):
                words = [*container.get("command", []), *container.get("args", [])]
                named = ["Secret" for source in container.get("envFrom", []) if "secretRef" in source]
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
        unset = " ".join(re.findall(r"^UnsetEnvironment=(.*)", text, re.MULTILINE)).split()
        if not set(unset) >= SECRETS:
            names += re.findall(r"^EnvironmentFile=(\S+)", text, re.MULTILINE)
        command = re.search(r"ExecStart=(.*)", text)[1]
        _, workers, programs = command.partition(" -m stichkampf_platform.workers ")
        for program in programs.split() if workers else [path.stem.removeprefix("stichkampf-")]:
            told = f"--queues {','.join(WORKERS[program])}" if program in WORKERS else f"{command} "
            yield program, f"{told}beat" if program == "beat" else told, names


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


@pytest.mark.parametrize("program", ["arbiter", "hub"])
@pytest.mark.parametrize("way", [compose, kubernetes, systemd])
def test_arbiter_and_hub_are_told_no_secret(way, program):
    (told,) = (names for name, _, names in way() if name == program)
    assert not {*SECRETS, "Secret", "/etc/stichkampf.env"} & set(told)
    (others,) = (names for name, _, names in way() if name == "beat")
    assert {*SECRETS, "Secret", "/etc/stichkampf.env"} & set(others)


def test_every_variable_in_the_files_is_explained():
    explained = (DEPLOY / "README.md").read_text()
    files = [*DEPLOY.glob("compose*.yaml"), *DEPLOY.glob("systemd/*"), *DEPLOY.glob("kubernetes/*/*.yaml")]
    named = {name for path in files for name in re.findall(r"\bSTICHKAMPF_[A-Z_]+\b", path.read_text())}
    assert len(named) > 8
    assert [name for name in named if f"`{name}`" not in explained] == []


def test_composes_files_keep_to_its_schema():
    schema = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run(
        [sys.executable, *schema, *DEPLOY.glob("compose*.yaml")], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_kubernetes_files_keep_to_the_newest_schema():
    version = kubernetes_validate.latest_version()
    kinds = []
    for path in sorted((DEPLOY / "kubernetes").glob("*/*.yaml")):
        if path.name == "kustomization.yaml":
            continue
        for each in yaml.safe_load_all(path.read_text()):
            kubernetes_validate.validate(each, version, strict=True)
            kinds.append(each["kind"])
    assert {"Deployment", "HorizontalPodAutoscaler", "NetworkPolicy", "RuntimeClass", "StatefulSet"} <= {
        *kinds
    }


def test_systemd_understands_the_units(tmp_path):
    """Only the programs are not where they would be on a server."""
    for unit in (DEPLOY / "systemd").iterdir():
        text = unit.read_text().replace("/opt/stichkampf/bin/", "/usr/bin/env ")
        (tmp_path / unit.name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", *sorted(tmp_path.iterdir())]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_every_unit_starts_again_for_ever_ends_its_group_and_limits_memory():
    lasting = set()
    for path in (DEPLOY / "systemd").glob("*.service"):
        lines = path.read_text().splitlines()
        assert any(line.startswith("MemoryMax=") for line in lines), path.name
        assert not any(line.startswith("KillMode=") for line in lines if line != "KillMode=control-group")
        assert "--concurrency" not in path.read_text(), "what it does at once follows from the cores"
        if "Type=oneshot" not in lines:
            assert {"Restart=always", "StartLimitIntervalSec=0"} <= set(lines), path.name
            lasting.add(path.stem.removeprefix("stichkampf-"))
    assert lasting == {"site", "arbiter", "hub", "worker", "maintenance"}


@pytest.mark.parametrize("file", ["systemd/stichkampf-backup.service", "kubernetes/base/backup.yaml"])
def test_backups_of_the_last_two_weeks_are_kept_and_older_ones_go(file, tmp_path):
    ages = {"today.tar": 0, "last-week.tar": 8, "last-month.tar": 30, "notes.txt": 30}
    for name, days in ages.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, times=(time.time() - days * 86400,) * 2)
    (program, rest) = re.search(
        r"(/usr/bin/find|find) \S+ (-name .*-delete)", (DEPLOY / file).read_text()
    ).groups()
    subprocess.run([program, tmp_path, *shlex.split(rest)], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["last-week.tar", "notes.txt", "today.tar"]


def test_the_dockerfile_passes_its_linter():
    linter = shutil.which("hadolint", path=Path(sys.executable).parent)
    checked = subprocess.run([linter, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_the_image_is_made_of_one_release_of_debian_and_what_that_needs_is_said():
    bases = re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert len(bases) == 2
    assert re.fullmatch(r"debian:[a-z]+-slim", *set(bases))
    said = subprocess.run(
        [sys.executable, DEPLOY / "image.py"], env={"PATH": ""}, capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert said.stderr.endswith("apt-get install mmdebstrap buildah\n")


def test_the_image_keeps_of_the_packages_what_a_server_reads(tmp_path):
    kept = [
        "allauth/locale/de/LC_MESSAGES/django.mo",
        "botocore/data/endpoints.json",
        "botocore/data/s3/service.json",
        "django/conf/locale/__init__.py",
        "django/conf/locale/en/formats.py",
        "pyarrow/libarrow.so.1",
    ]
    gone = [
        "allauth/locale/de/LC_MESSAGES/django.po",
        "botocore/data/ec2/service.json",
        "django/conf/locale/fr/formats.py",
        "numpy/_core/include/numpy/arrayobject.h",
        "numpy/_core/tests/data/numbers.csv",
        "pyarrow/libarrow_flight.so.1",
    ]
    for name in (*kept, *gone):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    subprocess.run([sys.executable, DEPLOY / "slim.py", tmp_path], check=True)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")) == kept


def test_whatever_the_image_leaves_out_of_the_packages_is_there():
    slim = runpy.run_path(str(DEPLOY / "slim.py"))
    packages = Path(sysconfig.get_path("purelib"))
    patterns = [pattern for patterns in slim["LEFT_OUT"].values() for pattern in patterns]
    assert [
        pattern for pattern in (*patterns, *slim["KEPT"]) if next(packages.glob(pattern), None) is None
    ] == []
