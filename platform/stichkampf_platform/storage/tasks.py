from __future__ import annotations

from celery import shared_task

from stichkampf_platform.storage import copying


@shared_task
def copy_files() -> None:
    """Copy the files that wait in the database into the store."""
    copying.copy_files()
