"""Actions of organisers on their tournaments; `ratings.organising` has these rows and what takes ratings."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.tournaments.entry import leaving, membership, protests, sharing
from stichkampf_platform.tournaments.entry.absence import Absent, absences
from stichkampf_platform.tournaments.models import Entry, Ruling, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, releases, rulings
from stichkampf_platform.tournaments.organising.ruling_models import PROTEST_CHARACTERS, REASON_CHARACTERS
from stichkampf_platform.tournaments.running import losses, revealing
from stichkampf_platform.tournaments.running.revealing import RevealStep

State = Tournament.State
DESCRIPTION_CHARACTERS = Tournament._meta.get_field("description").max_length


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


def _revealing(step: RevealStep, words: Any, meaning: str) -> Action:
    """Return the row that reveals some of the results that are held back."""
    return Action(
        words, gettext_lazy("Revealed."), meaning,
        lambda tournament, by: revealing.reveal(tournament=tournament, step=step) and None,
        lambda tournament: tournament.holds_back and revealing.is_played(tournament),
    )  # fmt: skip


ACTIONS = {
    "start": Action(
        pgettext_lazy("action", "Start"), gettext_lazy("Started."), "draw up the schedule and let it run",
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
    "next-round": Action(
        gettext_lazy("Start the next round"), gettext_lazy("The next round starts."),
        "start the round that waits",
        lambda tournament, by: lifecycle.next_round(tournament=tournament),
        lambda tournament: tournament.waiting_round is not None,
    ),
    "reveal": _revealing(
        RevealStep.TABLE, gettext_lazy("Reveal the next table"), "reveal the next table that is held back"
    ),
    "reveal-block": _revealing(
        RevealStep.BLOCK, gettext_lazy("Reveal the next block"), "reveal the next block that is held back"
    ),
    "reveal-all": _revealing(
        RevealStep.ALL, gettext_lazy("Reveal all of the round"), "reveal all results of the round"
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
    "announce": Action(
        gettext_lazy("Announce"), gettext_lazy("Announced."),
        "tell everybody something, and send it to authors and members",
        lambda tournament, by, text: rulings.announce(tournament=tournament, by=by, text=text),
        needs={
            "text": Need(
                str, "Everybody reads it.", most=PROTEST_CHARACTERS, label=gettext_lazy("announcement")
            )
        },
    ),
    "describe": Action(
        gettext_lazy("Change the description"), gettext_lazy("Described anew."),
        "change its description, also after the start",
        lambda tournament, by, description: rulings.describe(
            tournament=tournament, description=description
        ),
        lambda tournament: tournament.state != State.DRAFT,
        needs={
            "description": Need(
                str, "In Markdown.", most=DESCRIPTION_CHARACTERS, label=gettext_lazy("description")
            )
        },
    ),
    "share": Action(
        gettext_lazy("Organise it with …"), gettext_lazy("Organised together with {person}."),
        "have another organiser do all that you may do here",
        lambda tournament, by, person: sharing.share(tournament=tournament, by=by, name=person),
        needs={
            "person": Need(
                str, "The name of an account that may organise.", most=150, label=gettext_lazy("account")
            )
        },
        refusal=lambda tournament, by, **_given: sharing.why_not(tournament, by), undone_by="unshare",
    ),
    "unshare": Action(
        gettext_lazy("Organise it without …"), gettext_lazy("{person} organises it no more."),
        "have another organise it no more",
        lambda tournament, by, person: sharing.unshare(tournament=tournament, by=by, name=person),
        lambda tournament: tournament.co_organisers.exists(),
        needs={"person": Need(str, "One of its organisers.", most=150, label=gettext_lazy("account"))},
        undone_by="share",
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
                bool, "Do it, although it cannot be undone; else the answer says what would be lost.", False,
                option="yes",
            )
        },
        question=_what_is_cancelled, confirmed_by="confirmed",
        title=gettext_lazy("Cancel for good?"), yes=gettext_lazy("Cancel for good"),
    ),
}  # fmt: skip
"""By name, which addresses and commands have too."""
SHOW = ("reveal", "reveal-block", "reveal-all", "next-round")
"""Names of actions that are pressed in front of an audience, on the page itself."""

REASON = {"reason": Need(str, "Everybody reads it.", most=REASON_CHARACTERS, label=gettext_lazy("reason"))}
FAULT = {
    "fault": Need(
        str, "The fault of the platform for which results that were seen are void.", "",
        choices=Ruling.Fault.choices, label=gettext_lazy("fault of the platform"),
    )
}  # fmt: skip


def _ruling(kind: str, words: Any, done: Any, meaning: str, **more: Any) -> Action:
    """Return the row of a ruling, which stands on the public list with its reason."""
    return Action(
        words, done, meaning,
        lambda on, by, **given: rulings.rule(kind, on=on, by=by, **given),
        needs=REASON | more.pop("needs", {}),
        refusal=lambda on, by, **given: rulings.why_not(kind, on=on, by=by, **given),
        **more,
    )  # fmt: skip


BLOCK_ACTIONS = {
    "again": _ruling(
        Ruling.Kind.AGAIN, gettext_lazy("Make void and play again with other cards, for this reason …"),
        gettext_lazy("Void; played again: {reason}"), "make a block void and play another", needs=FAULT,
        question=lambda blocks: _(
            "This cannot be undone, and loses {blocks}: they count no more. In the place of each "
            "block another is played, with the same seatings and other cards."
        ).format(blocks=losses.by_running_again(blocks)),
        title=gettext_lazy("Make void and play again?"), yes=gettext_lazy("Make void and play again"),
    ),
    "void": _ruling(
        Ruling.Kind.VOID, gettext_lazy("Make void, for this reason …"), gettext_lazy("Void: {reason}"),
        "make a block void", needs=FAULT,
        question=lambda blocks: _(
            "This cannot be undone, and loses {blocks}: they count no more, and no other block is played"
            " in their place."
        ).format(blocks=losses.by_running_again(blocks)),
        title=gettext_lazy("Make void?"), yes=gettext_lazy("Make void"),
    ),
}  # fmt: skip
ENTRANT_ACTIONS = {
    "disqualify": _ruling(
        Ruling.Kind.DISQUALIFY, gettext_lazy("Disqualify, for this reason …"),
        gettext_lazy("Disqualified: {reason}"), "take an entrant out",
        question=lambda entrants: _(
            "This cannot be undone, and loses {chosen}: unfinished blocks of theirs become void. "
            "Blocks that are over still count."
        ).format(chosen=losses.by_disqualifying(entrants)),
        title=gettext_lazy("Disqualify?"), yes=gettext_lazy("Disqualify"),
    ),
    "withdraw": _ruling(
        Ruling.Kind.WITHDRAW, gettext_lazy("Withdraw at its author's wish, for this reason …"),
        gettext_lazy("Withdrawn: {reason}"), "withdraw an entrant at its author's wish",
        question=lambda _entrants: _(
            "This cannot be undone. They are drawn no more, and play to the end what they have begun."
        ),
        title=gettext_lazy("Withdraw?"), yes=gettext_lazy("Withdraw"),
    ),
}  # fmt: skip
ENTRY_ACTIONS = {
    "withdraw": Action(
        gettext_lazy("Withdraw before the start, for this reason"), gettext_lazy("Withdrawn."),
        "withdraw an entry",
        lambda on, by, reason: leaving.withdraw(
            tournament=on.tournament, bot=on.bot if isinstance(on, Entry) else on.version.bot, by=by,
            reason=reason,
        ),
        needs=REASON,
    )
}  # fmt: skip
MEMBER_ACTIONS = {
    "expel": Action(
        gettext_lazy("Exclude: they see it no longer"), gettext_lazy("Excluded."), "take a member out",
        lambda member, by: membership.exclude(member=member),
    )
}  # fmt: skip
PROTEST_ACTIONS = {
    "answer": Action(
        gettext_lazy("Answer the protest with this text"), gettext_lazy("Answered."), "answer a protest",
        lambda protest, by, text: protests.answer(protest=protest, by=by, text=text),
        needs={
            "text": Need(
                str, "Everybody reads it.", most=PROTEST_CHARACTERS,
                label=pgettext_lazy("administration", "answer"),
            )
        },
    )
}  # fmt: skip
