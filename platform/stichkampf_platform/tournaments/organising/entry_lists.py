"""Lists of entrants: a bot on each line, such as `ann/karl v3` or `karl,3`."""

from __future__ import annotations

import csv

from django.utils.translation import gettext as _

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
    if len(cells) > 2:
        raise Refused(_("{cells} fields, but a line has two: a bot and its version").format(cells=len(cells)))
    name, spelled, after_name = cells[0].partition(" v")
    wanted = cells[1] if len(cells) > 1 else after_name
    if spelled and (len(cells) > 1 or not after_name):
        raise Refused(_("write {name} v3 or {name},3, not {cell!r}").format(name=name, cell=",".join(cells)))
    *owner, slug = name.rsplit("/", 1)
    bots = named(Bot.objects.all(), slug, "".join(owner))
    versions = Version.objects.filter(bot__in=bots).select_related("bot__owner", "bot__ranked_version")
    if not versions.exists():
        raise Refused(_("there is no bot {cells!r} with a version").format(cells=name))
    number = wanted.removeprefix("v")
    if number and not (number.isascii() and number.isdigit() and len(number) < 9):
        raise Refused(_("a version is a whole number such as 2, not {wanted!r}").format(wanted=wanted))
    if number:
        found = versions.filter(number=int(number)).first()
        if found is None:
            raise Refused(_("{slug} has no version {number}").format(slug=slug, number=number))
        return found
    ranked = versions.first().bot.ranked_version
    if ranked is None:
        raise Refused(_("{slug} has no ranked version; write which one, such as {slug},1").format(slug=slug))
    return ranked
