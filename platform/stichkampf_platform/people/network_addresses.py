"""Network addresses of people: known again for a while, and never kept as they are.

An address is stored as a digest with the platform's secret key: whether two are equal can be seen, but
without the key not which address it is, not even by trying all of them. It is forgotten `ADDRESS_DAYS` after
its last use, that of a sign-up not while a bot of the account may play: accounts of one address share seats.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.utils.crypto import salted_hmac

from stichkampf_platform.core import clock
from stichkampf_platform.people.models import KnownAddress, User


def keyed_digest(text: str) -> str:
    """Return a digest of a text, 64 hexadecimal digits, that needs the secret key."""
    return salted_hmac("stichkampf.people", text, algorithm="sha256").hexdigest()


def remember(*, person: User, address: str, signed_up: bool = False, named: bool = False) -> None:
    """Note that a person signed up or in from an address; an empty one is not noted.

    :param named: a trusted proxy named it, see `serving.addresses.is_named`.
    """
    if not address:
        return
    first = {"signed_up": True, "named_by_proxy": named} if signed_up else {}
    KnownAddress.objects.update_or_create(
        person=person, digest=keyed_digest(address), defaults={"seen_at": clock.now(), **first}
    )


def counted(person: User, address: str) -> str:
    """Return the address for which an action counts; empty for people of a class, who share one."""
    return "" if person.shares_address else address


def is_shared_by(*, name: str) -> bool:
    """Tell whether the person of this name is in a class."""
    return User.objects.filter(username=name, shares_address=True).exists()


def is_known(*, name: str, address: str) -> bool:
    """Tell whether the person of this name has signed up or in from this address."""
    return KnownAddress.objects.filter(person__username=name, digest=keyed_digest(address)).exists()


def sign_up_addresses(people: Iterable[int], *, named: bool = False) -> dict[int, str]:
    """By the id of a person, the digest of the address at sign-up; equal ones are equal addresses.

    Those who signed up before addresses were kept, or long ago, are not in it.

    :param named: only addresses that a trusted proxy named.
    """
    rows = KnownAddress.objects.filter(person__in=people, signed_up=True)
    if named:
        rows = rows.filter(named_by_proxy=True)
    return dict(rows.values_list("person_id", "digest"))


def forget_old() -> None:
    """Delete what was last seen more than `ADDRESS_DAYS` ago, but addresses of sign-up of who plays."""
    playing = KnownAddress.objects.filter(signed_up=True, person__bots__versions__state="approved")
    old = KnownAddress.objects.filter(seen_at__lt=clock.now() - timedelta(days=settings.ADDRESS_DAYS))
    old.exclude(pk__in=playing.values("pk")).delete()
