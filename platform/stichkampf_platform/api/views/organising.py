"""The API for organisers: the same checks, rows of actions, services and log as in the administration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from rest_framework.serializers import Serializer

from stichkampf_platform.api.base_views import ListResource
from stichkampf_platform.api.parsers import NestingLimitedJSONParser
from stichkampf_platform.api.serializers.organising import (
    DeskSerializer,
    OwnTournamentSerializer,
    SettingsSerializer,
    serializer_of,
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
    """Your tournaments, newest first, drafts too; of superusers all."""

    lookup_field = "slug"
    permission_classes = [MayOrganise]
    parser_classes = [NestingLimitedJSONParser]
    more_errors = {"GET": (403,)}
    serializer_class = OwnTournamentSerializer
    queryset = Tournament.objects.none()

    def get_queryset(self) -> QuerySet[Tournament]:
        found = Tournament.objects.filter(experiment=False).select_related("qualifier")
        user = self.request.user
        return found if user.is_superuser else found.filter(created_by_id=user.pk)

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
        content_type, lines = EXPORTS[name]
        return self.file(lines(tournament), f"{slug}-{name}", content_type)

    def act(self, row: Action, on: Any, given: Mapping[str, Any]) -> Any:
        """Do what a row says and log it, as the administration does; return what it makes, if anything."""
        user = self.request.user
        if row.operators and not user.is_superuser:
            raise PermissionDenied("Only the operators of this site do that.")
        if row.confirmed_by and not given[row.confirmed_by] and (lost := row.question([on])):
            raise RequestRefused(f'{lost} To do it all the same, send {{"{row.confirmed_by}": true}}.')
        made = row.act(on, user, **given)
        with override("en"):
            kept = made if isinstance(made, type(on)) else on
            self.note(kept, ADDITION if row.adds else CHANGE, str(row.done).format(**given))
        return made

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


Doing = Callable[..., Response]
"""Does the row of a name on a tournament, or on what the address names there, with what was sent."""


def _on_tournament(view: OwnTournamentViewSet, on: Tournament, name: str, given: dict) -> Response:
    row = ACTIONS[name]
    answer = view.described(view.act(row, on, given) or on)
    return view.created(answer) if row.adds else Response(answer)


def _on_block(view: OwnTournamentViewSet, of: Tournament, name: str, given: dict, *, number: int) -> Response:
    block = get_object_or_404(of.blocks.select_related("tournament"), number=number)
    view.act(BLOCK_ACTIONS[name], block, given)
    return Response(view.described(of))


def _on_entrant(view: OwnTournamentViewSet, of: Tournament, name: str, given: dict) -> Response:
    rows = ENTRY_ACTIONS if of.state == Tournament.State.DRAFT else ENTRANT_ACTIONS
    if name not in rows:
        raise RequestRefused(f"{of} has not started; change its entrants, or withdraw them.")
    view.act(rows[name], given.pop("entrant"), given)
    return Response(view.described(of))


def _on_protest(view: OwnTournamentViewSet, of: Tournament, name: str, given: dict, *, pk: int) -> Response:
    view.act(PROTEST_ACTIONS[name], get_object_or_404(of.rulings, pk=pk), given)
    return Response(RulingSerializer(protests.listed(of, view.request.user).get(pk=pk)).data)


def _add(
    rows: Mapping[str, Action], do: Doing, below: str = "", *, sent: type[Serializer] | None = None,
    answer: type[Serializer] = DeskSerializer,
) -> None:  # fmt: skip
    """Make an address of each row.

    :param below: what stands before the row's name in its address.
    :param sent: what all of them take, where the description has one name for that.
    """
    for name, row in rows.items():
        takes = sent or (serializer_of(name, row.needs) if row.needs else None)

        def act(
            self: OwnTournamentViewSet, request: Request, slug: str, *, _name: str = name,
            _takes: type[Serializer] | None = takes, **named: int,
        ) -> Response:  # fmt: skip
            tournament = self.get_object()
            return do(
                self,
                tournament,
                _name,
                self.sent(_takes, perhaps=True, tournament=tournament) if _takes else {},
                **named,
            )

        act.__name__ = f"{below.partition('/')[0]}_{name}".lstrip("_")
        act.__doc__ = (
            f"{row.meaning.capitalize()}.\n\nThe answer is the tournament, or what was made of it."
            " Where it is not possible the answer says why."
        )
        shown = extend_schema(request=takes, responses={201 if row.adds else 200: answer})
        setattr(OwnTournamentViewSet, act.__name__, shown(action(["post"], True, below + name)(act)))


def _object(request: Request) -> dict:
    if not isinstance(request.data, dict):
        raise ValidationError(
            {"detail": 'Send the settings as a JSON object, such as {"name": "Friday cup"}.'}
        )
    return request.data


_add(ACTIONS, _on_tournament)
_add(BLOCK_ACTIONS, _on_block, "blocks/<int:number>/", sent=serializer_of("block-ruling", REASON | FAULT))
_add(ENTRANT_ACTIONS, _on_entrant, sent=EntrantRulingSerializer)
_add(PROTEST_ACTIONS, _on_protest, "protests/<int:pk>/", sent=TextSerializer, answer=RulingSerializer)
