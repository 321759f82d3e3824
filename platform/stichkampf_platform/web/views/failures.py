"""What cannot be shown for now, through no fault of the visitor."""

from __future__ import annotations

import sys

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from stichkampf_platform.errors import BUSY, BUSY_SECONDS


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to an error that nobody caught; Django calls this, and logs the error, while it is handled.

    Here and not in a middleware, which would not see what another one raises: sessions are saved in one.
    """
    if not isinstance(sys.exception(), OperationalError):
        return defaults.server_error(request)
    answer = unavailable(request, BUSY)
    answer["Retry-After"] = str(BUSY_SECONDS)
    return answer


def unavailable(request: HttpRequest, reason: str) -> HttpResponse:
    """A page that needs neither database nor session."""
    return render(request, "503.html", {"reason": reason}, status=503)
