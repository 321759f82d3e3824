"""Middleware that answers guests out of a cache of public pages.

A kept page holds the stamps that the tables it was made from had before it was made. It is served while those
are the present ones: a new snapshot, a closed account or a tournament that becomes private changes every page
that read it, and no other. Tables that are written all the time while matches are played are compared every
few seconds. A page that says that its match or block is over does not wait for those at all.

Requests with a session, a token or any cookie that may be a person's never meet the cache.
"""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import get_cache_key, get_conditional_response, learn_cache_key, patch_vary_headers

from stichkampf_platform.core import table_changes
from stichkampf_platform.serving.page_cache.public_pages import PUBLIC_PAGES
from stichkampf_platform.serving.private_pages import may_be_shared

LIFETIME_SECONDS = 60
"""The longest that a page stays: what changes with the clock alone, such as a deadline, is no older."""
PLAY_SECONDS = 5.0
"""The most that a page is behind matches that are being played."""
PLAY_TABLES = {
    *(
        "tournaments_block",
        "tournaments_table",
        "tournaments_participation",
        "tournaments_seat",
        "tournaments_result",
        "tournaments_fault",
        "tournaments_progresscounts",
    ),
    *("tournaments_matchrecord", "tournaments_seatreport", "storage_storedfile"),
    *("bots_remoteaccess", "bots_submission", "core_node"),
}
HARMLESS_COOKIES = {settings.LANGUAGE_COOKIE_NAME, settings.CSRF_COOKIE_NAME}
"""A page with a form token gets a cookie itself, and is not kept."""
MOST_BYTES = 65_536
"""The most of a page, compressed. The cache holds a fixed number of them in memory."""
KEY = "public"


@dataclass(frozen=True)
class CachedPage:
    """An answer 200 as guests get it.

    :ivar content: compressed.
    :ivar steady, playing: stamps of the tables that it was made from.
    """

    content: bytes
    headers: dict[str, str]
    etag: str
    steady: table_changes.Stamps
    playing: table_changes.Stamps
    made_at: float

    @classmethod
    def of(cls, answer: HttpResponse, stamps: table_changes.Stamps, over: bool) -> Self:
        headers = {name: value for name, value in answer.items() if name != "Content-Length"}
        headers.setdefault("ETag", f'W/"{hashlib.sha256(answer.content).hexdigest()[:32]}"')
        # it may be kept, but whether it is still true has to be asked each time
        headers.setdefault("Cache-Control", "no-cache")
        return cls(
            gzip.compress(answer.content, compresslevel=6, mtime=0),
            headers,
            headers["ETag"],
            {name: stamp for name, stamp in stamps.items() if name not in PLAY_TABLES},
            {name: stamp for name, stamp in stamps.items() if name in PLAY_TABLES and not over},
            time.monotonic(),
        )

    def is_present(self) -> bool:
        known = self.steady
        if time.monotonic() - self.made_at >= PLAY_SECONDS:
            known = {**self.steady, **self.playing}
        return table_changes.stamps(known) == known

    def answer(self, request: HttpRequest) -> HttpResponse:
        packed = re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")) is not None
        answer = HttpResponse(self.content if packed else gzip.decompress(self.content), headers=self.headers)
        if packed:
            answer["Content-Encoding"] = "gzip"
        answer["Content-Length"] = str(len(answer.content))
        patch_vary_headers(answer, ["Accept-Encoding", "Authorization", "Cookie"])
        found = get_conditional_response(request, etag=self.etag, response=answer)
        assert found is not None
        return found


def play_is_over(request: HttpRequest) -> None:
    """Say of the page of this request that no match which is still played changes it.

    It is made again after `LIFETIME_SECONDS` all the same, for what a match held back.
    """
    request.is_of_play_that_is_over = True  # type: ignore[attr-defined]


def keep_public_pages(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer guests out of the cache, and keep public pages that are not there."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not _is_guest(request):
            return get_response(request)
        pages = caches["pages"]
        key = get_cache_key(request, KEY, cache=pages)
        kept = None if key is None else pages.get(key)
        if kept is not None and kept.is_present():
            return kept.answer(request)
        before = table_changes.stamps(table_changes.all_tables())
        with table_changes.tables_read() as read:
            made = get_response(request)
        if before is None or not (isinstance(made, HttpResponse) and _is_public(request, made)):
            return made
        stamps = {name: before[name] for name in read}
        page = CachedPage.of(made, stamps, getattr(request, "is_of_play_that_is_over", False))
        if len(page.content) <= MOST_BYTES:
            key = learn_cache_key(request, made, LIFETIME_SECONDS, KEY, pages)
            pages.set(key, page, LIFETIME_SECONDS)
        return page.answer(request)

    return answer


def _is_guest(request: HttpRequest) -> bool:
    return (
        request.method == "GET"
        and "Authorization" not in request.headers
        and HARMLESS_COOKIES.issuperset(request.COOKIES)
    )


def _is_public(request: HttpRequest, answer: HttpResponse) -> bool:
    match = request.resolver_match
    return (
        answer.status_code == 200
        and match is not None
        and match.view_name in PUBLIC_PAGES
        and may_be_shared(answer)
    )
