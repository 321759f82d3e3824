"""Lists of entrants as people write them: a bot on each line, after a comma its version."""

from __future__ import annotations

import csv

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import named
from stichkampf_platform.core.errors import Refused

HEADER = ["bot", "version"]


def versions_listed(text: str) -> list[Version]:
    """Return the versions of a list, in its order; a bot without a number enters with its ranked version.

    :raises Refused: naming every line that is wrong, and why.
    """
    versions, complaints = [], []
    for number, fields in enumerate(csv.reader(text.splitlines()), start=1):
        cells = [field.strip() for field in fields]
        if not any(cells) or (number == 1 and cells == HEADER):
            continue
        try:
            versions.append(_version(cells))
        except Refused as error:
            complaints.append(f"line {number}: {error}")
    if complaints:
        raise Refused("; ".join(complaints[:20]))
    return versions


def _version(cells: list[str]) -> Version:
    (owner, _, slug), wanted = cells[0].rpartition("/"), cells[1] if len(cells) > 1 else ""
    if len(cells) > 2:
        raise Refused(f"{len(cells)} fields, but a line has two: a bot and its version")
    bots = named(Bot.objects.all(), slug, owner)
    versions = Version.objects.filter(bot__in=bots).select_related("bot__owner", "bot__ranked_version")
    if not versions.exists():
        raise Refused(f"there is no bot {cells[0]!r} with a version")
    number = wanted.removeprefix("v")
    if number and not (number.isascii() and number.isdigit() and len(number) < 9):
        raise Refused(f"a version is a whole number such as 2, not {wanted!r}")
    if number:
        found = versions.filter(number=int(number)).first()
        if found is None:
            raise Refused(f"{slug} has no version {number}")
        return found
    ranked = versions.first().bot.ranked_version
    if ranked is None:
        raise Refused(f"{slug} has no ranked version; write which one, such as {slug},1")
    return ranked
