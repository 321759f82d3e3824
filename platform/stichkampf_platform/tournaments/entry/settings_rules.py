"""Rules for the settings of open entry: what fits together, and what has no meaning."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.tournaments.entry.setting_rows import FARTHEST, SETTINGS
from stichkampf_platform.tournaments.entry_models import Repeats, WhoEnters
from stichkampf_platform.tournaments.formats import FORMATS
from stichkampf_platform.tournaments.models import Tournament


def entry_problems(tournament: Tournament, unparsed_fields: Collection[str]) -> dict[str, str]:
    """Return what is wrong in the settings of entry and repetition, by field, with what would be right."""
    problems = _problems(tournament)
    return {name: problem for name, problem in problems.items() if name not in unparsed_fields}


def _problems(tournament: Tournament) -> dict[str, str]:
    problems = {}
    open_to_authors = tournament.entry != WhoEnters.ORGANISER
    format = FORMATS.get(tournament.format)
    if open_to_authors and format is not None and format.why_closed:
        problems["entry"] = _("{format} has no open entry: {reason}.").format(
            format=format.title, reason=format.why_closed
        )
    if not open_to_authors:
        for name in ("entry_until", "places"):
            if getattr(tournament, name) is not None:
                problems[name] = _(
                    "This is for bots that authors enter; choose who enters, or leave it empty."
                )
    until, start = tournament.entry_until, tournament.starts_at
    if until is not None and "entry_until" not in problems:
        if until <= clock.now():
            problems["entry_until"] = _(
                "The deadline is in the past: choose a later time, or leave it empty."
            )
        elif start is not None and until > start:
            problems["entry_until"] = _(
                "The deadline is after the start, {start} UTC: choose an earlier one."
            ).format(start=f"{start:%Y-%m-%d %H:%M}")
    if tournament.places == 0:
        problems["places"] = _("With 0 places no bot can play: give a number from 1, or leave it empty.")
    least, most = SETTINGS["bots_each"].bounds
    if not least <= (tournament.bots_each or 0) <= most:
        problems["bots_each"] = _("An author may enter from 1 to {most} bots.").format(most=most)
    for name in ("starts_at", "entry_until"):
        given = getattr(tournament, name)
        if given is not None and name not in problems and given > clock.now() + FARTHEST:
            problems[name] = _("This is too far ahead: give a time within a hundred years.")
    if tournament.repeats != Repeats.NEVER:
        if format is not None and format.endless:
            problems["repeats"] = _("{format} never ends, so it cannot repeat; choose never.").format(
                format=format.title
            )
        elif start is None:
            problems["repeats"] = _("A series needs a time: give its first start, or choose never.")
    return problems
