"""The base of the views for organisers: who may use them, their own tournaments, and the log."""

from __future__ import annotations

from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from stichkampf_platform.api import base_views
from stichkampf_platform.api.parsers import NestingLimitedJSONParser
from stichkampf_platform.api.serializers.organising import DeskSerializer
from stichkampf_platform.api.views.entries import listed_entries
from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.models import ApiToken, User
from stichkampf_platform.people.services import may_organise
from stichkampf_platform.ratings.organising import possible
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments import pace, queries
from stichkampf_platform.tournaments.entry.absence import absences
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import meanwhile
from stichkampf_platform.tournaments.organising.estimates import estimate_in_words


class MayOrganise(BasePermission):
    """Organisers, with a session or a token that is for that."""

    def has_permission(self, request: Request, view: object) -> bool:
        if not request.user.is_authenticated:
            raise NotAuthenticated
        if not may_organise(request.user):
            raise PermissionDenied(
                f"{request.user.username} may not organise; an administrator adds people to the group"
                " Organisers."
            )
        refuse_other_tokens(request)
        return True


def refuse_other_tokens(request: Request) -> None:
    """Let a session pass, or a token of the organiser's scope.

    :raises PermissionDenied: the token has another scope.
    """
    if isinstance(request.auth, ApiToken) and request.auth.scope != ApiToken.Scope.ORGANISER:
        raise PermissionDenied(
            f"The token {request.auth.name!r} is for bots and entries; make one for your own"
            " tournaments and classes on /account/tokens/."
        )


class OrganiserView(base_views.APIView):
    """The base of these views: own tournaments only, JSON only."""

    permission_classes = [MayOrganise]
    parser_classes = [NestingLimitedJSONParser]
    more_errors = {"GET": (403,)}

    def tournament(self, slug: str) -> Tournament:
        return get_object_or_404(own_tournaments(self.request), slug=slug)


def own_tournaments(request: Request) -> QuerySet[Tournament]:
    """Return the tournaments that a person runs: those that they made, of superusers all."""
    found = Tournament.objects.filter(experiment=False).select_related("qualifier")
    return found if request.user.is_superuser else found.filter(created_by_id=request.user.pk)


def note(request: Request, tournament: Tournament, kind: int, text: str) -> None:
    """Log what was done, as the administration does."""
    LogEntry.objects.log_actions(request.user.pk, [tournament], kind, change_message=text, single_object=True)


def entrants_of(tournament: Tournament):  # type: ignore[no-untyped-def]
    return tournament.entrants.select_related("version__bot__owner")


def full_name(version: Version) -> str:
    return f"{version.bot.full_name} v{version.number}"


def described(tournament: Tournament, by: User) -> dict:
    """Return a tournament, as it is now, as the serializer writes it for somebody who runs it."""
    found = Tournament.objects.select_related("qualifier", "ladder").get(pk=tournament.pk)
    entrants, members = list(entrants_of(found)), list(found.members.select_related("person"))
    progress = queries.progress(found)
    draft = found.state == Tournament.State.DRAFT
    found.progress = progress
    found.entrant_names = [full_name(entrant.version) for entrant in entrants]
    found.listed_entries = listed_entries(found)
    found.member_names = [member.person.username for member in members]
    found.invited_names = [member.person.username for member in members if not member.by_code]
    found.time_left = pace.time_left(found, progress)
    versions = [entrant.version for entrant in entrants]
    found.estimate = estimate_in_words(found, versions) if draft else ""
    found.absent = list(map(str, absences(found))) if draft else []
    found.troubles = [{"reason": reason, "tables": tables} for reason, tables in queries.troubles(found)]
    found.standings = standings(found)
    found.version = meanwhile.version_of(found)
    found.possible = list(possible(found, by))
    return DeskSerializer(found).data
