"""The administration's log, which the API for organisers writes too, in the audit log."""

from __future__ import annotations

from django.contrib.admin.models import LogEntry

from stichkampf_platform.people.access import audit
from stichkampf_platform.people.access.callers import present_caller
from stichkampf_platform.people.models import AuditAction


def note_admin_log(*, instance: LogEntry, created: bool, raw: bool = False, **signal: object) -> None:
    """Write an entry of it as an act.

    :param raw: true for an entry that comes with its audit entry from another database.
    """
    if raw or not created:
        return
    caller = present_caller()
    act = instance.get_change_message() or instance.get_action_flag_display()
    audit.note(
        AuditAction.ORGANISED if caller and caller.by_api else AuditAction.ADMINISTERED,
        person=instance.user,
        subject=f"{instance.content_type.name} {instance.object_repr}: {act}",
    )
