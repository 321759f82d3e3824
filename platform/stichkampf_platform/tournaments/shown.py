"""The one rule of who is shown which tournament; pages, lists, feeds, answers, exports and counts follow it.

A published tournament is shown to everybody once it has started, and before that while authors may enter it.
A private one is shown to its organisers, its members and superusers alone, and so is all that is in it:
blocks, tables, records, results and ratings. An experiment is in no list; its author opens its tables by
their addresses, as organisers open the pages of their drafts and of what is hidden.
"""

from __future__ import annotations

from typing import Any, Self

from django.db.models import Q, QuerySet

from stichkampf_platform.tournaments.entry_models import CoOrganiser, Membership, WhoEnters

Viewer = Any
"""A visitor, such as `request.user`; `None` for what everybody may see, no matter who asks."""


def organised_by(person: Viewer, to_tournament: str = "") -> Q:
    """Match what a person organises, alone or together with others.

    :param person: with an account.
    :param to_tournament: as for `shown_to`.
    """
    together = CoOrganiser.objects.filter(person_id=person.pk).values("tournament")
    return Q(**{f"{to_tournament}created_by": person.pk}) | Q(**{f"{to_tournament}pk__in": together})


def shown_to(person: Viewer, to_tournament: str = "") -> Q:
    """Match what is shown to a person on the site.

    :param to_tournament: the way from the model to its tournament, such as `block__tournament__`.
    """
    shown = Q(**{f"{to_tournament}published": True}) & (
        ~Q(**{f"{to_tournament}state": "draft"}) | ~Q(**{f"{to_tournament}entry": WhoEnters.ORGANISER})
    )
    if person is not None and person.is_superuser:
        return shown
    audience = Q(**{f"{to_tournament}private": False})
    if person is not None and person.is_authenticated:
        own = Membership.objects.filter(person_id=person.pk).values("tournament")
        audience |= organised_by(person, to_tournament) | Q(**{f"{to_tournament}pk__in": own})
    return shown & audience


def opened_by(person: Viewer, to_tournament: str = "") -> Q:
    """Match what a person may open: all that they see, and what they organise, listed or not.

    Those are drafts, what is hidden, and experiments.

    :param to_tournament: as for `shown_to`.
    """
    seen = shown_to(person, to_tournament)
    if person is None or not person.is_authenticated:
        return seen
    return seen | organised_by(person, to_tournament)


class TournamentQuerySet(QuerySet):
    def opened_by(self, person: Viewer) -> Self:
        """Return those whose pages a person may open."""
        return self.filter(opened_by(person))

    def shown_to(self, person: Viewer) -> Self:
        """Return those that are shown to a person, `None` for what everybody may see."""
        return self.filter(shown_to(person))
