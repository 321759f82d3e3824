"""Long answers as files that are made while they are sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.encoding import force_bytes

from stichkampf_platform.serving.request_slots import PAGES

PORTION = 50
"""Lines that are made at a time."""


def streamed(
    request: HttpRequest,
    lines: Iterable[str] | Iterable[bytes],
    *,
    content_type: str,
    file_name: str,
    portion: int | None = None,
) -> StreamingHttpResponse:
    """Return an answer of these lines. No more than a portion of them is in memory at a time.

    :param portion: the number of lines that are made at a time; `PORTION` where none is given.
    """
    # under ASGI Django would make a synchronous iterator whole before it sends the first line
    content = _portions(iter(lines), portion or PORTION) if isinstance(request, ASGIRequest) else lines
    answer = StreamingHttpResponse(content, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return answer


async def _portions(lines: Iterator[str | bytes], portion: int) -> AsyncIterator[bytes]:
    while part := await PAGES.run_part(lambda: b"".join(map(force_bytes, islice(lines, portion)))):
        yield part
