from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api import base
from stichkampf_platform.api.serializers import (
    NewRemoteTokenSerializer,
    RemoteBotSerializer,
    RemoteGamesSerializer,
)
from stichkampf_platform.bots import remote
from stichkampf_platform.bots.arbiter_sync import connect_command, remote_address
from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.queries import remote_accesses_for, submissions_for
from stichkampf_platform.people.addresses import address_of


class RemoteBotsView(base.ListAPIView):
    """The remote bots and whether they are there. The round trip and the tables of others' bots are null."""

    serializer_class = RemoteBotSerializer

    def get_queryset(self):
        return remote_accesses_for(self.request.user)


class RemoteView(base.APIView):
    """A bot on its author's machine."""

    more_errors = {"POST": (429,)}

    permission_classes = [IsAuthenticated]

    @extend_schema(request=RemoteGamesSerializer, responses={201: NewRemoteTokenSerializer})
    def post(self, request, slug: str) -> Response:
        """Make its next version a remote one, and the bot where there is none; the token is shown once."""
        given = RemoteGamesSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        submission, token = remote.create_remote_version(
            owner=request.user, slug=slug, address=address_of(request), **given.validated_data
        )
        return _answer(request, submission.version, token)


class RemoteTokenView(base.APIView):
    """The token of a remote version of mine."""

    more_errors = {"POST": (429,)}

    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses={201: NewRemoteTokenSerializer})
    def post(self, request, slug: str, number: int) -> Response:
        """Make a new token, shown this once; the one before holds no longer."""
        version = _own(request, slug, number)
        token = remote.new_token(version=version, by=request.user, address=address_of(request))
        return _answer(request, version, token)

    @extend_schema(responses={204: None})
    def delete(self, request, slug: str, number: int) -> Response:
        """Revoke it; whoever is connected with it is sent away."""
        remote.revoke(version=_own(request, slug, number), by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _own(request, slug: str, number: int) -> Version:
    mine = submissions_for(request.user).filter(version__remote=True, version__bot__slug=slug)
    return get_object_or_404(mine, version__number=number).version


def _answer(request, version: Version, token: str) -> Response:
    made = {
        "version": version,
        "token": token,
        "address": remote_address() or "",
        "command": connect_command(),
        "submission": version.submission,
    }
    answer = NewRemoteTokenSerializer(made, context={"request": request})
    return Response(answer.data, status.HTTP_201_CREATED)
