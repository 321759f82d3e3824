"""Addresses: those of programs and pages as people type them, and those of networks as limits count them."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, urlsplit

HOST_CHARACTERS: Final = 253
SERVER: Final = re.compile(r"(?P<host>\[[0-9a-fA-F.]*:[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})")
LABEL: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")


def parts_of(text: str, *schemes: str) -> SplitResult | None:
    """Return the parts of an address with a host, such as a site's; None for a text that is none.

    A name before the host, a query and a fragment are left to the caller to refuse.

    :param schemes: those that may be, in lower case.

    >>> parts_of("http://[::1]:8000/r/1/", "http", "https").port
    8000
    >>> parts_of("http://[::1/r/1/", "http", "https")
    """
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        return None
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        usable = parts.scheme in schemes and parts.port != 0 and is_host(host)
        usable = usable and ("[" in parts.netloc) == (":" in host)
    except ValueError:
        return None
    return parts if usable else None


def host_and_port(text: str, *, lowest: int = 1) -> tuple[str, int] | None:
    """Return the two parts of an address of a server; None for a text that is none.

    :param lowest: the lowest port; 0 stands for any free one.

    >>> host_and_port("[::1]:50052"), host_and_port("::1:50052")
    (('::1', 50052), None)
    """
    found = SERVER.fullmatch(text)
    if (
        found is None
        or not is_host(host := found["host"].strip("[]"))
        or not lowest <= int(found["port"]) < 65536
    ):
        return None
    return host, int(found["port"])


def is_host(name: str) -> bool:
    """Tell whether a text can name a machine: a name, or an address without brackets.

    >>> is_host("play.example.org"), is_host("::1"), is_host("a..b")
    (True, True, False)
    """
    if ":" in name and "%" not in name:
        try:
            return ipaddress.ip_address(name).version == 6
        except ValueError:
            return False
    labels = name.removesuffix(".").split(".")
    return len(name) <= HOST_CHARACTERS and all(LABEL.fullmatch(label) for label in labels)


def is_loopback(host: str) -> bool:
    """Tell whether a name or an address, without brackets, is this machine itself.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("127.0.0.1.example.org")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


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


CUSTOMERS_OF_A_SITE: Final = 16
"""A /48, which one customer may have with 65,536 networks in it, has as much as so many customers at most."""


def greediest(taken: Mapping[str, int], newcomer: str) -> str:
    """Return the network that gives up the next place: that which has most, or of the /48 that has.

    Of equals it is the newcomer's own, so that it does not put others out in turn.

    :param taken: places of each network of `network_of`.

    >>> greediest({"192.0.2.7": 3, "192.0.2.8": 2}, "192.0.2.8")
    '192.0.2.7'
    """
    of_site: Counter[str] = Counter()
    for network, number in taken.items():
        of_site[_site_of(network)] += number
    return max(
        taken,
        key=lambda one: (
            max(taken[one], of_site[_site_of(one)] / CUSTOMERS_OF_A_SITE),
            taken[one],
            one == newcomer,
        ),
    )


@lru_cache(maxsize=4096)
def _site_of(network: str) -> str:
    """Return the /48 of a /64, and anything else as it is."""
    if not network.endswith("/64"):
        return network
    return str(ipaddress.IPv6Network(network).supernet(new_prefix=48))
