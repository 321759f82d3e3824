"""Sign-in by name and password, with a limit on wrong ones, for the site and the administration alike."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import ValidationError

from stichkampf_platform.core.errors import TooMany
from stichkampf_platform.people import network_addresses, rates
from stichkampf_platform.people.access.callers import address_of_caller
from stichkampf_platform.people.models import User


class LimitedBackend(ModelBackend):
    """Django's names and passwords, of which wrong ones are counted.

    An attempt is counted before the password is looked at and taken back where it is right, so that many at
    once get no further. Three rates hold: of an address; of a name from one address; and, slower, of a name
    from all addresses together. The last does not hold for an address from which the person has signed up or
    in before, or a stranger with many addresses could keep the owner out. The first does not hold for names
    of people in a class, who share an address.
    """

    def authenticate(
        self,
        asked: object,
        username: str | None = None,
        password: str | None = None,
        **more: str,
    ) -> User | None:
        """The person, or `None` where name and password do not belong together.

        :raises ValidationError: too many wrong passwords; forms show it as it is.
        """
        if username is None or password is None:
            return None
        address = address_of_caller()
        known = network_addresses.is_known(name=username, address=address)
        who = {
            "address": "" if network_addresses.is_shared_by(name=username) else address,
            "account at address": f"{username} {address}",
            "account": "" if known else username,
        }
        try:
            rates.count("passwords", **who)
        except TooMany as error:
            raise ValidationError(str(error)) from None
        person = super().authenticate(asked, username=username, password=password, **more)
        if person is not None:
            rates.take_back("passwords", **who)
        return person
