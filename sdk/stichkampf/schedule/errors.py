"""The error of this package."""

from stichkampf.errors import StichkampfError


class ScheduleError(StichkampfError):
    """A plan that cannot be made: too few entrants, a number of seats that no game has.

    >>> from stichkampf.schedule import seatings
    >>> seatings(7)
    Traceback (most recent call last):
    ...
    stichkampf.schedule.errors.ScheduleError: a table has two to six seats, not 7
    """
