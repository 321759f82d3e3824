"""Draining: what has begun goes on to its end, and nothing else begins.

The order stands in the database, so it holds on all nodes.
"""

from __future__ import annotations

from stichkampf_platform.core.models import DrainOrder


def is_draining() -> bool:
    """Tell whether nothing may begin."""
    return DrainOrder.objects.exists()


def begin() -> None:
    """Let nothing begin any more."""
    if not is_draining():
        DrainOrder.objects.create()


def end() -> None:
    """Let everything begin again."""
    DrainOrder.objects.all().delete()
