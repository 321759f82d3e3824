"""Nodes report themselves, and operators see which there are and what is wrong with one."""

import re
import subprocess
from datetime import timedelta
from types import SimpleNamespace

import pytest
from celery.app.amqp import Queues
from django.utils import timezone
from stichkampf.packaging.parts import PARTS
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.models import Node
from stichkampf_platform.operations import node_reports, state_texts
from stichkampf_platform.operations.doctor.database import check_database
from stichkampf_platform.operations.doctor.nodes import check_nodes
from stichkampf_platform.storage.models import StoreLabel

pytestmark = pytest.mark.django_db

TRUE_NOW = timezone.now


@pytest.fixture
def status(monkeypatch, settings):
    """The answer of this node's arbiter."""
    settings.NODE = "north"
    answer = pb.GetStatusResponse(
        sandbox_level=pb.SANDBOX_LEVEL_HOSTED, tables=3, tables_limit=256, sandbox_reason="all of it"
    )
    fake = SimpleNamespace(status=lambda *, seconds: answer)
    monkeypatch.setattr(node_reports, "arbiter", lambda: fake)
    return fake


@pytest.fixture
def operations(client, person):
    client.force_login(person("ruth", is_staff=True, is_superuser=True))

    def page():
        return client.get("/admin/operations/").content.decode()

    return page


def test_the_page_shows_each_node_with_its_sandbox_level_and_its_last_sign_of_life(status, operations):
    node_reports.report(store_trouble="")
    old = TRUE_NOW() - timedelta(days=2)
    Node.objects.create(name="south", seen_at=old, arbiter_answers=True, sandbox_level="gvisor")
    page = operations()
    assert re.search(r"sandbox hosted, tables 3 / 256, seen \d+ s ago, clock [^\d]?0.0 s, version \d", page)
    assert f"silent since {old:%Y-%m-%d %H:%M} UTC" in page
    assert "Node south" not in page, "it was taken away, which is nothing to look at"


def test_a_clock_that_is_five_minutes_off_is_named(status, operations, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: TRUE_NOW() + timedelta(minutes=5))
    monkeypatch.setattr(clock, "_database", clock.SharedClock(TRUE_NOW))
    node_reports.report(store_trouble="")
    monkeypatch.undo()
    node = Node.objects.get()
    assert (node.name, round(node.clock_skew_seconds)) == ("north", 300)
    assert abs(node.seen_at - TRUE_NOW()) < timedelta(minutes=1)
    assert "The clock of node north is off by +300 s." in operations()
    (finding,) = check_nodes()
    assert (finding.cause, finding.grave) == ("a node with a wrong clock", False)


def test_troubles_of_a_node_are_named(status, operations):
    node_reports.report(store_trouble="the store has no file installation.txt")
    assert "Node north does not see the store: the store has no file" in operations()
    (finding,) = check_nodes()
    assert finding.cause == "a node without the store"

    def away(*, seconds):
        raise ArbiterGone("away")

    status.status = away
    node_reports.report(store_trouble="")
    assert "The arbiter of node north does not answer." in operations()
    Node.objects.update(seen_at=TRUE_NOW() - timedelta(minutes=2))
    assert "Node north has been silent since" in operations()


def test_a_node_tells_the_interpreters_that_its_sandboxes_have(status):
    answer = status.status(seconds=1)
    node_reports.report(store_trouble="")
    told = Node.objects.get().interpreters
    assert told["perl"] == f"perl {perl_version()}"
    assert re.fullmatch(r"\w+( \d+(\.\d+)+)?", told["awk"])
    assert set(told) <= set(PARTS)
    answer.missing_parts.append("perl")
    node_reports.report(store_trouble="")
    assert "perl" not in Node.objects.get().interpreters


