"""Versions of a bot, and their submissions."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.response import Response
from stichkampf.limits import ARCHIVE_BYTES

from stichkampf_platform.api.base_views import JSON_LINES, ListResource, ReadResource
from stichkampf_platform.api.rows import add_rows, serializer_of
from stichkampf_platform.api.serializers.bots import (
    BotSerializer,
    NewRemoteTokenSerializer,
    RemoteTokenSerializer,
    SubmissionSerializer,
    UploadSerializer,
    VersionSerializer,
)
from stichkampf_platform.api.serializers.experiments import (
    AllowanceSerializer,
    ExperimentSerializer,
    told_allowances,
)
from stichkampf_platform.api.serializers.outlooks import OutlookSerializer
from stichkampf_platform.api.views.bots import OfBot
from stichkampf_platform.api.views.remote import made_remote, where_it_connects
from stichkampf_platform.bots import queries, remote, services
from stichkampf_platform.bots.actions import AUTHOR_ACTIONS
from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.bots.validation import match_records
from stichkampf_platform.core.actions import Action
from stichkampf_platform.experiments import queries as experiment_queries
from stichkampf_platform.experiments.beginning import BEGIN
from stichkampf_platform.ratings.queries import history
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.scheduling.outlook import outlooks

OUTLOOK_FIELDS = ("blocks", "blocks_to_go", "playing", "place", "seconds", "waits")
COSTLY = {"methods": ["post"], "permission_classes": [IsAuthenticated], "more_errors": {"POST": (409, 429)}}


class OfVersion(OfBot):
    """The base of what is below the address of a version."""

    lookup_field = "number"
    lookup_value_converter = "int"

    def own_version(self) -> Version:
        own: Version = get_object_or_404(
            self.own_bot().versions.select_related("bot__owner"), number=self.kwargs["number"]
        )
        return own


class VersionViewSet(ListResource, ReadResource, OfVersion):
    """The versions of a bot. POST submits an archive as the next version of your bot; a new name makes it."""

    more_errors = {"POST": (429, 507)}
    permission_classes = [IsAuthenticatedOrReadOnly]
    serializer_class = VersionSerializer

    def get_queryset(self) -> QuerySet[Version]:
        return self.versions().select_related("submission")

    def get_parsers(self):
        return [MultiPartParser()] if self.action_map.get("post") == "create" else super().get_parsers()

    @extend_schema(request={"multipart/form-data": UploadSerializer}, responses={201: SubmissionSerializer})
    def create(self, request, slug: str, **_named: str) -> Response:
        self.only_own("submit to")
        given = self.sent(UploadSerializer)
        archive = given["archive"]
        if archive.size > ARCHIVE_BYTES:
            raise ValidationError(
                {"archive": f"{archive.size:,} bytes; an archive has at most {ARCHIVE_BYTES:,}."}
            )
        submission = services.submit_version(
            owner=request.user, slug=slug, content=archive.read(), file_name=archive.name,
            games=given.get("games"), address=address_of(request),
        )  # fmt: skip
        return self.created(SubmissionSerializer(submission, context=self.get_serializer_context()).data)

    def retrieve(self, request, **named: str) -> Response:
        """One version of a bot."""
        return super().retrieve(request, **named)

    @extend_schema(responses=RemoteTokenSerializer)
    @action(detail=True, permission_classes=[IsAuthenticated], more_errors={"POST": (429,)})
    def token(self, request, **_named: str) -> Response:
        """Tell where it connects, and the first characters of its token, which is not shown again."""
        version = self._own_remote()
        access = version.access
        told = {**where_it_connects(version), "access": access, "revoked": access.revoked_at is not None}
        return Response(RemoteTokenSerializer(told, context=self.get_serializer_context()).data)

    @extend_schema(request=None, responses={201: NewRemoteTokenSerializer})
    @token.mapping.post
    def new_token(self, request, **_named: str) -> Response:
        """Make a new token, which is shown only once. The previous one becomes invalid."""
        version = self._own_remote()
        token = remote.new_token(version=version, by=request.user, address=address_of(request))
        return made_remote(self, version, token)

    @extend_schema(responses={204: None})
    @token.mapping.delete
    def revoke_token(self, request, **_named: str) -> Response:
        """Revoke the token. A bot that is connected with it is disconnected."""
        remote.revoke(version=self._own_remote(), by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=OutlookSerializer(many=True))
    @action(detail=True, permission_classes=[IsAuthenticated])
    def ladders(self, request, **_named: str) -> Response:
        """The ladders on which your version plays now: how far it is there, or when its first block comes."""
        version = self.own_version()
        rows = [
            {
                "tournament": each.tournament,
                **{name: getattr(each, name) for name in OUTLOOK_FIELDS},
                "rating": history(version, each.tournament.ladder).last(),
            }
            for each in outlooks(version, request.user)
        ]
        return Response(OutlookSerializer(rows, many=True).data)

    def answered(self, on: Version, given: Any) -> Any:
        return BotSerializer(queries.bots_for(self.request.user).get(pk=on.bot_id)).data

    def _own_remote(self) -> Version:
        mine = queries.submissions_for(self.request.user).filter(
            version__remote=True, version__bot=self.own_bot()
        )
        return get_object_or_404(mine, version__number=self.kwargs["number"]).version


add_rows(VersionViewSet, BotSerializer, AUTHOR_ACTIONS)


class VersionExperimentViewSet(OfVersion):
    """Experiments with your version, at once. Only you see the blocks."""

    serializer_class = ExperimentSerializer
    permission_classes = [IsAuthenticated]

    def get_object(self) -> Version:
        return self.own_version()

    @extend_schema(responses=AllowanceSerializer(many=True))
    @action(detail=True)
    def quota(self, request, **_named: str) -> Response:
        """Blocks of each kind of experiment that you may still ask for today with this version."""
        found = experiment_queries.allowances(request.user, self.own_version())
        return Response(told_allowances(found))


def _begun(view: VersionExperimentViewSet, on: Version, row: Action, given: dict) -> Response:
    return view.created(ExperimentSerializer(view.act(row, on, given)).data)


for kind, begin in BEGIN.items():
    add_rows(
        VersionExperimentViewSet, ExperimentSerializer, {f"{kind}s": begin}, _begun,
        sent=serializer_of(kind, begin.needs), more_errors={"POST": (409, 429)},
    )  # fmt: skip


class SubmissionViewSet(ReadResource):
    """One of your submissions, with its log."""

    lookup_value_converter = "int"
    queryset = Submission.objects.none()
    permission_classes = [IsAuthenticated]
    serializer_class = SubmissionSerializer

    def get_queryset(self) -> QuerySet[Submission]:
        return queries.submissions_for(self.request.user).prefetch_related("lines", "matches")

    @extend_schema(responses=JSON_LINES)
    @action(detail=True)
    def records(self, request, pk: int) -> StreamingHttpResponse:
        """The match records of your submission's last validation, as JSON lines, kept for 30 days."""
        submission = get_object_or_404(queries.submissions_for(request.user), pk=pk)
        return self.lines(match_records.export(submission), f"trial-{pk}")
