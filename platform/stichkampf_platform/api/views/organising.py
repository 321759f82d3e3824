"""The API for organisers: the same checks, rows of actions, services and log as in the administration."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.db.models import QuerySet
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import override
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import NotAuthenticated, PermissionDenied, ValidationError
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from stichkampf_platform.api.base_views import ListResource
from stichkampf_platform.api.parsers import NestingLimitedJSONParser
from stichkampf_platform.api.rows import add_rows, serializer_of
from stichkampf_platform.api.serializers.organising import (
    DeskSerializer,
    OwnTournamentSerializer,
    SettingsSerializer,
)
from stichkampf_platform.api.serializers.rulings import (
    EntrantRulingSerializer,
    RulingSerializer,
    TextSerializer,
    full_name,
)
from stichkampf_platform.api.views.tournaments import listed_entries
from stichkampf_platform.core.actions import Action
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.people.services import may_organise
from stichkampf_platform.ratings.organising import ACTIONS, EXPORTS, possible
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments import pace, queries
from stichkampf_platform.tournaments.entry import protests
from stichkampf_platform.tournaments.entry.absence import absences
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import meanwhile, setting_up
from stichkampf_platform.tournaments.organising.actions import (
    BLOCK_ACTIONS,
    ENTRANT_ACTIONS,
    ENTRY_ACTIONS,
    FAULT,
    MEMBER_ACTIONS,
    PROTEST_ACTIONS,
    REASON,
)
from stichkampf_platform.tournaments.organising.estimates import estimate_in_words
from stichkampf_platform.tournaments.shown import organised_by


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


class OwnTournamentViewSet(ListResource):
    """Tournaments that you organise, newest first, drafts too; of superusers all."""

    lookup_field = "slug"
    permission_classes = [MayOrganise]
    parser_classes = [NestingLimitedJSONParser]
    more_errors = {"GET": (403,)}
    serializer_class = OwnTournamentSerializer
    queryset = Tournament.objects.none()

    def get_queryset(self) -> QuerySet[Tournament]:
        found = Tournament.objects.filter(experiment=False).select_related("qualifier")
        user = self.request.user
        return found if user.is_superuser else found.filter(organised_by(user))

    @extend_schema(request=SettingsSerializer, responses={201: DeskSerializer})
    def create(self, request) -> Response:
        """Make a draft. Wrong settings are answered with all that is wrong, and nothing is made."""
        made = setting_up.from_fields(fields=_object(request), by=request.user)
        self.note(made, ADDITION, "Added.")
        return self.created(self.described(made))

    @extend_schema(responses=DeskSerializer)
    def retrieve(self, request, slug: str) -> Response:
        """One of your tournaments with all that its head in the administration shows."""
        return Response(self.described(self.get_object()))

    @extend_schema(request=SettingsSerializer, responses=DeskSerializer)
    def partial_update(self, request, slug: str) -> Response:
        """Change settings of a draft; those that are not given stay.

        With its `version`, as a field or as `If-Match`, only if it is still as you have read it.
        """
        tournament, fields = self.get_object(), _object(request)
        if expected := request.headers.get("If-Match"):
            fields = {"version": expected, **fields}
        changed = setting_up.from_fields(fields=fields, by=request.user, tournament=tournament)
        self.note(changed, CHANGE, f"Changed {', '.join(sorted(request.data))}.")
        return Response(self.described(changed))

    @extend_schema(responses={204: None})
    def destroy(self, request, slug: str) -> Response:
        """Delete a draft."""
        tournament = self.get_object()
        setting_up.delete(tournament=tournament)
        self.note(tournament, DELETION, "")
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses={204: None})
    @action(detail=True, methods=["delete"], url_path="members/<slug:name>")
    def member(self, request, slug: str, name: str) -> Response:
        """Take a member out, and this person's entries that have not been played."""
        member = get_object_or_404(self.get_object().members, person__username=name)
        self.act(MEMBER_ACTIONS["expel"], member, {})
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.STR})
    def export(self, request, slug: str, name: str) -> StreamingHttpResponse:
        """A file of one of your tournaments, as in the administration: blocks that are over, no others."""
        tournament = self.get_object()
        if name not in EXPORTS:
            raise Http404(f"There is no export {name!r}; there are {', '.join(EXPORTS)}.")
        return self.file(EXPORTS[name].lines(tournament), f"{slug}-{name}", EXPORTS[name].content_type)

    def act(self, row: Action, on: Any, given: Mapping[str, Any]) -> Any:
        """Do what a row says and log it, as the administration does; return what it makes, if anything."""
        made = super().act(row, on, given)
        with override("en"):
            kept = made if isinstance(made, type(on)) else on
            self.note(kept, ADDITION if row.adds else CHANGE, row.told(on, **given))
        return made

    def answered(self, on: Tournament, given: Any) -> dict:
        return self.described(on)

    def note(self, on: Any, kind: int, text: str) -> None:
        """Log what was done, as the administration does."""
        LogEntry.objects.log_actions(
            self.request.user.pk, [on], kind, change_message=text, single_object=True
        )

    def described(self, tournament: Tournament) -> dict:
        """Return a tournament, as it is now, as the serializer writes it for somebody who runs it."""
        found = Tournament.objects.select_related("qualifier", "ladder").get(pk=tournament.pk)
        versions = [each.version for each in found.entrants.select_related("version__bot__owner")]
        members = list(found.members.select_related("person"))
        draft = found.state == Tournament.State.DRAFT
        found.progress = queries.progress(found)
        found.entrant_names = [full_name(version) for version in versions]
        found.listed_entries = listed_entries(found)
        found.organiser_names = [person.username for person in found.organisers]
        found.member_names = [member.person.username for member in members]
        found.invited_names = [member.person.username for member in members if not member.by_code]
        found.time_left = pace.time_left(found, found.progress)
        found.estimate = estimate_in_words(found, versions) if draft else ""
        found.absent = list(map(str, absences(found))) if draft else []
        found.troubles = [{"reason": reason, "tables": tables} for reason, tables in queries.troubles(found)]
        found.standings = standings(found)
        found.version = meanwhile.version_of(found)
        found.possible = list(possible(found, self.request.user))
        return DeskSerializer(found).data


