"""Answers to unknown addresses and to errors of the server."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import defaults
from stichkampf.errors import StichkampfError

from stichkampf_platform.core.errors import BUSY, BUSY_SECONDS, RecordDeleted, RecordUnreadable, TooMany
from stichkampf_platform.core.machines.outages import is_busy
from stichkampf_platform.serving.odd_values import UNTAKEN, names_untaken

UNREADABLE = gettext_lazy(
    "The request cannot be read: it has too many fields or files, or parts that do not fit together."
)

logger = logging.getLogger(__name__)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the answer to an unknown address: JSON for the API, else a page."""
    if request.path.startswith("/api/"):
        return _no_such_address(request)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the answer to an uncaught error. Django calls this, and logs the error, while handling it.

    Not a middleware, which would miss errors of other middlewares, such as the one that saves sessions.
    """
    error = sys.exception()
    if isinstance(error, UNTAKEN) and (names := _untaken(request, error)) is not None:
        logger.error("answered 400: %s", error, exc_info=error)
        return refused(request, 400, _about(names))
    if not is_busy(error):
        return defaults.server_error(request)
    api = request.path.startswith("/api/")
    answer = JsonResponse({"detail": BUSY}, status=503) if api else unavailable(request, BUSY)
    answer["Retry-After"] = str(BUSY_SECONDS)
    return answer


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the answer to a request that cannot be read, with the reason where it is written for people."""
    told = isinstance(exception, BadRequest) and str(exception)
    return refused(request, 400, told or str(UNREADABLE))


def refused(request: HttpRequest, status: int, reason: str) -> HttpResponse:
    """Refuse a request with a reason: in JSON for the API, else on a page that needs no database."""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": reason}, status=status)
    return render(request, "400.html", {"reason": reason}, status=status)


def _untaken(request: HttpRequest, error: Exception) -> list[str] | None:
    """Return the fields with values that a library could not take; `None` where the fault is the server's."""
    try:
        sent = [dict(request.GET.lists()), dict(request.POST.lists())]
        files = {name: [str(file.name)] for name, file in request.FILES.items()}
    except (UnicodeError, LookupError):
        return []
    names = names_untaken(error, [*sent, files, {"address": [request.path]}])
    if names:
        return names
    # a time or a number beyond what libraries count to is no fault of the server either
    return [] if isinstance(error, OverflowError) and any(sent) else None


def _about(names: list[str]) -> str:
    if not names:
        return _("A value that was sent cannot be taken: it is too large, or no text.")
    told = _("A value that was sent cannot be taken ({names}): it is too long, of another kind, or no text.")
    return told.format(names=", ".join(names[:10]))


def page_again(
    request: HttpRequest,
    template: str,
    page: Mapping[str, object],
    refusal: StichkampfError | None,
    status: int,
) -> HttpResponse:
    """Return a page with the `reason` and the status of a refusal of what it has sent, if there is one.

    Too many of something are always 429 with `Retry-After`, as in the API.
    """
    answer = render(request, template, {**page, "reason": "" if refusal is None else str(refusal)})
    if refusal is not None:
        answer.status_code = status
    if isinstance(refusal, TooMany):
        answer.status_code = 429
        answer["Retry-After"] = str(refusal.seconds)
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
