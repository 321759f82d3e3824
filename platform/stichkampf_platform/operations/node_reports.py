"""Reports of nodes about themselves: a thread in one process of each node's worker of blocks.

In a process of the pool, not in the worker's own, because a channel to the arbiter does not survive a fork.
"""

from __future__ import annotations

import logging
from threading import Thread
from time import sleep

import stichkampf
from billiard.process import current_process  # type: ignore[import-untyped]
from celery import current_app
from celery.apps.worker import Worker
from celery.signals import celeryd_after_setup, worker_process_init
from django.db import DatabaseError, connection
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import arbiter
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed, PlatformError
from stichkampf_platform.core.machines import failures, nodes
from stichkampf_platform.core.models import Node
from stichkampf_platform.operations.interpreters import interpreters
from stichkampf_platform.storage.store_errors import StoreAway
from stichkampf_platform.storage.store_label import check_label

REPORT_SECONDS = 5.0
ANSWER_SECONDS = 1.0
SANDBOXES = "sandboxes of a node"
"""The name under which failures of its arbiter to make sandboxes are noted, one with each report."""
STORE_EVERY = 12
"""Reports from one look at the store to the next."""

logger = logging.getLogger(__name__)


class SandboxTrouble(PlatformError):
    """An arbiter cannot make sandboxes as it should. The message is its own."""


def report(*, store_trouble: str, places: int = 0) -> None:
    """Write down how this node is, and forget nodes that are long gone.

    :param places: blocks that its workers can play at once.
    """
    now = clock.now()
    seen = {
        "seen_at": now,
        "version": stichkampf.__version__,
        "clock_skew_seconds": clock.skew_seconds(),
        "store_trouble": store_trouble,
        "places": places,
        **_arbiter(),
    }
    Node.objects.update_or_create(name=nodes.this_node(), defaults=seen)
    Node.objects.filter(seen_at__lt=now - nodes.FORGOTTEN).delete()


def store_trouble() -> str:
    """Return why this node does not see the installation's store; empty if it does."""
    try:
        check_label()
    except StoreAway as error:
        return str(error)
    return ""


def take_own_queues(instance: Worker, **_: object) -> None:
    """Let a worker take, besides the queues of all nodes, those of its own node."""
    queues = instance.app.amqp.queues
    instance.app.conf.update(stichkampf_places=instance.concurrency)
    for queue in set(nodes.OWN_QUEUES) & set(queues.consume_from):
        queues.select_add(nodes.queue_of(nodes.this_node(), queue))


def keep_reporting(**_: object) -> None:
    """Begin to report from the first process of a worker of blocks."""
    if current_process().index == 0 and nodes.OWN_QUEUES[0] in current_app.amqp.queues.consume_from:
        Thread(target=_report_always, name="node", daemon=True).start()


def connect() -> None:
    celeryd_after_setup.connect(take_own_queues, weak=False)
    worker_process_init.connect(keep_reporting, weak=False)


def _report_always() -> None:
    trouble, reports = "", 0
    while True:
        try:
            if reports % STORE_EVERY == 0:
                trouble = store_trouble()
            report(store_trouble=trouble, places=current_app.conf.get("stichkampf_places", 0))
        except DatabaseError as error:
            logger.warning("this node cannot report itself: %s", error)
        finally:
            connection.close()  # between reports it would be a connection more for each node
        reports += 1
        sleep(REPORT_SECONDS)


def _arbiter() -> dict[str, object]:
    try:
        status = arbiter().status(seconds=ANSWER_SECONDS)
    except (ArbiterGone, MatchFailed):
        return {"arbiter_answers": False}
    if status.sandbox_trouble:
        failures.note(SANDBOXES, nodes.this_node(), SandboxTrouble(status.sandbox_trouble))
    else:
        failures.forget(SANDBOXES, nodes.this_node())
    return {
        "arbiter_answers": True,
        "sandbox_level": pb.SandboxLevel.Name(status.sandbox_level).removeprefix("SANDBOX_LEVEL_").lower(),
        "sandbox_reason": status.sandbox_reason,
        "tables": status.tables,
        "tables_limit": status.tables_limit,
        "draining": status.draining,
        "interpreters": {
            part: found for part, found in interpreters().items() if part not in status.missing_parts
        },
    }
