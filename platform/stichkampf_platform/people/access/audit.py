"""The audit log: who did what, by which kind of credential. Entries are written and never changed."""

from __future__ import annotations

import logging
from datetime import timedelta
from threading import Thread
from time import sleep

from django.conf import settings
from django.db import DatabaseError, connection

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.outages import is_busy
from stichkampf_platform.core.passing_writes import passing_write
from stichkampf_platform.people.access.callers import Caller, credential_of, present_caller
from stichkampf_platform.people.models import AuditAction, AuditEntry, User
from stichkampf_platform.people.network_addresses import keyed_digest

SUBJECT_CHARACTERS = 200
PAUSES_SECONDS = (1.0, 5.0, *[30.0] * 20)
"""Between the tries to write an entry later; with SQLite each try waits for the lock besides."""

logger = logging.getLogger(__name__)


def note(
    action: AuditAction,
    *,
    person: User | None,
    caller: Caller | None = None,
    subject: str = "",
) -> None:
    """Write an entry. Call it in the transaction of what it tells, so that neither is there alone.

    :param caller: who did it from where; without one, who is answered at present, if anybody.
    :param subject: on what or whom, without secrets and mail addresses; it is cut at 200 characters.
    """
    AuditEntry(**_fields(action, person, caller or present_caller(), subject)).save()


def note_reading(action: AuditAction, *, person: User) -> None:
    """Write an entry about a request that only reads, and is answered although the database is busy.

    Then the entry stands in the program's log at once, and here as soon as the database takes it.
    """
    fields = _fields(action, person, present_caller(), "")
    if passing_write(lambda: AuditEntry.objects.create(**fields)) is None:
        logger.warning("an audit entry waits for the database: %s by %s", action, person.username)
        Thread(target=_write_later, args=(fields,), name="audit").start()


def _fields(
    action: AuditAction, person: User | None, caller: Caller | None, subject: str
) -> dict[str, object]:
    address = caller.address if caller is not None else ""
    return {
        "at": clock.now(),
        "person": person,
        "action": action,
        "credential": credential_of(caller, person),
        "subject": subject[:SUBJECT_CHARACTERS],
        "digest": keyed_digest(address) if address else "",
    }


def _write_later(fields: dict[str, object]) -> None:
    try:
        for pause in PAUSES_SECONDS:
            try:
                AuditEntry.objects.create(**fields)
                return
            except DatabaseError as error:
                if not is_busy(error):  # such as of a person who is gone
                    break
                sleep(pause)
        logger.error("an audit entry stands in this log alone: %s by %s", fields["action"], fields["person"])
    finally:
        connection.close()


def forget_old() -> None:
    """Delete entries after `AUDIT_DAYS`, and digests of addresses after `ADDRESS_DAYS`."""
    now = clock.now()
    AuditEntry.objects.filter(at__lt=now - timedelta(days=settings.AUDIT_DAYS)).delete()
    known = AuditEntry.objects.exclude(digest="")
    known.filter(at__lt=now - timedelta(days=settings.ADDRESS_DAYS)).update(digest="")
