"""Leaving a tournament before and after its start, by the author or by the organiser at the author's wish."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import User
from stichkampf_platform.people.sentences import Sentence, parts_of
from stichkampf_platform.tournaments.entry import announcements
from stichkampf_platform.tournaments.entry.entries import listed
from stichkampf_platform.tournaments.models import Entrant, Entry, Ruling, Tournament
from stichkampf_platform.tournaments.organising import rulings
from stichkampf_platform.tournaments.shown import shown_to
from stichkampf_platform.tournaments.tournament_locks import hold

BY_AUTHOR = Sentence("Its author has withdrawn it.")

logger = logging.getLogger(__name__)


def known_to(person: User) -> QuerySet[Tournament]:
    """Return the tournaments that a person sees, and those with a bot of theirs, which it may leave."""
    if not person.is_authenticated:
        return Tournament.objects.shown_to(person)
    playing = Entrant.objects.filter(tournament=OuterRef("pk"), version__bot__owner=person)
    entered = Entry.objects.filter(tournament=OuterRef("pk"), bot__owner=person)
    return Tournament.objects.filter(
        shown_to(person) | Q(Exists(playing)) | Q(Exists(entered)), experiment=False
    )


def bots_in(tournament: Tournament, person: User) -> list[Bot]:
    """Return the bots of a person that are to play, or still do, and so can be withdrawn."""
    over = tournament.state in (Tournament.State.FINISHED, Tournament.State.CANCELLED)
    if over or not person.is_authenticated:
        return []
    playing = Entrant.objects.filter(tournament=tournament, version__bot=OuterRef("pk"), out_at=None)
    mine = Q(Exists(playing))
    if tournament.state == Tournament.State.DRAFT:
        mine |= Q(Exists(Entry.objects.filter(tournament=tournament, bot=OuterRef("pk"))))
    return list(person.bots.filter(mine).select_related("owner").order_by("slug"))


@transaction.atomic
def withdraw(*, tournament: Tournament, bot: Bot, by: User, reason: str = "") -> None:
    """Withdraw a bot. Before the start the first that waits gets its place; afterwards it is drawn no more.

    :param reason: for everybody to read; an author need give none.
    :raises RequestRefused: it is not entered, belongs to somebody else, or the tournament is over.
    """
    locked = hold(tournament)
    own = bot.owner_id == by.pk
    if not own and not by.is_superuser and not locked.is_organised_by(by):
        told = _("%(bot)s belongs to %(owner)s, who can withdraw it.")
        raise RequestRefused(told % {"bot": bot, "owner": bot.owner.username})
    if own and not reason.strip():
        reason = BY_AUTHOR
    entrants = locked.entrants.filter(version__bot=bot).select_related("version__bot__owner", "tournament")
    entry = locked.entries.filter(bot=bot).select_related("version").first()
    if not entrants and entry is None:
        raise RequestRefused(_("%(bot)s is not entered in %(cup)s.") % {"bot": bot, "cup": locked})
    if locked.state != Tournament.State.DRAFT:
        playing = [entrant for entrant in entrants if entrant.out_at is None]
        for entrant in playing or entrants[:1]:  # of one that is out, it says so
            rulings.rule(Ruling.Kind.WITHDRAW, on=entrant, by=by, reason=reason)
        if not entrants:
            told = _("%(cup)s is %(state)s, and %(bot)s does not play in it.")
            raise RequestRefused(told % {"cup": locked, "state": locked.get_state_display(), "bot": bot})
        return
    chosen = [entrant.version for entrant in entrants]
    if chosen or not own:
        _note(locked, chosen or [entry.version or bot.versions.order_by("-number").first()], by, reason)
    if entry is not None:
        waited = [each.entry for each in listed(locked) if each.waits]
        moves_up = bool(waited) and entry not in waited
        entry.delete()
        if moves_up:
            announcements.tell_moved_up(locked, waited[0], bot)
    _leave_draft(locked, entrants)
    logger.info("%s is withdrawn from %s", bot, locked.slug)


def _note(tournament: Tournament, versions: Iterable[Version], by: User, reason: str) -> None:
    text = rulings.checked_text(reason)
    for version in versions:
        announcements.tell_ruling(
            Ruling.objects.create(
                tournament=tournament, kind=Ruling.Kind.WITHDRAW, role=rulings.role_of(by, tournament), by=by,
                reason=str(text), reason_parts=parts_of(text), version=version, after={},
            )
        )  # fmt: skip


def _leave_draft(tournament: Tournament, entrants: QuerySet[Entrant]) -> None:
    """Take entrants out of a draft; those behind them move up."""
    if not entrants:
        return
    entrants.delete()
    versions = [entrant.version for entrant in tournament.entrants.select_related("version")]
    tournament.entrants.all().delete()
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, version=version, number=number)
        for number, version in enumerate(versions)
    )
