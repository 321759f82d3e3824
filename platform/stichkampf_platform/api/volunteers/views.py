"""Blocks for volunteers' machines: asked for, kept, answered, given back."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.volunteers.serializers import (
    HandedOutSerializer,
    VolunteersAnswerSerializer,
    VolunteerSerializer,
)
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.volunteers import services


class VolunteersView(base_views.APIView):
    """A view that answers tokens of volunteers alone."""

    for_volunteers = True
    permission_classes = [IsAuthenticated]

    def initial(self, request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        if not isinstance(request.auth, ApiToken) or request.auth.scope != ApiToken.Scope.VOLUNTEER:
            raise PermissionDenied("This takes a volunteer's token; make one on /account/tokens/.")


class VolunteerBlocksView(VolunteersView):
    """Blocks for your machine."""

    more_errors = {"POST": (429,)}

    @extend_schema(request=VolunteerSerializer, responses=HandedOutSerializer)
    def post(self, request) -> Response:
        """Ask for a block of house bots that repeat from the seed. Play it, and send its records."""
        given = VolunteerSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        handed_out = services.hand_out(token=request.auth, **given.validated_data)
        lease, block = handed_out or (None, None)
        told = {"lease": lease, "lease_seconds": services.LEASE_SECONDS, "block": block and block.to_json()}
        return Response(told)


class VolunteerLeaseView(VolunteersView):
    """A block in the hands of your machine."""

    more_errors = {"PUT": (409, 429), "DELETE": (409, 429)}

    @extend_schema(request=None, responses={204: None})
    def put(self, request, lease: UUID) -> Response:
        """Keep it for longer."""
        services.renew(token=request.auth, lease=lease)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses={204: None})
    def delete(self, request, lease: UUID) -> Response:
        """Give it back."""
        services.give_back(token=request.auth, lease=lease)
        return Response(status=status.HTTP_204_NO_CONTENT)


class VolunteersAnswerView(VolunteersView):
    """The records of a block."""

    more_errors = {"POST": (409, 429)}

    @extend_schema(request=VolunteersAnswerSerializer, responses={202: None})
    def post(self, request, lease: UUID) -> Response:
        """Send all at once. They count when each match has been played again here, with the same moves."""
        given = VolunteersAnswerSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        records = {sent["table"]: sent["record"] for sent in given.validated_data["records"]}
        services.take_in(token=request.auth, lease=lease, records=records)
        return Response(status=status.HTTP_202_ACCEPTED)
