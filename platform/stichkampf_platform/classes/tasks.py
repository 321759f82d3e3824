"""Tasks about classes, behind all other work."""

from __future__ import annotations

from celery import shared_task

from stichkampf_platform.classes import closing, likeness

CLASSES_AT_ONCE = 20


@shared_task
def compare_code() -> None:
    """Compare the code of classes in which something is new."""
    for school_class in likeness.due_classes()[:CLASSES_AT_ONCE]:
        likeness.compare(school_class=school_class)


@shared_task
def delete_leftovers() -> None:
    """Delete what is left of closed accounts and could not be deleted before."""
    closing.delete_leftovers()
