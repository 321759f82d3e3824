"""The proxies whose word on the visitor's address is believed, and whose own address says nothing."""

from __future__ import annotations

import ipaddress
import os
from functools import cache

from django.core.exceptions import ImproperlyConfigured


def trusted_proxies() -> list[str]:
    """Return the addresses and networks whose headers on the visitor's address are believed.

    Those of IPv4 come as IPv6, too, as they are written where a site listens for both.

    :raises ImproperlyConfigured: the text names something else.
    """
    text = os.environ.get("STICHKAMPF_PROXIES", "")
    proxies = [word.strip() for word in text.split(",") if word.strip()]
    for proxy in tuple(proxies):
        try:
            network = ipaddress.ip_network(proxy)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"STICHKAMPF_PROXIES names {proxy!r} ({error}); it must be addresses or networks of proxies, "
                "separated by commas, such as 127.0.0.1 or 172.30.61.0/24."
            ) from error
        if network.version == 4:
            proxies.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
    return proxies


@cache
def is_trusted_proxy(host: str) -> bool:
    """Tell whether a connection comes from a trusted proxy, behind which many visitors may be."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(proxy) for proxy in trusted_proxies())
