"""Lists of entrants: a bot on each line, such as `ann/karl v3` or `karl,3`."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from stichkampf.table_files import TableFileError, columns_named, read_table
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import named
from stichkampf_platform.core.errors import RequestRefused

TITLES = {
    "bot": ("bot", "bots", "bot name", "botname", "name", "entrant", "entrants", "teilnehmer"),
    "version": ("version", "versions", "versionen", "version number", "versionsnummer"),
}
"""Headings of the two columns, in English and German; further columns are left out."""


def versions_listed(text: str) -> list[Version]:
    """Return the versions of a list, in its order; a bot without a number enters with its ranked version.

    :raises RequestRefused: naming every line that is wrong, and why.
    """
    versions, complaints = [], []
    try:
        rows = read_table(text).rows
    except TableFileError as error:
        raise RequestRefused(str(error)) from None
    columns = columns_named(rows[0].cells, TITLES) if rows else {}
    heading = "bot" in columns
    for row in rows[heading:]:
        try:
            versions.append(_version(_under_headings(row.cells, columns) if heading else row.cells))
        except RequestRefused as error:
            complaints.append(f"line {row.line}: {error}")
    if complaints:
        raise RequestRefused("; ".join(complaints[:20]))
    return versions


def _under_headings(cells: Sequence[str], columns: dict[str, int]) -> list[str]:
    found = [cells[columns[name]] for name in TITLES if name in columns and columns[name] < len(cells)]
    return found if found and found[-1] else found[:1]


def _version(cells: Sequence[str]) -> Version:
    if len(cells) > 2:
        raise RequestRefused(
            _("{cells} fields, but a line has two: a bot and its version").format(cells=len(cells))
        )
    name, spelled, after_name = cells[0].partition(" v")
    wanted = cells[1] if len(cells) > 1 else after_name
    if spelled and (len(cells) > 1 or not after_name):
        raise RequestRefused(
            _("write {name} v3 or {name},3, not {cell!r}").format(name=name, cell=",".join(cells))
        )
    *owner, slug = name.rsplit("/", 1)
    bots = named(Bot.objects.all(), slug, "".join(owner))
    versions = Version.objects.filter(bot__in=bots).select_related("bot__owner", "bot__ranked_version")
    if not versions.exists():
        raise RequestRefused(_("there is no bot {cells!r} with a version").format(cells=name))
    if wanted.removeprefix("v"):
        number = whole_number(wanted.removeprefix("v"), 8)
        if number is None:
            raise RequestRefused(
                _("a version is a whole number such as 2, not {wanted!r}").format(wanted=wanted)
            )
        found = versions.filter(number=number).first()
        if found is None:
            raise RequestRefused(_("{slug} has no version {number}").format(slug=slug, number=number))
        return found
    ranked = versions.first().bot.ranked_version
    if ranked is None and not any(version.may_play for version in versions):
        raise RequestRefused(
            _("no version of {slug} may play: each is suspended or not approved").format(slug=slug)
        )
    if ranked is None:
        raise RequestRefused(
            _("{slug} has no ranked version; write which one, such as {slug},1").format(slug=slug)
        )
    return ranked
