"""Errors as JSON with a `detail` that says what was wrong and what would be right."""

from __future__ import annotations

import logging
import re

from django.core.exceptions import ValidationError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler, set_rollback
from stichkampf.errors import StichkampfError

from stichkampf_platform.core.errors import (
    BUSY,
    BUSY_SECONDS,
    ArbiterGone,
    DiskFull,
    NeedsYes,
    NotAllowed,
    NotShown,
    RecordDeleted,
    RecordUnreadable,
    TooMany,
)
from stichkampf_platform.core.machines.outages import is_busy
from stichkampf_platform.serving.odd_values import UNTAKEN, is_odd

logger = logging.getLogger(__name__)

NO_ROW = re.compile(r"No (\w+) matches the given query\.")


def explain(error: Exception, context: dict) -> Response | None:
    """Return the answer to an error; `None` leaves it to Django, which shows no detail."""
    if isinstance(error, StichkampfError):
        set_rollback()
        headers = {"Retry-After": str(error.seconds)} if isinstance(error, TooMany) else None
        return Response({"detail": str(error)}, status=_status(error), headers=headers)
    if is_busy(error):
        # with SQLite, when other requests write for longer than its `timeout`
        set_rollback()
        logger.error("answered 503: %s", error, exc_info=error)
        return Response({"detail": BUSY}, status=503, headers={"Retry-After": str(BUSY_SECONDS)})
    if isinstance(error, ValidationError):
        error = exceptions.ValidationError(_fields(error))
    if isinstance(error, Http404) and (missing := NO_ROW.fullmatch(str(error))):
        error = exceptions.NotFound(_nothing_at(context["request"].path, missing[1]))
    answer = exception_handler(error, context)
    if answer is None and _is_about_what_was_sent(error, context["request"]):
        set_rollback()
        logger.error("answered 400: %s", error, exc_info=error)
        answer = Response(_unreadable(error, context["request"]), status=400)
    if answer is not None and isinstance(error, exceptions.ValidationError):
        answer.data = _with_detail(answer.data)
    return answer


def _is_about_what_was_sent(error: Exception, request: Request) -> bool:
    """Tell whether a library below could not take a value: of its kind, and there is one that was sent."""
    sent = request.method not in SAFE_METHODS or bool(request.query_params)
    return sent and isinstance(error, UNTAKEN)


def _unreadable(error: Exception, request: Request) -> dict[str, list[str] | str]:
    """Say which fields have a value that libraries do not take; all that were sent where none stands out."""
    sent = getattr(request, "_full_data", {}) if request.method not in SAFE_METHODS else request.query_params
    fields = dict(sent.items()) if hasattr(sent, "items") else {}
    odd = [name for name, value in fields.items() if is_odd(value)] or list(fields)
    told = f"This cannot be taken ({type(error).__name__}: {str(error)[:200]})."
    return _with_detail({name: [told] for name in odd} or {"detail": told})


def _nothing_at(path: str, model: str) -> str:
    """Say that an address names nothing that the caller may see; in the same words where it exists hidden."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", model).lower()
    return f"There is no {name} at {path} that you may see."


def _with_detail(fields: dict | list) -> dict:
    """Return the errors of fields with a `detail` that holds all of them in one text."""
    if isinstance(fields, list):
        return {"detail": " ".join(_texts(fields))}
    told = [
        " ".join(_texts(wrong))
        if name in ("detail", "non_field_errors")
        else f"{name}: {' '.join(_texts(wrong))}"
        for name, wrong in fields.items()
    ]
    return {**fields, "detail": " ".join(told)}


def _texts(wrong: object) -> list[str]:
    if isinstance(wrong, dict):
        return [f"{name}: {text}" for name, inner in wrong.items() for text in _texts(inner)]
    if isinstance(wrong, list):
        return [text for inner in wrong for text in _texts(inner)]
    return [str(wrong)]


def _status(error: StichkampfError) -> int:
    if isinstance(error, NotShown):
        return 404
    if isinstance(error, RecordDeleted):
        return 410
    if isinstance(error, TooMany):
        return 429
    if isinstance(error, NotAllowed):
        return 403
    if isinstance(error, NeedsYes):
        return 409
    if isinstance(error, DiskFull):
        return 507
    return 503 if isinstance(error, ArbiterGone | RecordUnreadable) else 400


def _fields(error: ValidationError) -> dict:
    return error.message_dict if hasattr(error, "error_dict") else {"detail": error.messages}
