"""Requests that get one answer together, because their visitors would all see the same.

Nothing is cached: an answer is shared only between requests that arrived before the work on it began, so no
visitor gets an older answer than a separate one would be.
"""

from __future__ import annotations

from collections.abc import Hashable

from stichkampf_platform.serving.request_size import Words

FRONT = "/"
PERSONAL_HEADERS = {b"cookie", b"authorization", b"content-length", b"transfer-encoding"}
IGNORED_HEADERS = {
    *(b"user-agent", b"referer", b"accept-language", b"cache-control", b"pragma", b"priority", b"dnt"),
    *(b"connection", b"upgrade-insecure-requests", b"x-forwarded-for"),
}
"""Headers that change no page; the language that a browser asks for changes only the front page.

Requests that differ in any other header, known or not, share no answer.
"""


def sharing_key(scope: Words) -> Hashable | None:
    """Return a key that requests of the same page share; None if only this visitor may see the answer."""
    names = {name for name, _ in scope["headers"]}
    if scope["method"] != "GET" or names & PERSONAL_HEADERS:
        return None
    ignored = IGNORED_HEADERS - {b"accept-language"} if scope["path"] == FRONT else IGNORED_HEADERS
    wanted = frozenset((name, value) for name, value in scope["headers"] if name not in ignored)
    return scope["path"], scope["query_string"], scope.get("scheme"), wanted
