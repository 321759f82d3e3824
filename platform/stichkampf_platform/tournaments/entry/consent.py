"""Whose bots play where: authors enter their bots, or agree that others do."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.models import HOUSE, User
from stichkampf_platform.tournaments.models import Tournament


def enters_by_itself(
    version: Version, tournament: Tournament, members: Collection[int] | None = None
) -> bool:
    """Tell whether a version plays on a ladder as soon as it may play.

    On one of the installation all do; on an organiser's those of authors who let organisers enter them; on a
    private one those of members. A class can be kept off all that are not private. Everywhere play those of
    the house and of the organiser.

    :param members: ids of the members, for those who ask about many versions.
    """
    owner = version.bot.owner
    if owner.username == HOUSE or owner.pk == tournament.created_by_id:
        return True
    if not tournament.private:
        return not owner.off_public_ladders and (
            tournament.released or tournament.of_installation or version.bot.may_be_entered
        )
    return tournament.members.filter(person=owner).exists() if members is None else owner.pk in members


def without_consent(
    tournament: Tournament, versions: Iterable[Version], invited: Iterable[User] = ()
) -> list[Version]:
    """Return those of these versions that neither their author nor a setting has put down for a tournament.

    In tournaments of the installation any may play; challenges and other experiments ask for themselves. In
    a knock-out of the best of another tournament, those that played there may.

    :param invited: those who become members of it.
    """
    if tournament.experiment or tournament.of_installation:
        return []
    members, entered = {person.pk for person in invited}, set[int]()
    if tournament.pk is not None:
        members |= set(tournament.members.values_list("person", flat=True))
        entered = set(tournament.entries.values_list("bot", flat=True))
    if tournament.qualifier is not None:
        entered |= set(tournament.qualifier.entrants.values_list("version__bot", flat=True))
    return [
        version
        for version in versions
        if not version.bot.may_be_entered
        and version.bot_id not in entered
        and not enters_by_itself(version, tournament, members)
    ]
