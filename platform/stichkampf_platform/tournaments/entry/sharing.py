"""Tournaments that several people organise: who made one names the others."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import NoticeKind, User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.people.services import may_organise
from stichkampf_platform.tournaments.models import CoOrganiser, Tournament
from stichkampf_platform.tournaments.tournament_locks import hold

MOST_ORGANISERS = 10
"""People who organise one tournament together, besides the one who made it."""


def why_not(tournament: Tournament, by: User) -> str:
    """Return why a person may not say who organises a tournament; empty where they may.

    What counts on public ladders and may have any bot stays in the hands of superusers.
    """
    if tournament.of_installation:
        told = _("{tournament} is the installation's own: superusers organise it, and nobody else.")
        return told.format(tournament=tournament)
    if by.is_superuser or by.pk == tournament.created_by_id:
        return ""
    return _("Who made {tournament} says who organises it.").format(tournament=tournament)


@transaction.atomic
def share(*, tournament: Tournament, by: User, name: str) -> None:
    """Have another organiser do all with a tournament that its maker may do, and tell them.

    :raises RequestRefused: the tournament is not theirs to share, no organiser is called so, or there are too
        many.
    """
    tournament = _held(tournament, by)
    person = User.objects.filter(username=name.strip(), is_active=True).first()
    if person is None:
        told = _("No account is called {name!r}; write the name of an account, such as ann.")
        raise RequestRefused(told.format(name=name[:40]))
    if not may_organise(person):
        told = _("{name} may not organise; an administrator adds people to the group Organisers.")
        raise RequestRefused(told.format(name=person.username))
    if tournament.is_organised_by(person):
        told = _("{name} organises {tournament} already.")
        raise RequestRefused(told.format(name=person.username, tournament=tournament))
    if tournament.co_organisers.count() >= MOST_ORGANISERS:
        told = _("{tournament} has {most} more organisers besides who made it, and can have no more.")
        raise RequestRefused(told.format(tournament=tournament, most=MOST_ORGANISERS))
    CoOrganiser.objects.create(tournament=tournament, person=person)
    tell(
        person=person,
        kind=NoticeKind.TOURNAMENT,
        title=Sentence("{tournament}: you organise it, too", tournament=str(tournament)),
        text=Sentence(
            "{person} asks you to organise {tournament} together.",
            person=by.username,
            tournament=str(tournament),
        ),
        address=f"/admin/tournaments/tournament/{tournament.pk}/change/",
    )


@transaction.atomic
def unshare(*, tournament: Tournament, by: User, name: str) -> None:
    """Have a person organise a tournament no more. One who was asked may leave, too.

    :raises RequestRefused: the person does not organise it together with others, or others say who does.
    """
    name = name.strip()
    tournament = _held(tournament, by, leaves=name == by.username)
    if not tournament.co_organisers.filter(person__username=name).delete()[0]:
        others = ", ".join(each.person.username for each in tournament.co_organisers.select_related("person"))
        told = _("{name!r} is none of those who organise {tournament} with its maker: {others}.")
        raise RequestRefused(told.format(name=name[:40], tournament=tournament, others=others or _("nobody")))


def _held(tournament: Tournament, by: User, leaves: bool = False) -> Tournament:
    held = hold(tournament)
    if not leaves and (refusal := why_not(held, by)):
        raise RequestRefused(refusal)
    return held
