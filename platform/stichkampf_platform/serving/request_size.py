"""A limit on the size of requests: Django would read the whole body before it checks the sender."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from stichkampf.limits import ARCHIVE_BYTES, LIGHT, MIB

from stichkampf_platform.serving.private_pages import PRIVATE

REQUEST_BYTES = LIGHT.archive_bytes + MIB
"""The most of a request to most addresses."""
ARCHIVE_REQUEST_BYTES = ARCHIVE_BYTES + MIB
"""The same where archives are sent: the largest archive and the form around it."""
ARCHIVE_ADDRESSES = ("/versions/", "/submit/")
"""The ends of addresses to which archives are sent."""
DISCARDED_BYTES = 8 * REQUEST_BYTES
"""Browsers read no answer before they have sent everything; one that sends even more than this gets none."""
BOTH_LENGTHS = "A request must give either Content-Length or Transfer-Encoding, not both."
REFUSAL = f"A request may have at most {{:,}} bytes, an archive at most {ARCHIVE_BYTES:,}."

Words = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Words]]
Send = Callable[[Words], Awaitable[None]]
Site = Callable[[Words, Receive, Send], Awaitable[None]]


def limit_request_size(site: Site) -> Site:
    """Wrap an ASGI application: answer 413 to requests that declare or send more than their address takes.

    And 400 to a request with two lengths: a proxy may believe the one, the site the other, and what lies
    between them would be a second request that the proxy never saw. In both cases the connection ends.
    """

    async def answer(scope: Words, receive: Receive, send: Send) -> None:
        taken, more = 0, True
        most = ARCHIVE_REQUEST_BYTES if _takes_archives(scope) else REQUEST_BYTES

        async def take() -> Words:
            nonlocal taken, more
            message = await receive()
            taken, more = taken + len(message.get("body", b"")), message.get("more_body", False)
            # to Django it looks as if the visitor had gone, so it forgets the request without an answer
            return message if taken <= most else {"type": "http.disconnect"}

        names = {name for name, _ in scope["headers"]}
        if names >= {b"content-length", b"transfer-encoding"}:
            await _refuse(scope, send, 400, BOTH_LENGTHS)
            await send({"type": "http.response.body"})
            return
        if _declared(scope) <= most:
            await site(scope, take, send)
            if taken <= most:
                return
        await _refuse(scope, send, 413, REFUSAL.format(most))
        if more:
            await _discard(receive)
        await send({"type": "http.response.body"})

    return answer


def _takes_archives(scope: Words) -> bool:
    return bool(scope["method"] == "POST" and scope["path"].endswith(ARCHIVE_ADDRESSES))


def _declared(scope: Words) -> int:
    """Return the length that the request declares, which the server has checked; 0 for none."""
    return int(dict(scope["headers"]).get(b"content-length", 0))


async def _refuse(scope: Words, send: Send, status: int, reason: str) -> None:
    """Send the reason, and leave the end of the answer to the caller."""
    for_programs = scope["path"].startswith("/api/")
    text = json.dumps({"detail": reason}) if for_programs else f"{reason}\n"
    headers = {
        "content-type": "application/json" if for_programs else "text/plain",
        "content-length": str(len(text)),
        "connection": "close",
        "cache-control": PRIVATE,
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _discard(receive: Receive) -> None:
    discarded = 0
    while discarded < DISCARDED_BYTES:
        message = await receive()
        discarded += len(message.get("body", b""))
        if not message.get("more_body", False):
            return
