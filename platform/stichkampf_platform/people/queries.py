from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet

from stichkampf_platform.core import clock
from stichkampf_platform.people.models import ApiToken, Notice, User


def live_tokens(person: User) -> QuerySet[ApiToken]:
    """The tokens that a person may use now, newest first."""
    return person.api_tokens.filter(still_valid(clock.now()), revoked_at=None)


def still_valid(now: datetime) -> Q:
    """Return the condition that a token has not expired."""
    return Q(expires_at=None) | Q(expires_at__gt=now)


def notices_for(person: User) -> QuerySet[Notice]:
    """Return a person's own notices, newest first."""
    return person.notices.all()