def perl_version():
    asked = ["perl", "-e", "printf '%vd', $^V"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout


def test_a_node_whose_sandboxes_cannot_be_made_is_named_after_some_reports(status, operations):
    told = "3 warm sandboxes in a row came to nothing, the last because it ended while it waited"
    answer = status.status(seconds=1)
    answer.sandbox_trouble = told
    for _ in range(failures.PARKED_AFTER):
        assert "sandboxes of a node north" not in operations()
        node_reports.report(store_trouble="")
    assert told in operations()
    (cause,) = (each for each in check_database() if each.cause == "work that fails again and again")
    assert cause.seen == f"sandboxes of a node north (5 times): {told}"
    answer.sandbox_trouble = ""
    node_reports.report(store_trouble="")
    assert told not in operations()


def test_a_match_that_does_not_go_on_is_named_while_its_arbiter_says_so(status, operations):
    told = "match table-7-0 has had no move for 61 s"
    answer = status.status(seconds=1)
    answer.match_trouble = told
    for _ in range(failures.PARKED_AFTER):
        node_reports.report(store_trouble="")
    assert told in operations()
    answer.match_trouble = ""
    node_reports.report(store_trouble="")
    assert told not in operations()


def test_an_arbiter_that_plays_nothing_need_not_be_asked_with_each_report(status):
    answer = status.status(seconds=1)
    answer.tables = 0
    assert node_reports.report(store_trouble="")
    answer.tables = 3
    assert node_reports.report(store_trouble="", ask=False)
    assert Node.objects.get().tables == 0
    assert not node_reports.report(store_trouble="")


def test_a_node_that_is_long_gone_is_forgotten(status):
    Node.objects.create(name="south", seen_at=TRUE_NOW() - timedelta(days=8))
    node_reports.report(store_trouble="")
    assert list(Node.objects.values_list("name", flat=True)) == ["north"]


def test_a_machine_without_the_store_says_so_once_there_is_something_in_it(settings, tmp_path):
    folder = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "store": folder}
    assert node_reports.store_trouble() == ""
    StoreLabel.objects.create(text="ours")
    assert node_reports.store_trouble().startswith("the store has no file installation.txt: it is empty, or")


def test_a_worker_of_blocks_takes_the_queue_of_its_node_too(settings):
    settings.NODE = "north"
    for taken, expected in (
        (["matches"], {"matches", "matches.north"}),
        (["experiments"], {"experiments", "experiments.north"}),
        (["sweep", "mail"], {"sweep", "mail"}),
    ):
        queues = Queues({})
        queues.select(taken)
        node_reports.take_own_queues(
            SimpleNamespace(
                app=SimpleNamespace(amqp=SimpleNamespace(queues=queues), conf={}),
                concurrency=6,
                hostname="worker@north",
            )
        )
        assert set(queues.consume_from) == expected


def test_the_public_page_counts_the_tables_of_all_nodes_that_live(status, client, monkeypatch):
    monkeypatch.setattr(state_texts, "FRESH_SECONDS", 0)
    node_reports.report(store_trouble="")
    now = clock.now()
    for name, seen_at, answers in (
        ("east", now, True),
        ("south", now, False),
        ("west", now - timedelta(minutes=1), True),
    ):
        Node.objects.create(name=name, seen_at=seen_at, arbiter_answers=answers, tables=4, tables_limit=256)
    assert "7 tables are being played." in client.get("/status/").content.decode()


@pytest.mark.parametrize(
    ("nodes_seen", "words"),
    [
        ([], "No submitted bot is played here at the moment"),
        ([("refused", "no bubblewrap")], "No submitted bot is played here at the moment"),
        (
            [("hosted", ""), ("refused", "bubblewrap is not installed")],
            "the kernel and the processors of their machine",
        ),
        ([("gvisor", "")], "up to 96 MiB and 256 threads more than the limits say"),
        ([("hosted", ""), ("hosted", "mkfs.erofs is not installed")], "hosted, with something in common"),
        ([("gvisor", "mkfs.erofs is not installed")], "gvisor, with something in common"),
        ([("gvisor", ""), ("development", "no control group")], "held roughly only"),
    ],
)
def test_everybody_reads_how_bots_are_held_apart_at_the_weakest_node(client, nodes_seen, words):
    for number, (level, reason) in enumerate(nodes_seen):
        Node.objects.create(
            name=f"node-{number}",
            seen_at=clock.now(),
            arbiter_answers=True,
            sandbox_level=level,
            sandbox_reason=reason,
        )
    assert words in client.get("/status/").text
    assert words in client.get("/ladders/sticheln/").text
