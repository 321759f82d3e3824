"""Strength of versions, for draws that seat equals together.

Ratings are computed in a room above this one; `settings.STRENGTH` names who reads them.
"""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.utils.module_loading import import_string

from stichkampf_platform.ladders.models import Ladder


class VersionStrength(NamedTuple):
    """The newest rating of a version on a ladder.

    :ivar settled: it has blocks enough for a rank.
    :ivar ranked: it has a rank.
    """

    elo: float = 1500.0
    settled: bool = False
    ranked: bool = False


def strength_by_version(ladder: Ladder | None) -> dict[int, VersionStrength]:
    """Return the newest ratings of a ladder by the id of the version; empty before the first."""
    found: dict[int, VersionStrength] = import_string(settings.STRENGTH)(ladder) if ladder else {}
    return found