def _on_block(
    view: OwnTournamentViewSet, of: Tournament, row: Action, given: dict, *, number: int
) -> Response:
    block = get_object_or_404(of.blocks.select_related("tournament"), number=number)
    view.act(row, block, given)
    return Response(view.described(of))


def _on_member(
    view: OwnTournamentViewSet, of: Tournament, row: Action, given: dict, *, name: str
) -> Response:
    view.act(row, get_object_or_404(of.members, person__username=name), given)
    return Response(view.described(of))


def _on_entrant(view: OwnTournamentViewSet, of: Tournament, row: Action, given: dict) -> Response:
    if of.state == Tournament.State.DRAFT:
        if row is not ENTRANT_ACTIONS["withdraw"]:
            raise RequestRefused(f"{of} has not started; change its entrants, or withdraw them.")
        row = ENTRY_ACTIONS["withdraw"]
    view.act(row, given.pop("entrant"), given)
    return Response(view.described(of))


def _on_protest(view: OwnTournamentViewSet, of: Tournament, row: Action, given: dict, *, pk: int) -> Response:
    view.act(row, get_object_or_404(of.rulings, pk=pk), given)
    return Response(RulingSerializer(protests.listed(of, view.request.user).get(pk=pk)).data)


def _object(request: Request) -> dict:
    if not isinstance(request.data, dict):
        raise ValidationError(
            {"detail": 'Send the settings as a JSON object, such as {"name": "Friday cup"}.'}
        )
    return request.data


_of_own = partial(add_rows, OwnTournamentViewSet)
_of_own(DeskSerializer, ACTIONS)
_of_own(
    DeskSerializer, BLOCK_ACTIONS, _on_block, below="blocks/<int:number>/",
    sent=serializer_of("block-ruling", REASON | FAULT),
)  # fmt: skip
_of_own(DeskSerializer, ENTRANT_ACTIONS, _on_entrant, sent=EntrantRulingSerializer)
_of_own(DeskSerializer, MEMBER_ACTIONS, _on_member, below="members/<slug:name>/")
_of_own(RulingSerializer, PROTEST_ACTIONS, _on_protest, below="protests/<int:pk>/", sent=TextSerializer)
