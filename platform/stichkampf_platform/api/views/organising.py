"""The API for organisers: the same checks, services and log as in the administration."""

from __future__ import annotations

from django.contrib.admin.models import ADDITION, CHANGE, DELETION
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import override
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.exceptions import ValidationError as WrongFields
from rest_framework.request import Request
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.parsers import NestingLimitedJSONParser
from stichkampf_platform.api.serializers.organising import (
    DeskSerializer,
    OwnTournamentSerializer,
    SettingsSerializer,
    serializer_of,
)
from stichkampf_platform.api.views.organiser_views import (
    MayOrganise,
    OrganiserView,
    described,
    note,
    own_tournaments,
)
from stichkampf_platform.core.actions import Action
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings.organising import ACTIONS, EXPORTS
from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments.entry import membership
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import setting_up


class OwnTournamentsView(base_views.ListAPIView):
    """Your tournaments, newest first, drafts too; of superusers all."""

    permission_classes = [MayOrganise]
    parser_classes = [NestingLimitedJSONParser]
    more_errors = {"GET": (403,)}
    serializer_class = OwnTournamentSerializer

    def get_queryset(self):
        if getattr(self, "swagger_fake_view", False):
            return Tournament.objects.none()
        return own_tournaments(self.request)

    @extend_schema(request=SettingsSerializer, responses={201: DeskSerializer})
    def post(self, request) -> Response:
        """Make a draft. Wrong settings are answered with all that is wrong, and nothing is made."""
        made = setting_up.from_fields(fields=_object(request), by=request.user)
        note(request, made, ADDITION, "Added.")
        return Response(described(made, request.user), status.HTTP_201_CREATED)


class OwnTournamentView(OrganiserView):
    """One of your tournaments with all that its head in the administration shows."""

    @extend_schema(responses=DeskSerializer)
    def get(self, request, slug: str) -> Response:
        return Response(described(self.tournament(slug), request.user))

    @extend_schema(request=SettingsSerializer, responses=DeskSerializer)
    def patch(self, request, slug: str) -> Response:
        """Change settings of a draft; those that are not given stay.

        With its `version`, as a field or as `If-Match`, only if it is still as you have read it.
        """
        tournament, fields = self.tournament(slug), _object(request)
        if expected := request.headers.get("If-Match"):
            fields = {"version": expected, **fields}
        changed = setting_up.from_fields(fields=fields, by=request.user, tournament=tournament)
        note(request, changed, CHANGE, f"Changed {', '.join(sorted(request.data))}.")
        return Response(described(changed, request.user))

    @extend_schema(responses={204: None})
    def delete(self, request, slug: str) -> Response:
        """Delete a draft."""
        tournament = self.tournament(slug)
        setting_up.delete(tournament=tournament)
        note(request, tournament, DELETION, "")
        return Response(status=status.HTTP_204_NO_CONTENT)


def action_view(name: str, row: Action) -> type[OrganiserView]:
    """Return the view of an action on one of your tournaments."""
    serializer = serializer_of(name, row.needs) if row.needs else None
    answer = status.HTTP_201_CREATED if row.adds else status.HTTP_200_OK

    def post(self: OrganiserView, request: Request, slug: str) -> Response:
        tournament = self.tournament(slug)
        if row.operators and not request.user.is_superuser:
            raise PermissionDenied("Only the operators of this site do that.")
        given = {}
        if serializer is not None:
            sent = serializer(data=request.data if request.content_type == "application/json" else {})
            sent.is_valid(raise_exception=True)
            given = sent.validated_data
        if row.confirmed_by and not given[row.confirmed_by] and (lost := row.question([tournament])):
            raise RequestRefused(f'{lost} To do it all the same, send {{"{row.confirmed_by}": true}}.')
        made = row.act(tournament, request.user, **given) or tournament
        with override("en"):
            note(request, made, ADDITION if row.adds else CHANGE, str(row.done))
        return Response(described(made, request.user), answer)

    post.__doc__ = f"""{row.meaning.capitalize()}.

        The answer is the tournament, or what was made of it. Where it is not possible the answer says why.
        """
    decorated = extend_schema(request=serializer, responses={answer: DeskSerializer})(post)
    return type(f"{name.title()}View", (OrganiserView,), {"post": decorated, "__doc__": post.__doc__})


ACTION_VIEWS = {name: action_view(name, row) for name, row in ACTIONS.items()}
"""By name in the address."""


class TournamentMemberView(OrganiserView):
    """A member of one of your tournaments."""

    @extend_schema(responses={204: None})
    def delete(self, request, slug: str, name: str) -> Response:
        """Take a member out, and this person's entries that have not been played."""
        tournament = self.tournament(slug)
        member = get_object_or_404(tournament.members, person__username=name)
        note(request, tournament, CHANGE, f"{name} is no member any more.")
        membership.exclude(member=member)
        return Response(status=status.HTTP_204_NO_CONTENT)


class TournamentExportView(OrganiserView):
    """A file of one of your tournaments, as in the administration: blocks that are over, and no others."""

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.STR})
    def get(self, request, slug: str, name: str) -> StreamingHttpResponse:
        tournament = self.tournament(slug)
        if name not in EXPORTS:
            raise Http404(f"There is no export {name!r}; there are {', '.join(EXPORTS)}.")
        content_type, lines = EXPORTS[name]
        file_name = f"{tournament.slug}-{name}"
        return streamed(request._request, lines(tournament), content_type=content_type, file_name=file_name)


def _object(request: Request) -> dict:
    if not isinstance(request.data, dict):
        raise WrongFields({"detail": 'Send the settings as a JSON object, such as {"name": "Friday cup"}.'})
    return request.data
