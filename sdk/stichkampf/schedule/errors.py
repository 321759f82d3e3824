"""The error of this package."""

from stichkampf.errors import StichkampfError


class ScheduleError(StichkampfError):
    """A plan that cannot be made: too few entrants, a number of seats that no game has."""
