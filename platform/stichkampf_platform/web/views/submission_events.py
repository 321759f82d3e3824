"""Server-sent events for the page of a submission, so that it shows a growing log."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse

from stichkampf_platform.bots.models import Submission
from stichkampf_platform.bots.queries import queue_position, submissions_for
from stichkampf_platform.serving.request_slots import LOGS

PAUSE_SECONDS = 0.5
STREAM_SECONDS = 300
"""The longest duration of a stream. Then the browser reconnects with the last event that it has seen."""
QUEUE_PAUSES = 20
"""Pauses between two checks of the position in the queue, whose change is an event as well."""
STREAMS_PER_PERSON = 6
STREAMS = 60
"""The most streams of one process of the site; each asks the database twice a second."""
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


_open: Counter[int] = Counter()
"""Open streams of this process by person. Only its event loop changes them."""


@dataclass(frozen=True)
class LogProgress:
    """The state of a submission's log: the number of its last line, and whether the log is complete."""

    line: int
    over: bool


def submission(request: HttpRequest, submission_id: int) -> HttpResponse:
    """Stream an event for every change of a submission's log; its id is the number of the last line.

    A browser that reconnects with `Last-Event-ID` gets the events that it has missed. Status 204 tells it not
    to reconnect: the log is complete, there are too many streams, or the server cannot keep connections open.
    The page then asks again by itself.
    """
    person = request.user
    progress = _progress(person, submission_id)
    if progress is None:
        raise Http404
    seen = request.headers.get("Last-Event-ID", "")
    told = progress.over and seen == str(progress.line)
    if told or not isinstance(request, ASGIRequest) or _is_full(person):
        return HttpResponse(status=204)
    events = _events(person, submission_id, seen)
    return StreamingHttpResponse(events, content_type="text/event-stream", headers=HEADERS)


def _is_full(person: AbstractBaseUser | AnonymousUser) -> bool:
    return _open[person.pk] >= STREAMS_PER_PERSON or _open.total() >= STREAMS


async def _events(
    person: AbstractBaseUser | AnonymousUser, submission_id: int, seen: str
) -> AsyncIterator[str]:
    if _is_full(person):  # many came in at once
        return
    _open[person.pk] += 1
    try:
        async for event in _changes(person, submission_id, seen):
            yield event
    finally:
        _open[person.pk] -= 1


async def _changes(
    person: AbstractBaseUser | AnonymousUser, submission_id: int, seen: str
) -> AsyncIterator[str]:
    position: int | None = None
    for turn in range(round(STREAM_SECONDS / PAUSE_SECONDS)):
        progress = await LOGS.run_part(lambda: _progress(person, submission_id))
        if progress is None:
            return
        before = position
        if turn % QUEUE_PAUSES == 0:
            position = await LOGS.run_part(lambda: _queue_position(submission_id))
        if seen != str(progress.line) or (turn and position != before):
            seen = str(progress.line)
            yield f"id: {seen}\ndata: {seen}\n\n"
        if progress.over:
            yield "event: over\ndata: over\n\n"
            return
        await asyncio.sleep(PAUSE_SECONDS)


def _progress(person: AbstractBaseUser | AnonymousUser, submission_id: int) -> LogProgress | None:
    """Return the state of the log; None if this person may not see it."""
    found = submissions_for(person).filter(pk=submission_id).first()
    if found is None:
        return None
    last = found.lines.order_by("-number").values_list("number", flat=True).first()
    return LogProgress(last or 0, found.finished_at is not None)


def _queue_position(submission_id: int) -> int | None:
    """Return the position in the queue, from 1, as the page shows it."""
    found = Submission.objects.filter(pk=submission_id).first()
    return queue_position(found) if found else None
