"""The error of this package."""

from stichkampf.errors import StichkampfError


class RatingError(StichkampfError):
    """Results that cannot be rated as asked; the message names the bots or values that stand in the way."""
