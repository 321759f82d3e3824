"""Middleware that keeps personal pages out of all caches.

The first of all, so that it also marks what others answer in place of a page, such as errors.
"""

from __future__ import annotations

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django.views.decorators.cache import cache_control

from stichkampf_platform.core.page_addresses import in_language

PRIVATE = "private, no-store"
PERSONAL = ("/admin/", "/play/")
"""Beginnings of addresses, without their language, whose answers are secret also without a session."""
KEPT_BY_ONE = "private, no-cache"
"""For answers without secrets that the program of one visitor may keep, and asks about each time."""


kept_by_nobody = cache_control(private=True, no_store=True)
"""Decorator of views whose answers are secret also where a visitor has no session; it says `PRIVATE`."""


@sync_and_async_middleware
def keep_private(get_response):  # type: ignore[no-untyped-def]
    """Mark answers to a session or a token, at tables of people and in the administration as unstorable.

    A view that says itself how its answer may be kept has put no secret of the person into it.
    """
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            return _marked(request, await get_response(request))

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        return _marked(request, get_response(request))

    return answer


def _marked(request: HttpRequest, answer: HttpResponseBase) -> HttpResponseBase:
    session = settings.SESSION_COOKIE_NAME
    knows_who = session in request.COOKIES or session in answer.cookies or "Authorization" in request.headers
    personal = in_language(request.path, settings.LANGUAGE_CODE).startswith(PERSONAL)
    if (knows_who or personal) and not _may_be_kept(answer):
        answer["Cache-Control"] = PRIVATE
    return answer


def _may_be_kept(answer: HttpResponseBase) -> bool:
    said = answer.get("Cache-Control", "")
    words = [word.strip() for word in said.split(",")]
    return said == KEPT_BY_ONE or any(word.startswith("max-age=") and word != "max-age=0" for word in words)


def may_be_shared(response: HttpResponseBase) -> bool:
    """Tell whether several visitors may get this answer: it has no secret and nothing about a person."""
    kept = set(response.get("Cache-Control", "").replace(",", " ").split())
    return not (response.streaming or response.cookies or kept & {"private", "no-store"})
