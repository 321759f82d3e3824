"""The audit log: who did what, by which kind of credential. Entries are written and never changed."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from stichkampf_platform.people.access.callers import Caller, credential_of, present_caller
from stichkampf_platform.people.models import AuditAction, AuditEntry, User
from stichkampf_platform.people.network_addresses import keyed_digest

SUBJECT_CHARACTERS = 200


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
    caller = caller or present_caller()
    address = caller.address if caller is not None else ""
    AuditEntry(
        at=timezone.now(),
        person=person,
        action=action,
        credential=credential_of(caller, person),
        subject=subject[:SUBJECT_CHARACTERS],
        digest=keyed_digest(address) if address else "",
    ).save()


def forget_old() -> None:
    """Delete entries after `AUDIT_DAYS`, and digests of addresses after `ADDRESS_DAYS`."""
    now = timezone.now()
    AuditEntry.objects.filter(at__lt=now - timedelta(days=settings.AUDIT_DAYS)).delete()
    known = AuditEntry.objects.exclude(digest="")
    known.filter(at__lt=now - timedelta(days=settings.ADDRESS_DAYS)).update(digest="")
