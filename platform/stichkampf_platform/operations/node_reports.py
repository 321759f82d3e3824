"""Reports of nodes about themselves: a thread of each node's worker of blocks."""

from __future__ import annotations

import logging
from threading import Thread
from time import sleep

import stichkampf
from celery import current_app
from celery.apps.worker import Worker
from celery.signals import celeryd_after_setup, worker_ready
from celery.worker.consumer import Consumer
from django.db import DatabaseError, connection
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import arbiter, close_idle
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed, PlatformError, StoreAway
from stichkampf_platform.core.machines import failures, nodes
from stichkampf_platform.core.models import Node
from stichkampf_platform.operations.interpreters import interpreters
from stichkampf_platform.storage.store_label import check_label
from stichkampf_platform.supervisor.worker_programs import processes

REPORT_SECONDS = 5.0
ANSWER_SECONDS = 1.0
SANDBOXES = "sandboxes of a node"
"""The name under which failures of its arbiter to make sandboxes are noted, one with each report."""
IDLE_EVERY = 2
"""Reports from one question to an arbiter that plays nothing to the next; it is asked with each otherwise."""
STORE_EVERY = 12
"""Reports from one look at the store to the next."""

logger = logging.getLogger(__name__)


class ArbiterTrouble(PlatformError):
    """An arbiter cannot do its work as it should. The message is its own."""


def report(*, store_trouble: str, places: int = 0, ask: bool = True) -> bool:
    """Write down how this node is, and forget nodes that are long gone.

    :param places: blocks that its workers can play at once.
    :param ask: how its arbiter is; otherwise that stays as it was.
    :returns: whether the arbiter plays nothing, as far as it was asked.
    """
    now = clock.now()
    seen = {
        "seen_at": now,
        "version": stichkampf.__version__,
        "clock_skew_seconds": clock.skew_seconds(),
        "store_trouble": store_trouble,
        "places": places,
        **(arbiter_said := _arbiter() if ask else {}),
    }
    Node.objects.update_or_create(name=nodes.this_node(), defaults=seen)
    Node.objects.filter(seen_at__lt=now - nodes.FORGOTTEN).delete()
    return not ask or arbiter_said.get("tables") == 0


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
    instance.app.conf.update(stichkampf_places=instance.concurrency * len(processes(_name(instance))))
    for queue in set(nodes.OWN_QUEUES) & set(queues.consume_from):
        queues.select_add(nodes.queue_of(nodes.this_node(), queue))


def keep_reporting(sender: Consumer, **_: object) -> None:
    """Begin to report from the first process of a worker of blocks."""
    first = not _name(sender)[-1:].isdigit()
    if first and nodes.OWN_QUEUES[0] in current_app.amqp.queues.consume_from:
        Thread(target=_report_always, name="node", daemon=True).start()


def connect() -> None:
    celeryd_after_setup.connect(take_own_queues, weak=False)
    worker_ready.connect(keep_reporting, weak=False)


def _name(worker: Worker | Consumer) -> str:
    return str(worker.hostname).partition("@")[0]


def _report_always() -> None:
    trouble, reports, idle = "", 0, False
    while True:
        try:
            if reports % STORE_EVERY == 0:
                trouble = store_trouble()
            places = current_app.conf.get("stichkampf_places", 0)
            idle = report(store_trouble=trouble, places=places, ask=not idle or reports % IDLE_EVERY == 0)
        except DatabaseError as error:
            logger.warning("this node cannot report itself: %s", error)
        finally:
            close_idle()
            connection.close()  # between reports it would be a connection more for each node
        reports += 1
        sleep(REPORT_SECONDS)


def _arbiter() -> dict[str, object]:
    try:
        status = arbiter().status(seconds=ANSWER_SECONDS)
    except (ArbiterGone, MatchFailed):
        return {"arbiter_answers": False}
    for work, trouble in ((SANDBOXES, status.sandbox_trouble), (nodes.MATCHES, status.match_trouble)):
        if trouble:
            failures.note(work, nodes.this_node(), ArbiterTrouble(trouble))
        else:
            failures.forget(work, nodes.this_node())
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
