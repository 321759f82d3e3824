"""Tasks about classes, behind all other work."""

from __future__ import annotations

from celery import shared_task

from stichkampf_platform.classes import closing, likeness
from stichkampf_platform.core.machines.failures import each_by_itself

CLASSES_AT_ONCE = 20


@shared_task
def compare_code() -> None:
    """Compare the code of classes in which something is new."""
    each_by_itself(
        likeness.WORK,
        likeness.due_classes(),
        lambda school_class: likeness.compare(school_class=school_class),
        at_most=CLASSES_AT_ONCE,
    )


@shared_task
def delete_leftovers() -> None:
    """Delete what is left of closed accounts and could not be deleted before."""
    closing.delete_leftovers()
