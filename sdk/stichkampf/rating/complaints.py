"""How a file's malformed rows are refused: all of them at once."""

from collections.abc import Sequence

from stichkampf.rating.errors import RatingError

_SHOWN = 20


def refuse(complaints: Sequence[str]) -> None:
    """Do nothing without complaints.

    :raises RatingError: with the complaints, one a line; those beyond twenty are counted only.
    """
    shown = list(complaints[:_SHOWN])
    if len(complaints) > _SHOWN:
        shown.append(f"and {len(complaints) - _SHOWN} more")
    if shown:
        raise RatingError("\n".join(shown))
