"""Rules for the settings of open entry: what fits together, and what has no meaning."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.entry.setting_rows import FARTHEST, SETTINGS
from stichkampf_platform.tournaments.entry_models import Beat, Repeats, WhoEnters
from stichkampf_platform.tournaments.formats import FORMATS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.scheduling import beats


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
    if "entry_until" not in problems and (told := _problem_of_deadline(tournament)):
        problems["entry_until"] = told
    if tournament.places == 0:
        problems["places"] = _("With 0 places no bot can play: give a number from 1, or leave it empty.")
    least, most = SETTINGS["bots_each"].bounds
    if not least <= (tournament.bots_each or 0) <= most:
        problems["bots_each"] = _("An author may enter one bot or several, {most} at most.").format(most=most)
    for name in ("starts_at", "entry_until"):
        given = getattr(tournament, name)
        if given is not None and name not in problems and given > clock.now() + FARTHEST:
            problems[name] = _("This is too far ahead: give a time within a hundred years.")
    if told := _problem_of_series(tournament):
        problems["repeats"] = told
    return problems | _problems_of_show(tournament)


def _problem_of_deadline(tournament: Tournament) -> str:
    """Return what is wrong with the end of entries."""
    until, start = tournament.entry_until, tournament.starts_at
    if until is None:
        return ""
    if until <= clock.now():
        return _("The deadline is in the past: choose a later time, or leave it empty.")
    if start is not None and until > start:
        told = _("The deadline is after the start, {start} UTC: choose an earlier one.")
        return told.format(start=f"{start:%Y-%m-%d %H:%M}")
    return ""


def _problem_of_series(tournament: Tournament) -> str:
    """Return what keeps a tournament from being repeated."""
    if tournament.repeats == Repeats.NEVER:
        return ""
    format = FORMATS.get(tournament.format)
    if format is not None and format.endless:
        return _("{format} never ends, so it cannot repeat; choose never.").format(format=format.title)
    if tournament.starts_at is None:
        return _("A series needs a time: give its first start, or choose never.")
    return ""


def _problems_of_show(tournament: Tournament) -> dict[str, str]:
    """Return what is wrong in the beat of rounds and in holding back results."""
    problems = {}
    format, beat = FORMATS.get(tournament.format), tournament.beat
    if beat != Beat.AT_ONCE and format is not None and not format.shows_rounds:
        told = _("{format} has no rounds that wait for one another; choose Swiss or Knock-out, or leave it.")
        problems["beat"] = told.format(format=format.title)
    if beat == Beat.MINUTES and tournament.beat_minutes is None:
        problems["beat_minutes"] = _("Say how many minutes after the round before the next one starts.")
    if beat != Beat.MINUTES and tournament.beat_minutes is not None:
        problems["beat_minutes"] = _("Leave it empty, or let the rounds start some minutes after each other.")
    if beat != Beat.TIMES and tournament.round_times:
        problems["round_times"] = _("Leave it empty, or let the rounds start at set times.")
    elif beat == Beat.TIMES:
        if told := _problem_of_times(tournament):
            problems["round_times"] = told
        if tournament.repeats != Repeats.NEVER:
            problems["beat"] = _(
                "Set times are of one day, and a series has others: let rounds start by a press or some"
                " minutes after each other."
            )
    if tournament.holds_back and format is not None and format.endless:
        problems["reveal"] = _("{format} never ends; its results are shown at once.").format(
            format=format.title
        )
    return problems


def _problem_of_times(tournament: Tournament) -> str:
    """Return what is wrong with the times of the later rounds."""
    try:
        times = beats.times_listed(tournament.round_times, tournament.time_zone)
    except RequestRefused as error:
        return str(error)
    if not times:
        return _("Give the times of the later rounds, such as 2026-12-04 19:30.")
    if times != sorted(set(times)):
        return _("Give the times in their order, each once.")
    if times[0] <= (tournament.starts_at or clock.now()):
        return _("The second round starts after the first: give later times.")
    if times[-1] > clock.now() + FARTHEST:
        return _("This is too far ahead: give a time within a hundred years.")
    return ""
