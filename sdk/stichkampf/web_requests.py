"""Requests over HTTP that follow no redirect, since it would carry a token to another address."""

from __future__ import annotations

import urllib.request
from http.client import HTTPMessage
from typing import IO, Final


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


OPENER: Final = urllib.request.build_opener(_NoRedirects)
"""Opens requests; a redirect is an `HTTPError`."""
