from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError

from stichkampf_platform.core.machines.outages import is_busy


class SessionStore(db.SessionStore):
    """Django's sessions. One that a busy database cannot save is not taken for a deleted one.

    A cookie can spell a NUL, which PostgreSQL takes in no text.
    """

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(super()._validate_session_key(key)) and "\0" not in (key or "")

    def save(self, must_create: bool = False) -> None:
        try:
            super().save(must_create)
        except UpdateError as error:
            if error.__context__ is not None and is_busy(error.__context__):
                raise error.__context__ from None
            raise
