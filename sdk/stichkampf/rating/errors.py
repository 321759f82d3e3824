"""The error of this package, and one that lists all malformed rows of a file at once."""

from collections.abc import Sequence

from stichkampf.errors import StichkampfError

_SHOWN = 20


class RatingError(StichkampfError):
    """Results that cannot be rated as asked; the message names the bots or values that stand in the way.

    >>> from stichkampf.rating import overall
    >>> overall({})
    Traceback (most recent call last):
    ...
    stichkampf.rating.errors.RatingError: an overall ladder needs at least one ladder
    """


def refuse(complaints: Sequence[str]) -> None:
    """Refuse a file with malformed rows; do nothing without complaints.

    :raises RatingError: with the first twenty complaints, one a line, and the number of the others.
    """
    shown = list(complaints[:_SHOWN])
    if len(complaints) > _SHOWN:
        shown.append(f"and {len(complaints) - _SHOWN} more")
    if shown:
        raise RatingError("\n".join(shown))
