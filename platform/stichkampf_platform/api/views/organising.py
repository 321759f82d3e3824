"""The API for organisers: the same checks, services and log as in the administration."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.admin.models import ADDITION, CHANGE, DELETION
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError as WrongFields
from rest_framework.request import Request
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.parsers import NestingLimitedJSONParser
from stichkampf_platform.api.serializers.organising import (
    CancelSerializer,
    DeskSerializer,
    FinalSerializer,
    OwnTournamentSerializer,
    SettingsSerializer,
    StartSerializer,
)
from stichkampf_platform.api.views.organiser_views import (
    MayOrganise,
    OrganiserView,
    described,
    note,
    own_tournaments,
)
from stichkampf_platform.core.errors import Refused
from stichkampf_platform.people.models import User
from stichkampf_platform.ratings.qualification import make_final
from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments.entry import membership
from stichkampf_platform.tournaments.entry.absence import Absent
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle, losses, rulings, setting_up
from stichkampf_platform.tournaments.records.exports import EXPORTS


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
        return Response(described(made), status.HTTP_201_CREATED)


class OwnTournamentView(OrganiserView):
    """One of your tournaments with all that its head in the administration shows."""

    @extend_schema(responses=DeskSerializer)
    def get(self, request, slug: str) -> Response:
        return Response(described(self.tournament(slug)))

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
        return Response(described(changed))

    @extend_schema(responses={204: None})
    def delete(self, request, slug: str) -> Response:
        """Delete a draft."""
        tournament = self.tournament(slug)
        setting_up.delete(tournament=tournament)
        note(request, tournament, DELETION, "")
        return Response(status=status.HTTP_204_NO_CONTENT)


Act = Callable[[Tournament, User], Tournament | None]

ACTIONS: dict[str, tuple[str, Act]] = {
    "pause": ("Paused.", lambda tournament, by: lifecycle.pause(tournament=tournament)),
    "resume": ("Resumed.", lambda tournament, by: lifecycle.resume(tournament=tournament)),
    "publish": ("Published.", lambda tournament, by: rulings.publish(tournament=tournament)),
    "hide": ("Hidden.", lambda tournament, by: rulings.hide(tournament=tournament)),
    "clone": ("Cloned.", lambda tournament, by: rulings.clone(tournament=tournament, by=by)),
}
"""By name in the address, the sentence in the log and what is done; it may return another tournament."""


class TournamentActionView(OrganiserView):
    """An action on one of your tournaments that takes no settings.

    :ivar action: one of `ACTIONS`.
    """

    action = ""

    @extend_schema(request=None, responses=DeskSerializer)
    def post(self, request, slug: str) -> Response:
        """Do it; the answer is the tournament, or its clone. Where it is not possible the answer says why."""
        done, act = ACTIONS[self.action]
        tournament = self.tournament(slug)
        made = act(tournament, request.user) or tournament
        note(request, made, CHANGE, done)
        return Response(described(made))


class StartTournamentView(OrganiserView):
    """The start of a draft: its schedule, or its first round, is drawn."""

    @extend_schema(request=StartSerializer, responses=DeskSerializer)
    def post(self, request, slug: str) -> Response:
        """Start it; where bots are away, say which, unless it is to start without them."""
        sent = request.data if request.content_type == "application/json" else {}
        tournament, given = self.tournament(slug), StartSerializer(data=sent)
        given.is_valid(raise_exception=True)
        try:
            lifecycle.start(tournament=tournament, **given.validated_data)
        except Absent as error:
            raise Refused(f'{error} To start without it, send {{"without_absent": true}}.') from error
        note(request, tournament, CHANGE, "Started.")
        return Response(described(tournament))


class CancelTournamentView(OrganiserView):
    """The end of a tournament before it is over, for good."""

    @extend_schema(request=CancelSerializer, responses=DeskSerializer)
    def post(self, request, slug: str) -> Response:
        """Cancel it; unless that is confirmed, say what would be lost."""
        tournament, given = self.tournament(slug), CancelSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if not given.validated_data["confirmed"]:
            raise Refused(
                f"This cannot be undone, and loses {losses.by_cancelling([tournament])}; blocks that are over"
                ' still count. To cancel it for good, send {"confirmed": true}.'
            )
        lifecycle.cancel(tournament=tournament)
        note(request, tournament, CHANGE, "Cancelled.")
        return Response(described(tournament))


class KnockOutFinalView(OrganiserView):
    """The knock-out of the best of a tournament that is over."""

    @extend_schema(request=FinalSerializer, responses={201: DeskSerializer})
    def post(self, request, slug: str) -> Response:
        """Make the draft of it."""
        tournament, given = self.tournament(slug), FinalSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        final = make_final(tournament=tournament, by=request.user, **given.validated_data)
        note(request, final, ADDITION, "The best have entered a knock-out.")
        return Response(described(final), status.HTTP_201_CREATED)


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
