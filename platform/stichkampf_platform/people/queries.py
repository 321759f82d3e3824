from __future__ import annotations

from django.db.models import QuerySet

from stichkampf_platform.people.models import ApiToken, Notice, User


def live_tokens(person: User) -> QuerySet[ApiToken]:
    """The tokens that a person may use now, newest first."""
    return person.api_tokens.filter(revoked_at=None)


def notices_for(person: User) -> QuerySet[Notice]:
    """Return a person's own notices, newest first."""
    return person.notices.all()
