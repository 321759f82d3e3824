"""Leases of work: they hold until their time, and none for longer than any program asks for.

One that reaches further was taken while a clock was wrong; nobody renews it or gives it back.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q

from stichkampf_platform.core import clock

LONGEST = timedelta(hours=1)


def free() -> Q:
    """Match work that nobody has leased."""
    now = clock.now()
    return Q(lease_until=None) | Q(lease_until__lt=now) | Q(lease_until__gt=now + LONGEST)


def held() -> Q:
    """Match work under a lease."""
    now = clock.now()
    return Q(lease_until__gte=now, lease_until__lte=now + LONGEST)
