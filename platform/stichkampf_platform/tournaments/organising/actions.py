"""Actions of organisers on their tournaments; `ratings.organising` has these rows and what takes ratings."""

from __future__ import annotations

from collections.abc import Callable, Collection

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.tournaments.entry.absence import Absent, absences
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle, releases, rulings
from stichkampf_platform.tournaments.running import losses

State = Tournament.State


def in_state(*states: str) -> Callable[[Tournament], bool]:
    """Return a function that tells whether a tournament is in one of these states."""
    return lambda tournament: tournament.state in states


def _who_is_away(chosen: Collection[Tournament]) -> str:
    away = [reason for one in chosen if one.state == State.DRAFT for reason in absences(one)]
    return str(Absent(away)) if away else ""


def _what_is_cancelled(chosen: Collection[Tournament]) -> str:
    return _(
        "This cannot be undone, and loses {chosen}: blocks that are not over become void. Blocks "
        "that are over still count."
    ).format(chosen=losses.by_cancelling(chosen))


def _may_be_released(tournament: Tournament) -> bool:
    counts = tournament.rated and not tournament.private and tournament.ladder_id is not None
    return counts and not tournament.released


ACTIONS = {
    "start": Action(
        gettext_lazy("Start"), gettext_lazy("Started."), "draw up the schedule and let it run",
        lambda tournament, by, without_absent: lifecycle.start(
            tournament=tournament, without_absent=without_absent
        ),
        in_state(State.DRAFT),
        needs={
            "without_absent": Need(
                bool, "Leave out bots that are away, such as remote ones that are not connected.", False
            )
        },
        question=_who_is_away, confirmed_by="without_absent",
        title=gettext_lazy("Start without those that are away?"), yes=gettext_lazy("Start without them"),
    ),
    "pause": Action(
        gettext_lazy("Pause"), gettext_lazy("Paused."), "let no further block begin",
        lambda tournament, by: lifecycle.pause(tournament=tournament),
        in_state(State.RUNNING), undone_by="resume",
    ),
    "resume": Action(
        gettext_lazy("Resume"), gettext_lazy("Resumed."), "let a paused tournament go on",
        lambda tournament, by: lifecycle.resume(tournament=tournament),
        in_state(State.PAUSED), undone_by="pause",
    ),
    "publish": Action(
        gettext_lazy("Show on the site"), gettext_lazy("Published."), "show it on the site",
        lambda tournament, by: rulings.publish(tournament=tournament),
        lambda tournament: not tournament.published, undone_by="hide",
    ),
    "hide": Action(
        gettext_lazy("Hide from the site"), gettext_lazy("Hidden."), "take it off the site",
        lambda tournament, by: rulings.hide(tournament=tournament),
        lambda tournament: tournament.published, undone_by="publish",
    ),
    "release": Action(
        gettext_lazy("Count on the public ladder"), gettext_lazy("It counts on the public ladder."),
        "have it count on the public ladder",
        lambda tournament, by: releases.release(tournament=tournament),
        _may_be_released, operators=True,
    ),
    "clone": Action(
        gettext_lazy("Clone as a draft"), gettext_lazy("Cloned."),
        "make a draft with the same settings and entrants",
        lambda tournament, by: rulings.clone(tournament=tournament, by=by),
    ),
    "cancel": Action(
        gettext_lazy("Cancel for good …"), gettext_lazy("Cancelled."), "end it for good",
        lambda tournament, by, confirmed: lifecycle.cancel(tournament=tournament),
        in_state(State.DRAFT, State.RUNNING, State.PAUSED),
        needs={
            "confirmed": Need(
                bool, "It cannot be undone: without true, the answer says what would be lost.", False
            )
        },
        question=_what_is_cancelled, confirmed_by="confirmed",
        title=gettext_lazy("Cancel for good?"), yes=gettext_lazy("Cancel for good"),
    ),
}  # fmt: skip
"""By name, which addresses and commands have too."""
