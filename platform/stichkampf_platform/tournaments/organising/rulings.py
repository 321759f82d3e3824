"""Rulings on a running or finished tournament: each needs a reason, and stands in a public list.

Showing, hiding and copying are no rulings: no result hangs on them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.plain_names import several_lines
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.people.sentences import Sentence, parts_of
from stichkampf_platform.tournaments.entry import announcements
from stichkampf_platform.tournaments.entry.membership import new_code, secret_slug, slug_from
from stichkampf_platform.tournaments.entry_models import Beat
from stichkampf_platform.tournaments.models import Block, Entrant, Membership, Ruling, Tournament
from stichkampf_platform.tournaments.organising import block_rulings, entrant_rulings
from stichkampf_platform.tournaments.organising.ruling_models import PROTEST_CHARACTERS, REASON_CHARACTERS
from stichkampf_platform.tournaments.scheduling.known_ranks import ranks_of
from stichkampf_platform.tournaments.tournament_locks import hold, saved_unless_taken

logger = logging.getLogger(__name__)

Kind, Role = Ruling.Kind, Ruling.Role
NOT_PLAYED = Sentence("The platform could not play it to its end.")


@dataclass(frozen=True)
class RulingAction:
    """One kind of ruling, for pages, API and command alike.

    :ivar on: what it is about.
    :ivar check: takes the locked tournament and what it is about, raises `RequestRefused` if it cannot be.
    :ivar act: does it; takes the reason, too.
    """

    on: type[Block] | type[Entrant]
    check: Callable[[Tournament, Any], None]
    act: Callable[[Tournament, Any, str], object]


RULINGS = {
    Kind.VOID: RulingAction(Block, block_rulings.check_void, block_rulings.make_void),
    Kind.AGAIN: RulingAction(Block, block_rulings.check_again, block_rulings.play_again),
    Kind.DISQUALIFY: RulingAction(Entrant, entrant_rulings.check, entrant_rulings.disqualify),
    Kind.WITHDRAW: RulingAction(Entrant, entrant_rulings.check, entrant_rulings.withdraw),
    Kind.SET_ASIDE: RulingAction(Entrant, entrant_rulings.check, entrant_rulings.set_aside),
    Kind.AWAY: RulingAction(Entrant, entrant_rulings.check, entrant_rulings.leave_out),
}


@transaction.atomic
def rule(kind: str, *, on: Block | Entrant, by: User | None, reason: str, fault: str = "") -> Ruling:
    """Rule on a block or an entrant, put it on the list, and tell the authors concerned.

    :param by: None where the platform does it by itself.
    :param reason: for everybody to read; a `Sentence` where the platform gives it.
    :param fault: one of `Ruling.Fault`, where an organiser takes back what was seen.
    :raises RequestRefused: no reason is given, or it is not possible, or only the operators may do it.
    """
    action = RULINGS[Kind(kind)]
    tournament = hold(on.tournament)
    on = action.on.objects.select_for_update(of=["self"]).get(pk=on.pk)
    reason = checked_text(reason)
    _check_who(kind, by, tournament, on, fault)
    action.check(tournament, on)
    role = role_of(by, tournament)
    ruling = Ruling(
        tournament=tournament, kind=kind, role=role, by=by, reason=str(reason), reason_parts=parts_of(reason),
        fault=fault, before=ranks_of(tournament),
    )  # fmt: skip
    if isinstance(on, Block):
        ruling.block = on
    else:
        ruling.version = on.version
    was_seen = isinstance(on, Block) and on.was_seen
    ruling.made = action.act(tournament, on, reason)
    # what a block is worth that was over is known again when another is over in its place
    ruling.after = None if was_seen else ranks_of(tournament)
    ruling.save()
    announcements.tell_ruling(ruling)
    logger.info("%s by %s: %s", ruling, role, on)
    return ruling


def why_not(kind: str, *, on: Block | Entrant, by: User | None, reason: str, fault: str = "") -> str:
    """Return why a ruling is not possible, before anybody is asked to confirm it; empty if it is."""
    try:
        _check_who(kind, by, on.tournament, on, fault)
        RULINGS[Kind(kind)].check(on.tournament, on)
        checked_text(reason)
    except RequestRefused as error:
        return str(error)
    return ""


def role_of(by: User | None, tournament: Tournament) -> str:
    """Return as what a person acts on a tournament."""
    if by is None:
        return str(Role.PLATFORM)
    if tournament.is_organised_by(by):
        return str(Role.ORGANISER)
    return str(Role.STAFF if by.is_superuser else Role.AUTHOR)


def checked_text(text: str, most: int = REASON_CHARACTERS) -> str:
    """Return a reason, a protest or an answer as it is stored.

    :raises RequestRefused: there is none, it is too long, or has signs that cannot be printed.
    """
    if not isinstance(text, Sentence):
        text = text.strip()
    if not text:
        raise RequestRefused(_("Give the reason; everybody reads it on the page of the tournament."))
    if len(text) > most:
        told = _("The text has {length} characters; write at most {most}.")
        raise RequestRefused(told.format(length=len(text), most=most))
    try:
        several_lines(text)
    except ValidationError as error:
        raise RequestRefused(" ".join(error.messages)) from error
    return text


def _fault_names() -> str:
    """Return the faults of the platform, each with its meaning in the language of the reader."""
    return ", ".join(f"{value}: {label}" for value, label in Ruling.Fault.choices)


def _check_who(kind: str, by: User | None, tournament: Tournament, on: Block | Entrant, fault: str) -> None:
    """Check that a person may rule so: what was seen is not taken back because of who has won it."""
    if fault and fault not in Ruling.Fault.values:
        told = _("{fault!r} is no fault of the platform; there are {names}.")
        raise RequestRefused(told.format(fault=fault[:40], names=_fault_names()))
    if by is None or by.is_superuser:
        return
    if not tournament.is_organised_by(by):
        if Kind(kind) is Kind.WITHDRAW and isinstance(on, Entrant) and on.version.bot.owner_id == by.pk:
            return
        raise RequestRefused(
            _("Only the organiser of {tournament} rules on it.").format(tournament=tournament)
        )
    if not isinstance(on, Block):
        return
    if tournament.state == Tournament.State.FINISHED:
        told = _("{tournament} is over: only the operators of this site take a result of it back.")
        raise RequestRefused(told.format(tournament=tournament))
    if on.was_seen and not fault:
        told = _(
            "The results of {block} have been seen. Name the fault of the platform for which they are void"
            " ({names}), or ask the operators of this site."
        )
        raise RequestRefused(told.format(block=on, names=_fault_names()))


@transaction.atomic
def note_deadline(
    *, tournament: Tournament, by: User, reason: str, before: dict[str, Any], after: dict[str, Any]
) -> Ruling:
    """Put another deadline or start on the list, and tell those who have entered bots.

    :param before: the times by field, as JSON has them.
    """
    ruling = Ruling.objects.create(
        tournament=tournament, kind=Kind.DEADLINE, role=role_of(by, tournament), by=by,
        reason=checked_text(reason), before=before, after=after,
    )  # fmt: skip
    announcements.tell_ruling(ruling)
    return ruling


def run_again(*, block: Block, by: User | None = None, reason: str = NOT_PLAYED, fault: str = "") -> Block:
    """Make a block void and plan another in its place: the same seatings, other cards.

    The cards of the old block have been seen, or may have been, so they are never dealt again. Its results
    stay in the database, and count no more.

    :raises RequestRefused: that has been done already, or the next round has been drawn from its result.
    """
    return rule(Kind.AGAIN, on=block, by=by, reason=reason, fault=fault).made


def disqualify(*, entrant: Entrant, reason: str, by: User | None = None) -> None:
    """Take an entrant out: its unfinished blocks are void, those that are over still count.

    :raises RequestRefused: no reason is given, it is out already, or the tournament
        has not started or is over.
    """
    rule(Kind.DISQUALIFY, on=entrant, by=by, reason=reason)


def set_aside(*, entrant: Entrant, reason: str) -> None:
    """Take an entrant out that has no fault, as by `disqualify`: this node cannot play it.

    :raises RequestRefused: as `disqualify`.
    """
    rule(Kind.SET_ASIDE, on=entrant, by=None, reason=reason)


def leave_out(*, entrant: Entrant, reason: str) -> None:
    """Take an entrant out that is away, as by a withdrawal.

    :raises RequestRefused: as `disqualify`.
    """
    rule(Kind.AWAY, on=entrant, by=None, reason=reason)


@transaction.atomic
def announce(*, tournament: Tournament, by: User, text: str) -> Ruling:
    """Put an announcement on the list, and tell those who take part or are members.

    :raises RequestRefused: there is no text, or it cannot be stored.
    :raises TooMany: of this person.
    """
    rates.count("announcements", account=by.username)
    text = checked_text(text, PROTEST_CHARACTERS)
    made = Ruling.objects.create(
        tournament=tournament, kind=Kind.NEWS, role=role_of(by, tournament), by=by, reason=text, after={}
    )
    announcements.tell_news(made)
    return made


@transaction.atomic
def describe(*, tournament: Tournament, description: str) -> None:
    """Give a tournament another description, in whichever state it is.

    :raises ValidationError: it is too long.
    """
    tournament = hold(tournament)
    text = description.replace("\r\n", "\n").strip()
    tournament.description = Tournament._meta.get_field("description").clean(text, tournament)
    tournament.save(update_fields=["description"])


@transaction.atomic
def publish(*, tournament: Tournament) -> None:
    """Show a tournament on the site.

    :raises RequestRefused: it is shown already.
    """
    _show(tournament, True)


@transaction.atomic
def hide(*, tournament: Tournament) -> None:
    """Take a tournament off the site. Its results still count in the ladders.

    :raises RequestRefused: it is hidden already.
    """
    _show(tournament, False)


@transaction.atomic
def clone(*, tournament: Tournament, by: User) -> Tournament:
    """Make a draft with the same settings, entrants and invitations.

    :raises RequestRefused: it was deleted meanwhile.
    """
    copy = hold(tournament)  # while it starts, entries become entrants
    entrants = list(copy.entrants.all())
    copy.pk = None
    copy._state.adding = True
    copy.created_by = by
    copy.ladder, copy.lot_seed, copy.released = None, None, False
    copy.state, copy.outcome, copy.outcome_parts = Tournament.State.DRAFT, "", None
    copy.rounds_over, copy.highlights = 0, None
    copy.starts_at = copy.started_at = copy.finished_at = copy.entry_until = copy.result_told_at = None
    copy.repeats, copy.series, copy.qualifier = "", None, None
    copy.round_times, copy.waiting_round, copy.next_round_at = "", None, None
    if copy.beat == Beat.TIMES:
        copy.beat = Beat.PRESS
    copy.code = new_code() if tournament.code else ""
    _save_numbered(copy, tournament.name)
    Membership.objects.bulk_create(
        Membership(tournament=copy, person_id=member.person_id)
        for member in tournament.members.filter(by_code=False)
    )
    Entrant.objects.bulk_create(
        Entrant(tournament=copy, version_id=entrant.version_id, number=entrant.number) for entrant in entrants
    )
    return copy


def _save_numbered(copy: Tournament, name: str) -> None:
    """Save a copy under this name with the first number behind it that no other has."""
    for number in count(2):
        tail = f" ({number})"
        copy.name = name[: 100 - len(tail)] + tail
        copy.slug = f"{slug_from(name, 50)}-{number}"
        if copy.private:
            copy.slug = secret_slug(copy.slug)
        if saved_unless_taken(copy):
            return


def _show(tournament: Tournament, published: bool) -> None:
    changed = Tournament.objects.filter(pk=tournament.pk, published=not published)
    if not changed.update(published=published):
        shown, hidden = _("{tournament} is shown already."), _("{tournament} is hidden already.")
        raise RequestRefused((shown if published else hidden).format(tournament=tournament))
