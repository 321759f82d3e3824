"""Protests of participants against a match or a round, and their answers, on the list of rulings.

A protest may tell of hands that are still played elsewhere: its author has seen what a bot of theirs holds.
So its text waits, for everybody else, until every block is over that had begun when it was written.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.entry import announcements
from stichkampf_platform.tournaments.models import Ruling, Table, Tournament
from stichkampf_platform.tournaments.organising.ruling_models import PROTEST_CHARACTERS
from stichkampf_platform.tournaments.organising.rulings import checked_text, role_of
from stichkampf_platform.tournaments.tournament_locks import hold


def may_protest(person: User, tournament: Tournament) -> bool:
    """Tell whether a person takes part with a bot in a tournament that has started."""
    if not person.is_authenticated or tournament.experiment or tournament.started_at is None:
        return False
    return tournament.entrants.filter(version__bot__owner=person).exists()


def protest(
    *, tournament: Tournament, by: User, text: str, table: Table | None = None, round: int | None = None
) -> Ruling:
    """Put a protest on the list, and tell the organiser.

    :param table: a match that it is about; its block must be over.
    :param round: or a round that has been drawn, from 0.
    :raises RequestRefused: the person does not take part, or what it is about cannot be protested against.
    :raises TooMany: of this person.
    """
    if not may_protest(by, tournament):
        told = _("Only authors whose bots play in {tournament} can protest, once it has started.")
        raise RequestRefused(told.format(tournament=tournament))
    text = checked_text(text, PROTEST_CHARACTERS)
    if (table is None) == (round is None):
        raise RequestRefused(_("A protest is against one match or one round."))
    if table is not None and (table.block.tournament_id != tournament.pk or table.block.over_at is None):
        raise RequestRefused(_("A protest against a match is possible as soon as its block is over."))
    if round is not None and not tournament.blocks.filter(round=round).exists():
        told = _("Round {round} of {tournament} has not been drawn.")
        raise RequestRefused(told.format(round=round + 1, tournament=tournament))
    with transaction.atomic():
        rates.count("protests", account=by.username)
        made = Ruling.objects.create(
            tournament=tournament, kind=Ruling.Kind.PROTEST, role=Ruling.Role.AUTHOR, by=by, reason=text,
            table=table, block=table.block if table else None, round=round, after={},
        )  # fmt: skip
        announcements.tell_protest(made)
    return made


@transaction.atomic
def answer(*, protest: Ruling, by: User, text: str) -> None:
    """Answer a protest, once, for everybody to read; its author is told.

    :raises RequestRefused: it has been answered, or its text still waits for blocks to end.
    """
    tournament = hold(protest.tournament)
    text = checked_text(text, PROTEST_CHARACTERS)
    now = listed(tournament, None).filter(pk=protest.pk, kind=Ruling.Kind.PROTEST).first()
    if now is None:
        raise RequestRefused(_("Only protests are answered; this is none."))
    if now.waits:
        raise RequestRefused(
            _("The protest can be read and answered when the blocks are over that were played then.")
        )
    if now.answered_at is not None:
        raise RequestRefused(_("This protest has been answered already."))
    now.answer, now.answer_role, now.answered_at = text, role_of(by, tournament), clock.now()
    now.save(update_fields=["answer", "answer_role", "answered_at"])
    announcements.tell_answer(now)


def listed(tournament: Tournament, person: User | None) -> QuerySet[Ruling]:
    """Return the list of rulings and protests, newest first, as `with_waits`."""
    found = tournament.rulings.select_related("version__bot__owner", "block", "table__block", "by")
    return with_waits(found, person)


def with_waits(found: QuerySet[Ruling], person: User | None) -> QuerySet[Ruling]:
    """Return each with `waits`: this person may not read its text yet."""
    playing = Table.objects.filter(
        block__tournament=OuterRef("tournament"), block__over_at=None, started_at__lt=OuterRef("made_at")
    )
    waits = Q(Exists(playing), kind=Ruling.Kind.PROTEST)
    if person is not None and person.is_authenticated:
        waits &= ~Q(by=person)
    return found.annotate(waits=waits)
