"""The encodings of requests: texts come in UTF-8, as browsers and programs send them.

Django takes any codec of Python that a request names, for its query too: some make half characters of plain
text, others are no encodings of text at all.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from stichkampf_platform.web.views.error_pages import refused

TAKEN = frozenset({"utf-8", "ascii"})


def take_utf8(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer 415 to a request that says its text is in another encoding."""

    def answer(request: HttpRequest) -> HttpResponse:
        named = (request.content_params or {}).get("charset", "utf-8")
        if _is_taken(named):
            return get_response(request)
        told = _("Send text in UTF-8; this request says that its encoding is {name}.")
        return refused(request, 415, told.format(name=ascii(named[:40])))

    return answer


def _is_taken(name: str) -> bool:
    try:
        return codecs.lookup(name).name in TAKEN
    except (LookupError, ValueError):  # ValueError: a NUL in it
        return False
