"""Answers to unknown addresses and to errors of the server."""

from __future__ import annotations

import sys

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views import defaults

from stichkampf_platform.core.errors import BUSY, BUSY_SECONDS, RecordDeleted, RecordUnreadable


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the answer to an unknown address: JSON for the API, else a page."""
    if request.path.startswith("/api/"):
        return _no_such_address(request)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the answer to an uncaught error. Django calls this, and logs the error, while handling it.

    Not a middleware, which would miss errors of other middlewares, such as the one that saves sessions.
    """
    if not isinstance(sys.exception(), OperationalError):
        return defaults.server_error(request)
    api = request.path.startswith("/api/")
    answer = JsonResponse({"detail": BUSY}, status=503) if api else unavailable(request, BUSY)
    answer["Retry-After"] = str(BUSY_SECONDS)
    return answer


def unavailable(request: HttpRequest, reason: str) -> HttpResponse:
    """Return a page with status 503 that needs neither database nor session."""
    return render(request, "503.html", {"reason": reason}, status=503)


def no_record(request: HttpRequest, error: RecordUnreadable) -> HttpResponse:
    """Return a page that says why there is no record: 410 where it was deleted, and 503 otherwise."""
    if isinstance(error, RecordDeleted):
        return render(request, "web/replay/deleted.html", {"reason": str(error)}, status=410)
    return unavailable(request, str(error))


def _no_such_address(request: HttpRequest) -> JsonResponse:
    """Answer in JSON a request for an address below /api/ that does not exist."""
    text = f"There is no address {request.path[:200]!r}; GET /api/v1/ lists the existing ones."
    return JsonResponse(
        {"detail": f"{text} Names in addresses have letters, digits and hyphens."}, status=404
    )
