"""Keys of seats: with one, whoever holds it sits there, from any device."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import NotAllowed

SECRET_DIGITS = 32
"""Hexadecimal digits of a secret: 128 bits."""


@dataclass(frozen=True)
class SeatKey:
    """The key of one seat.

    :ivar table: public id of the table.
    :ivar secret: known to its person's browsers only; it follows from the platform's secret key.
    """

    table: str
    seat: int
    secret: str

    def check(self) -> None:
        """Check the secret.

        :raises NotAllowed: it is not that of this seat.
        """
        if not hmac.compare_digest(self.secret.encode(), secret_of(self.table, self.seat).encode()):
            raise NotAllowed(
                _("This seat is somebody else's. Open the table on the device where you sat down.")
            )


def seat_key(table: str, seat: int) -> SeatKey:
    """Make the key of a seat, for its person."""
    return SeatKey(table, seat, secret_of(table, seat))


def secret_of(table: str, seat: int) -> str:
    return salted_hmac("stichkampf.play.seat", f"{table}/{seat}", algorithm="sha256").hexdigest()[
        :SECRET_DIGITS
    ]
