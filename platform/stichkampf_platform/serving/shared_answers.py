"""Which answers are the same for several visitors, who then wait for one of them together.

Nothing is kept: an answer is shared only by those who asked before its making began, so none is older than
one made for each of them would be.
"""

from __future__ import annotations

from collections.abc import Hashable

from django.http.response import HttpResponseBase

from stichkampf_platform.core.request_size import Words

OF_A_PERSON = {b"cookie", b"authorization", b"content-length", b"transfer-encoding"}
WITHOUT_MEANING = {
    b"user-agent", b"referer", b"accept-language", b"cache-control", b"pragma", b"priority", b"dnt",
    b"connection", b"upgrade-insecure-requests", b"x-forwarded-for",
}  # fmt: skip
"""Headers by which no page differs. All others part visitors, those too of which nothing is known here."""


def common(scope: Words) -> Hashable | None:
    """What requests that want the same have in common; None where this visitor alone may see the answer."""
    names = {name for name, _ in scope["headers"]}
    if scope["method"] != "GET" or names & OF_A_PERSON:
        return None
    wanted = frozenset((name, value) for name, value in scope["headers"] if name not in WITHOUT_MEANING)
    return scope["path"], scope["query_string"], scope.get("scheme"), wanted


def is_for_all(response: HttpResponseBase) -> bool:
    """Whether such an answer may be told to several: it holds no secret, and nothing of a person."""
    kept = set(response.get("Cache-Control", "").replace(",", " ").split())
    return not (response.streaming or response.cookies or kept & {"private", "no-store"})
