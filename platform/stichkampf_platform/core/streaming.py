"""Long answers as files, made while they are sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from stichkampf_platform.serving.request_slots import PAGES

PORTION = 50
"""So many lines are made at once."""


def streamed(
    request: HttpRequest, lines: Iterable[str], *, content_type: str, file_name: str
) -> StreamingHttpResponse:
    """An answer of these lines. No more than a portion of them is in memory at a time."""
    # what is not asynchronous Django would make wholly under ASGI before it sends the first line
    content = _portions(iter(lines)) if isinstance(request, ASGIRequest) else lines
    answer = StreamingHttpResponse(content, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return answer


async def _portions(lines: Iterator[str]) -> AsyncIterator[str]:
    while portion := await PAGES.go_on(lambda: "".join(islice(lines, PORTION))):
        yield portion
