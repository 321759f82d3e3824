"""Conditional requests: an answer that is known by its key is not made again for those who have it.

The key names all that the answer is made of, such as the digest of a snapshot. The answer carries it as
`ETag`, and a request that names it in `If-None-Match` gets 304 and no content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from datetime import datetime

import stichkampf
from django.http import HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date, quote_etag
from rest_framework.request import Request

from stichkampf_platform.serving.private_pages import KEPT_BY_ONE

NOT_MODIFIED = {"GET": (304,)}
"""The `more_errors` of a view that answers so."""


def if_changed(
    request: Request, *key: Hashable, at: datetime | None, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """Return the answer with its key, or 304 where the visitor has it already.

    :param key: all that the answer depends on besides its address and this release.
    :param at: when that last changed, for `Last-Modified`; None where no time says it.
    """
    named = hashlib.sha256(repr((stichkampf.__version__, request.path, key)).encode()).hexdigest()[:32]
    etag = quote_etag(named)
    seconds = None if at is None else int(at.timestamp())
    found = get_conditional_response(request, etag=etag, last_modified=seconds) or answer()
    found["ETag"] = etag
    if seconds is not None:
        found["Last-Modified"] = http_date(seconds)
    # it may be kept, but whether it is still true has to be asked each time
    found["Cache-Control"] = KEPT_BY_ONE if request.user.is_authenticated else "no-cache"
    patch_vary_headers(found, ["Authorization", "Cookie"])
    return found
