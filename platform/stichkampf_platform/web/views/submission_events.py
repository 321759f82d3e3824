"""What grows while one looks at it, as server-sent events: a word whenever the page is worth a new look."""

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
"""Then the browser asks again and says what it has seen; so no stream outlives a server for long."""
QUEUE_PAUSES = 20
"""After so many pauses it is looked whether the place in the queue has changed, which is news as well."""
STREAMS_PER_PERSON = 6
STREAMS = 60
"""So many are open at a time in one process of the site; each asks the database twice a second."""
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


_open: Counter[int] = Counter()
"""By person, the streams of this process; changed by its event loop alone."""


@dataclass(frozen=True)
class Progress:
    """How far a submission is: the number of its last line, and whether that was the last one."""

    line: int
    over: bool


def submission(request: HttpRequest, submission_id: int) -> HttpResponse:
    """An event for every change of a submission's log, whose id is the number of the last line.

    A browser that comes back with `Last-Event-ID` hears of what it has missed. 204 ends it for good: all has
    been told, too many listen, or the server is one that cannot keep a connection open; then the page asks
    again by itself.
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
    place: int | None = None
    for turn in range(round(STREAM_SECONDS / PAUSE_SECONDS)):
        progress = await LOGS.run_part(lambda: _progress(person, submission_id))
        if progress is None:
            return
        before = place
        if turn % QUEUE_PAUSES == 0:
            place = await LOGS.run_part(lambda: _place(submission_id))
        if seen != str(progress.line) or (turn and place != before):
            seen = str(progress.line)
            yield f"id: {seen}\ndata: {seen}\n\n"
        if progress.over:
            yield "event: over\ndata: over\n\n"
            return
        await asyncio.sleep(PAUSE_SECONDS)


def _progress(person: AbstractBaseUser | AnonymousUser, submission_id: int) -> Progress | None:
    """How far it is; None where this person may not see it."""
    found = submissions_for(person).filter(pk=submission_id).first()
    if found is None:
        return None
    last = found.lines.order_by("-number").values_list("number", flat=True).first()
    return Progress(last or 0, found.finished_at is not None)


def _place(submission_id: int) -> int | None:
    """Its place in the queue, as the page shows it."""
    found = Submission.objects.filter(pk=submission_id).first()
    return queue_position(found) if found else None
