"""Addresses for monitors: `/healthz` that the process lives, `/readyz` that it can answer, `/metrics`.

A middleware, and the first, so that neither the host's name nor https stands between a monitor on the same
machine and its answer.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from stichkampf_platform.operations.metrics import exposition
from stichkampf_platform.operations.schema import schema_is_current

FORWARDED = ("X-Forwarded-For", "Forwarded", "X-Real-IP")
WITHOUT_TOKEN = (
    "Metrics are for the operator: send METRICS_TOKEN as a bearer token, or ask from the same machine"
    " without a proxy.\n"
)
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

GetAnswer = Callable[[HttpRequest], HttpResponse]


def answer_probes(get_response: GetAnswer) -> GetAnswer:
    """Answer the addresses for monitors, and leave all others to the site."""
    probes = {"/healthz": _alive, "/readyz": _ready, "/metrics": _metrics}

    def answer(request: HttpRequest) -> HttpResponse:
        probe = probes.get(request.path_info)
        return get_response(request) if probe is None else probe(request)

    return answer


def is_operator(request: HttpRequest) -> bool:
    """Tell whether a request has the token, or comes straight from this machine."""
    token = settings.METRICS_TOKEN
    if token and constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {token}"):
        return True
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def _alive(_: HttpRequest) -> HttpResponse:
    return _text("alive\n")


def _ready(_: HttpRequest) -> HttpResponse:
    try:
        current = schema_is_current()
    except DatabaseError:
        return _text("not ready: the database cannot be reached\n", 503)
    return _text("ready\n") if current else _text("not ready: the database's schema is an older one\n", 503)


def _metrics(request: HttpRequest) -> HttpResponse:
    if not is_operator(request):
        return _text(WITHOUT_TOKEN, 403)
    return _text(exposition(), content_type=METRICS_TYPE)


def _text(content: str | bytes, status: int = 200, content_type: str = "text/plain") -> HttpResponse:
    return HttpResponse(
        content, status=status, content_type=content_type, headers={"Cache-Control": "no-store"}
    )
