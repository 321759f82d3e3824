"""Middleware that compresses pages on which no words of their request stand.

An answer with a secret, such as a form's token, and words of the request would tell by its compressed length
how much the two are alike. So only others are compressed, by Django's middleware, which blurs the length
besides. Pages out of the cache are compressed already, and hold no secret.
"""

from __future__ import annotations

from django.contrib.messages import get_messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TEXTS = ("text/", "application/json", "application/xml", "application/atom+xml", "image/svg+xml")


class CompressionMiddleware(GZipMiddleware):
    """Compress texts that answer with 200 to a plain address, one without a query."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_text = response.get("Content-Type", "").startswith(TEXTS)
        if response.streaming or not is_text or response.status_code != 200 or _may_repeat_words(request):
            return response
        return super().process_response(request, response)


def _may_repeat_words(request: HttpRequest) -> bool:
    """Tell whether words of a visitor may be in the answer: of this request, or in a message."""
    messages = get_messages(request)
    is_told = getattr(messages, "used", False) and len(messages) > 0
    return request.method != "GET" or request.META.get("QUERY_STRING", "") != "" or is_told
