"""Long answers as files that are made while they are sent, a fixed number at a time.

Where all are taken, the newest of the address that has most goes, or where that is the newcomer, one that is
read too slowly: it ends in the middle, as when the line is lost. Else the newcomer is told to come again.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from time import monotonic
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.encoding import force_bytes
from stichkampf.addresses import network_of

from stichkampf_platform.core.actions import Export
from stichkampf_platform.core.errors import BUSY_SECONDS, CROWDED
from stichkampf_platform.serving.fair_slots import FairSlots
from stichkampf_platform.serving.request_slots import STREAMS
from stichkampf_platform.serving.trusted_proxies import is_trusted_proxy

PORTION = 50
"""Lines that are made at a time."""
STREAMS_AT_ONCE = 24
"""Long answers that one process of the site sends at a time."""
SLOW_SECONDS = 10.0
SLOW_BYTES_PER_SECOND = 16_384
"""Rate of a reader that keeps its slot, where another wants one and it has kept the site waiting."""


class LongAnswer:
    """The sending of a long answer.

    :ivar ended: done when it loses its slot.
    """

    def __init__(self) -> None:
        self.ended: Future[None] = Future()
        self._bytes, self._waited, self._offered = 0, 0.0, 0.0  # offered at, while the reader takes it

    @property
    def is_slow(self) -> bool:
        waited = self._waited + (monotonic() - self._offered if self._offered else 0.0)
        return waited > SLOW_SECONDS and self._bytes < waited * SLOW_BYTES_PER_SECOND

    async def portions(
        self, lines: Iterator[str | bytes], portion: int, address: str
    ) -> AsyncIterator[bytes]:
        """Make the answer, as fast as it is read."""
        while part := await STREAMS.run_part(
            lambda: b"".join(map(force_bytes, islice(lines, portion))), address=address
        ):
            self._bytes, self._offered = self._bytes + len(part), monotonic()
            yield part
            self._waited, self._offered = self._waited + monotonic() - self._offered, 0.0


_slots: FairSlots[LongAnswer] = FairSlots(STREAMS_AT_ONCE)
_slots_lock = threading.Lock()


def streamed(
    request: HttpRequest,
    lines: Iterable[str] | Iterable[bytes],
    *,
    content_type: str,
    file_name: str,
    portion: int | None = None,
) -> HttpResponseBase:
    """Return an answer of these lines. No more than a portion of them is in memory at a time.

    It is 503 where too many long answers are being sent.

    :param portion: the number of lines that are made at a time; `PORTION` where none is given.
    """
    if not isinstance(request, ASGIRequest):
        return _file(StreamingHttpResponse(lines), content_type, file_name)
    sending = LongAnswer()
    host = request.META.get("REMOTE_ADDR") or ""
    with _slots_lock:
        gone = _slots.take(sending, "" if is_trusted_proxy(host) else network_of(host))
        gone = _slow() or gone if gone is sending else gone
        if gone is not None:
            _slots.leave(gone)
            gone.ended.set_result(None)
    if gone is sending:
        return HttpResponse(
            f"{CROWDED}\n",
            status=503,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": BUSY_SECONDS, "Cache-Control": "no-store"},
        )
    # under ASGI Django would make a synchronous iterator whole before it sends the first line
    answer = StreamingHttpResponse(sending.portions(iter(lines), portion or PORTION, network_of(host)))
    answer._resource_closers.append(lambda: _leave(sending))  # type: ignore[attr-defined]
    answer.sending = sending  # type: ignore[attr-defined]
    return _file(answer, content_type, file_name)


def exported(request: HttpRequest, row: Export, on: Any, file_name: str) -> HttpResponseBase:
    """Answer with the file that a row makes of something."""
    return streamed(request, row.lines(on), content_type=row.content_type, file_name=file_name)


def is_refused(host: str) -> bool:
    """Tell, without making any answer, whether a request for a long one would get 503 now."""
    with _slots_lock:
        return _slots.refuses("" if is_trusted_proxy(host) else network_of(host)) and _slow() is None


def _file(answer: StreamingHttpResponse, content_type: str, file_name: str) -> StreamingHttpResponse:
    answer["Content-Type"] = content_type
    answer["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return answer


def _leave(sending: LongAnswer) -> None:
    with _slots_lock:
        _slots.leave(sending)


def _slow() -> LongAnswer | None:
    return next((each for each in _slots if each.is_slow), None)
