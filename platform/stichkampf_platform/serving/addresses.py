"""The network address of a visitor."""

from __future__ import annotations

from django.http import HttpRequest
from stichkampf.addresses import network_of


def address_of(request: HttpRequest | None) -> str:
    """The visitor's address, of IPv6 the /64; empty where there is none.

    That is who is connected; uvicorn puts in what a proxy says, where it trusts the proxy.
    """
    return network_of(request.META.get("REMOTE_ADDR") or "") if request is not None else ""


def is_named(request: HttpRequest) -> bool:
    """Tell whether a trusted proxy named the visitor's address.

    Then it is the visitor's own. Else it may be that of a proxy which the installation does not know, and
    that of all visitors. uvicorn has put in what a trusted proxy appended; no other appends its own address.
    """
    forwarded = request.headers.get("X-Forwarded-For", "").split(",")
    return address_of(request) in {network_of(host.strip()) for host in forwarded} - {""}
