from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.bots import (
    NewRemoteTokenSerializer,
    RemoteBotSerializer,
    RemoteGamesSerializer,
    RemoteTokenSerializer,
)
from stichkampf_platform.bots import remote
from stichkampf_platform.bots.arbiter_sync import connect_command, remote_address
from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.queries import own_named, remote_accesses_for, submissions_for
from stichkampf_platform.serving.addresses import address_of


class RemoteBotsView(base_views.ListAPIView):
    """The remote bots, connected or not. Latency and tables are null for bots of other people."""

    serializer_class = RemoteBotSerializer

    def get_queryset(self):
        return remote_accesses_for(self.request.user)


class RemoteView(base_views.APIView):
    """A bot that runs on its author's machine."""

    more_errors = {"POST": (429,)}

    permission_classes = [IsAuthenticated]

    @extend_schema(request=RemoteGamesSerializer, responses={201: NewRemoteTokenSerializer})
    def post(self, request, slug: str, author: str = "") -> Response:
        """Make a remote version of your bot, and the bot if it is new. The token is shown only once."""
        if author not in ("", request.user.username):
            raise PermissionDenied(f"{author}/{slug} belongs to someone else; you connect your own bots.")
        given = RemoteGamesSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        submission, token = remote.create_remote_version(
            owner=request.user, slug=slug, address=address_of(request), **given.validated_data
        )
        return _answer(request, submission.version, token)


class RemoteTokenView(base_views.APIView):
    """The token of one of your remote versions."""

    more_errors = {"POST": (429,)}

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=RemoteTokenSerializer)
    def get(self, request, slug: str, number: int, author: str = "") -> Response:
        """Tell where it connects, and the first characters of its token, which is not shown again."""
        version = _own(request, slug, number, author)
        told = {**_where(version), "access": version.access, "revoked": version.access.revoked_at is not None}
        return Response(RemoteTokenSerializer(told, context={"request": request}).data)

    @extend_schema(request=None, responses={201: NewRemoteTokenSerializer})
    def post(self, request, slug: str, number: int, author: str = "") -> Response:
        """Make a new token, which is shown only once. The previous one becomes invalid."""
        version = _own(request, slug, number, author)
        token = remote.new_token(version=version, by=request.user, address=address_of(request))
        return _answer(request, version, token)

    @extend_schema(responses={204: None})
    def delete(self, request, slug: str, number: int, author: str = "") -> Response:
        """Revoke the token. A bot that is connected with it is disconnected."""
        remote.revoke(version=_own(request, slug, number, author), by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _own(request, slug: str, number: int, author: str) -> Version:
    bots = own_named(request.user, slug, author)
    mine = submissions_for(request.user).filter(version__remote=True, version__bot__in=bots)
    return get_object_or_404(mine, version__number=number).version


def _answer(request, version: Version, token: str) -> Response:
    made = {**_where(version), "token": token, "submission": version.submission}
    answer = NewRemoteTokenSerializer(made, context={"request": request})
    return Response(answer.data, status.HTTP_201_CREATED)


def _where(version: Version) -> dict[str, object]:
    return {"version": version, "address": remote_address() or "", "command": connect_command()}
