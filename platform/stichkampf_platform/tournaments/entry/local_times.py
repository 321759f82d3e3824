"""Times in the zone of a tournament, beside UTC: in words, and for series, which keep their hour there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC as UTC_ZONE
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.utils.formats import date_format
from django.utils.translation import gettext as _

UTC: Final = "UTC"


@cache
def zones() -> list[str]:
    """Return the names of time zones that people choose from, UTC first."""
    return [UTC, *sorted(name for name in available_timezones() if "/" in name and "Etc/" not in name)]


def known_zone(name: str) -> None:
    """Check the name of a time zone.

    :raises ValidationError: there is none such.
    """
    if name not in zones():
        raise ValidationError(
            _("There is no time zone {name}; give one such as Europe/Berlin, or UTC.").format(name=repr(name))
        )


def in_zone(moment: datetime, zone: str) -> datetime:
    """Return a moment by the clocks of a zone; by UTC where it is not known here."""
    return moment.astimezone(ZoneInfo(zone) if zone in zones() else UTC_ZONE)


def in_words(moment: datetime, zone: str) -> str:
    """Write a moment by the clocks of a zone and in UTC, such as "3 Jul 2026, 18:00 CEST (16:00 UTC)"."""
    told = date_format(moment.astimezone(UTC_ZONE), "DATETIME_FORMAT")
    if zone == UTC:
        return told
    local = in_zone(moment, zone)
    if local.date() == moment.astimezone(UTC_ZONE).date():
        told = f"{moment.astimezone(UTC_ZONE):%H:%M} UTC"
    return f"{date_format(local, 'DATE_FORMAT')}, {local:%H:%M %Z} ({told})"


def times_after(
    before: datetime, period: timedelta, zone: str, hour_of: datetime | None = None
) -> Iterator[datetime]:
    """Yield the times whole periods of days after another, at the same hour by the clocks of a zone.

    An hour that the clocks leave out is given as the one after it, on that day alone.

    >>> friday = datetime(2026, 3, 27, 17, 0, tzinfo=UTC_ZONE)
    >>> next(times_after(friday, timedelta(weeks=1), "Europe/Berlin")).isoformat()
    '2026-04-03T16:00:00+00:00'

    :param hour_of: the first of a series, whose hour counts where it was left out at the time before.
    """
    local = in_zone(before, zone)
    if hour_of is not None:
        meant = datetime.combine(local.date(), in_zone(hour_of, zone).time(), local.tzinfo)
        if meant.astimezone(UTC_ZONE) == before:
            local = meant
    return ((local + number * period).astimezone(UTC_ZONE) for number in count(1))


def moved(moment: datetime, start: datetime, new_start: datetime, zone: str) -> datetime:
    """Return a moment as many days, by the clocks of a zone, before a new start as it was before a start."""
    days = in_zone(new_start, zone).date() - in_zone(start, zone).date()
    return (in_zone(moment, zone) + days).astimezone(UTC_ZONE)
