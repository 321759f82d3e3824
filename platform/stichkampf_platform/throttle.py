"""How often one person or address may sign up and in, make tokens and submit; for pages and API alike."""

from __future__ import annotations

from math import ceil

from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle


class ScopedThrottle(SimpleRateThrottle):
    """The rate of its scope in the settings, counted by account, or by address where nobody is logged in."""

    def get_cache_key(self, request, view) -> str | None:
        person = getattr(request, "user", None)
        ident = person.pk if person is not None and person.is_authenticated else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


class SignUpThrottle(ScopedThrottle):
    scope = "sign-up"


class SignInThrottle(ScopedThrottle):
    scope = "sign-in"


class TokenThrottle(ScopedThrottle):
    scope = "tokens"


class SubmissionThrottle(ScopedThrottle):
    scope = "submissions"


def seconds_to_wait(throttle: type[ScopedThrottle], request: HttpRequest) -> int:
    """Count a request of a page; 0 where it may go on, else after how many seconds it may be repeated."""
    counter = throttle()
    if counter.allow_request(request, None):
        return 0
    return max(1, ceil(counter.wait() or 1))
