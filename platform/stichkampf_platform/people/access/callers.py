"""Callers: a face says for as long as it answers who acts, from where and by which kind of credential."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from stichkampf_platform.people.models import Credential, User


class Caller(Protocol):
    """Somebody who asks a face for something.

    :ivar address: the network address, of IPv6 the /64; empty where there is none.
    :ivar by_api: by the API, not on a page.
    """

    @property
    def address(self) -> str: ...

    @property
    def by_api(self) -> bool: ...

    def credential_of(self, person: User) -> str:
        """Return the kind of credential by which a person comes."""


_present: ContextVar[Caller | None] = ContextVar("caller", default=None)


@contextmanager
def called_by(caller: Caller) -> Iterator[None]:
    """Act for this caller until the end of the block."""
    token = _present.set(caller)
    try:
        yield
    finally:
        _present.reset(token)


def present_caller() -> Caller | None:
    """Return who is answered at present; None where none is, as in a worker."""
    return _present.get()


def address_of_caller() -> str:
    caller = present_caller()
    return caller.address if caller is not None else ""


def credential_of(caller: Caller | None, person: User | None) -> str:
    return str(Credential.SYSTEM) if caller is None or person is None else caller.credential_of(person)
