"""Predecessors: the earlier version of a bot that has nearly the same code as a new one.

Without them the same program, submitted thirty times, would have thirty ratings, and the luckiest one stood.
"""

from __future__ import annotations

from stichkampf.errors import ArchiveError

from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.python_statements import (
    ALIKE,
    TOKENS_AT_LEAST,
    Statement,
    given_statements,
    share_alike,
    share_in_any_order,
    statements_of_archive,
)

COMPARED = 30
"""The newest earlier versions of a bot."""


def predecessor_of(version: Version) -> Version | None:
    """Return the earlier version of the same bot that is most alike, the newest of several; None without one.

    Programs are compared as those of a class are, and with their statements in any order: who moves functions
    or renames files plays the same. One that has too few statements of its own is compared whole, and one in
    another language than Python is alike where its archive is the same.
    """
    if not version.archive:
        return None
    own = _statements(version)
    best: tuple[float, Version | None] = (0.0, None)
    earlier = version.bot.versions.filter(number__lt=version.number).exclude(archive="").order_by("-number")
    for other in earlier[:COMPARED]:
        if other.digest == version.digest:
            return other
        share = _share(own, _statements(other))
        if share >= ALIKE and share > best[0]:
            best = share, other
    return best[1]


def _share(one: list[Statement], other: list[Statement]) -> float:
    in_any_order = share_in_any_order(one, other)
    if in_any_order >= ALIKE:
        return in_any_order
    return share_alike(_tokens(one), _tokens(other)) if one else 0.0


def _tokens(found: list[Statement]) -> list[str]:
    return [token for each in found for token in each]


def _statements(version: Version) -> list[Statement]:
    try:
        with version.archive.open("rb") as file:
            found = statements_of_archive(file.read())
    except (FileNotFoundError, ArchiveError):  # archives of rejected versions are deleted
        return []
    given = given_statements()
    own = [each for each in found if each not in given]
    return own if sum(map(len, own)) >= TOKENS_AT_LEAST else found
