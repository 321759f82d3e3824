"""Requests over HTTP: through the proxies that the environment names, and without following redirects."""

from __future__ import annotations

import urllib.request
from http.client import HTTPMessage, HTTPResponse
from typing import IO, Final
from urllib.error import URLError
from urllib.parse import urlsplit

from stichkampf.addresses import is_loopback, parts_of


class Proxies(urllib.request.ProxyHandler):
    """The proxies of `http_proxy`, `https_proxy` and `no_proxy`; none leads to this machine itself."""

    def proxy_open(self, req: urllib.request.Request, proxy: str, type: str) -> HTTPResponse | None:
        """Let the request go through the proxy, as the base class says.

        :raises URLError: the variable holds no address of an HTTP proxy. What it holds may have a password.
        """
        if is_loopback(urlsplit(req.full_url).hostname or ""):
            return None
        if parts_of(proxy if "://" in proxy else f"http://{proxy}", "http", "https") is None:
            raise URLError(f"{type}_proxy names no HTTP proxy; one looks like http://proxy.example.org:3128")
        return super().proxy_open(req, proxy, type)


def is_proxied(address: str) -> bool:
    """Tell whether requests to an address go through a proxy."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    return (
        parts.scheme in urllib.request.getproxies()
        and not is_loopback(host)
        and not urllib.request.proxy_bypass(host)
    )


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


OPENER: Final = urllib.request.build_opener(Proxies, _NoRedirects)
"""Opens requests; a redirect is an `HTTPError`, since following it would carry a token to another address."""
