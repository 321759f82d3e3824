"""The person behind a request, for the audit log and for limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from allauth.account.authentication import get_authentication_records
from django.http import HttpRequest, HttpResponseBase

from stichkampf_platform.people.access.callers import called_by
from stichkampf_platform.people.models import ApiToken, Credential, User
from stichkampf_platform.serving.addresses import address_of


@dataclass(frozen=True)
class RequestCaller:
    """A caller as a request tells it, when it is asked: a page that asks nothing reads no session."""

    request: HttpRequest

    @property
    def address(self) -> str:
        return address_of(self.request)

    @property
    def by_api(self) -> bool:
        return self.request.path.startswith("/api/")

    def credential_of(self, person: User) -> str:
        """Return the kind: a token's where there is one, else the kind by which the session was opened."""
        request = self.request
        if isinstance(getattr(request, "auth", None), ApiToken):
            return str(Credential.TOKEN)
        if not hasattr(request, "session"):
            return str(Credential.PASSWORD)
        records = get_authentication_records(request, person)
        if any(record.get("passwordless") for record in records):
            return str(Credential.PASSKEY)
        if any(record["method"] == "mfa" and not record.get("reauthenticated") for record in records):
            return str(Credential.SECOND_FACTOR)
        if any(record["method"] == "socialaccount" for record in records):
            return str(Credential.PROVIDER)
        return str(Credential.PASSWORD)


def tell_caller(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Say to all that is done for a request who makes it."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        with called_by(RequestCaller(request)):
            return get_response(request)

    return answer
