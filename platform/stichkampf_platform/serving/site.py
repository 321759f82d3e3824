"""Django as an ASGI application that occupies a request slot only while it makes an answer.

Django's own ASGI handler gives each request its own thread, and with it a connection to the database. Here
the whole request is read first, then one of a fixed number of threads makes the answer, then that is sent.
So a visitor who sends or reads slowly occupies neither a thread nor a connection to the database.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import Any

from django.core import signals
from django.core.exceptions import RequestAborted, SuspiciousOperation
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, override
from stichkampf.addresses import network_of

from stichkampf_platform.core.errors import BUSY_SECONDS, CROWDED, TOO_LONG
from stichkampf_platform.core.page_addresses import language_of
from stichkampf_platform.serving.private_pages import PRIVATE, may_be_shared
from stichkampf_platform.serving.request_counts import note_answer
from stichkampf_platform.serving.request_size import Receive, Send, Words
from stichkampf_platform.serving.request_slots import (
    HEALTH,
    MONITORS,
    PAGES,
    STREAMS,
    NoFreeSlot,
    TookTooLong,
)
from stichkampf_platform.serving.shared_answers import sharing_key
from stichkampf_platform.serving.streaming import LongAnswer, is_refused

logger = logging.getLogger(__name__)

SLOTS = {"/health/": HEALTH, "/healthz": HEALTH, "/readyz": MONITORS, "/metrics": MONITORS}
"""By address, slots other than those of pages."""
REFUSED_SECONDS = 1.0
"""The pause before a download is refused: who asks again at once costs little."""
UNREADABLE = gettext_lazy("The request cannot be read: its address or its Content-Type is wrong.")


class SiteHandler(ASGIHandler):
    """Takes requests in and sends answers out in the event loop; makes the answers in threads.

    :param long: ends of the addresses of long answers.
    """

    def __init__(self, long: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._long = long

    def load_middleware(self, is_async: bool = False) -> None:
        """Load it synchronous, as the pages are: each switch between thread and loop would cost time."""
        super().load_middleware(is_async=False)

    def create_request(self, scope: Words, body: SpooledTemporaryFile[bytes]) -> Any:
        """Make the request and no answer, or no request and the answer that says why."""
        try:
            request, answer = super().create_request(scope, body)
        except (
            LookupError,
            ValueError,
            SuspiciousOperation,
        ):  # with an encoding that is named, Django reads the query at once
            return None, _unanswered(scope, UNREADABLE, 400)
        if answer is not None and answer.status_code == 400:  # empty
            answer = _unanswered(scope, UNREADABLE, 400)
        return request, answer

    async def handle(self, scope: Words, receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        is_long = scope["path"].endswith(self._long)
        slots = SLOTS.get(scope["path"], STREAMS if is_long else PAGES)
        client = scope.get("client")
        address = network_of(client[0]) if client else ""
        begun = monotonic()
        if client and is_long and is_refused(client[0]):  # it would take a thread from others
            with body:
                await asyncio.sleep(REFUSED_SECONDS)
                await self.send_response(_unanswered(scope, CROWDED), send)
            note_answer(scope["path"], 503, monotonic() - begun)
            return
        with body:
            gone = asyncio.ensure_future(receive())
            try:
                made_for, response = await slots.run(
                    lambda: self._answer(scope, body),
                    gone=gone,
                    same=sharing_key(scope),
                    address=address,
                    drop=_close,
                )
                if made_for is not scope and not may_be_shared(response):
                    _, response = await slots.run(
                        lambda: self._answer(scope, body), gone=gone, address=address, drop=_close
                    )
            except NoFreeSlot:
                response = _unanswered(scope, CROWDED)
            except TookTooLong:
                logger.error("%s %s took too long and was ended", scope["method"], scope["path"])
                response = _unanswered(scope, TOO_LONG)
            note_answer(scope["path"], response.status_code, monotonic() - begun)
            try:
                sending: LongAnswer | None = getattr(response, "sending", None)
                ends = [gone] if sending is None else [gone, asyncio.wrap_future(sending.ended)]
                await _unless(ends, self.send_response(response, send))
            finally:
                gone.cancel()
                if response.streaming:
                    await slots.run_part(response.close, address=address)

    def _answer(self, scope: Words, body: SpooledTemporaryFile[bytes]) -> tuple[Words, HttpResponseBase]:
        """Make an answer in a thread: the request's scope, and the whole answer or one made while sent."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, response = self.create_request(scope, body)
        if request is not None:
            response = self.get_response(request)
        response._handler_class = self.__class__
        if response.streaming and not response.is_async:
            response = _whole(response)
        if not response.streaming:
            response.close()
        return scope, response


def _close(made: tuple[Words, HttpResponseBase]) -> None:
    """Close an answer whose visitor has left: a long one gives its slot back."""
    made[1].close()


def _whole(response: Any) -> HttpResponse:
    """Read a static file into memory, so that the thread need not wait until it is sent."""
    whole = HttpResponse(b"".join(response), status=response.status_code, headers=response.headers)
    whole.cookies = response.cookies
    whole._handler_class = response._handler_class
    whole._resource_closers = response._resource_closers
    return whole


def _unanswered(scope: Words, reason: Promise, status: int = 503) -> HttpResponse:
    for_programs = scope["path"].startswith("/api/")
    with override(language_of(scope["path"])):
        text = json.dumps({"detail": str(reason)}) if for_programs else f"{reason}\n"
    headers = {"Content-Length": len(text.encode()), "Cache-Control": PRIVATE}
    if status == 503:
        headers["Retry-After"] = BUSY_SECONDS
    kind = "application/json" if for_programs else "text/plain; charset=utf-8"
    return HttpResponse(text, status=status, content_type=kind, headers=headers)


async def _unless(ends: list[asyncio.Future[Any]], sending: Awaitable[None]) -> None:
    """Send, and stop where the visitor leaves before the end, or a long answer loses its slot."""
    task = asyncio.ensure_future(sending)
    await asyncio.wait({task, *ends}, return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.result()
