"""Network addresses, as limits count them: one for each customer of a network."""

from __future__ import annotations

import ipaddress


def network_of(host: str) -> str:
    """Return the address that counts as one customer: a whole IPv4 address, or the /64 of an IPv6 one.

    An IPv4 address written as IPv6 is the same customer. A text that is no address stays as it is.
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    mapped = address.ipv4_mapped
    return str(mapped) if mapped else str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))
