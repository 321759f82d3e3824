from __future__ import annotations

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.experiments import (
    AcceptedSerializer,
    ChallengeSerializer,
    ComparisonSerializer,
    CounterfactualSerializer,
    ExperimentDetailSerializer,
    ExperimentSerializer,
)
from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import own_named
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.experiments import queries, services
from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.experiments.standing import standing
from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments.records import record_files


class ChallengesView(base_views.APIView):
    """POST plays unrated blocks of your version against other bots, at once. Only you see them."""

    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticated]

    @extend_schema(request=ChallengeSerializer, responses={201: ExperimentSerializer})
    def post(self, request, slug: str, number: int, author: str = "") -> Response:
        asked = _asked(ChallengeSerializer, request)
        opponents = [queries.opponent(request.user, text) for text in asked.pop("opponents")]
        version = _own_version(request, slug, number, author)
        return _made(services.challenge(version=version, opponents=opponents, by=request.user, **asked))


class ComparisonsView(base_views.APIView):
    """POST tests if your version is better than another one of its bot. Only you see the blocks."""

    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticated]

    @extend_schema(request=ComparisonSerializer, responses={201: ExperimentSerializer})
    def post(self, request, slug: str, number: int, author: str = "") -> Response:
        asked = _asked(ComparisonSerializer, request)
        version = _own_version(request, slug, number, author)
        against = _other_version(version, asked.pop("against"))
        return _made(services.compare(version=version, against=against, by=request.user, **asked))


class CounterfactualsView(base_views.APIView):
    """POST gives your version the seats of another one of its bot in past blocks. Only you see the blocks."""

    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticated]

    @extend_schema(request=CounterfactualSerializer, responses={201: ExperimentSerializer})
    def post(self, request, slug: str, number: int, author: str = "") -> Response:
        asked = _asked(CounterfactualSerializer, request)
        version = _own_version(request, slug, number, author)
        against = _other_version(version, asked.pop("against"))
        return _made(services.counterfactual(version=version, against=against, by=request.user, **asked))


class AcceptedChallengesView(base_views.APIView):
    """POST says if other authors may challenge your bot."""

    permission_classes = [IsAuthenticated]
    accept = staticmethod(services.accept_challenges)

    @extend_schema(request=AcceptedSerializer, responses=AcceptedSerializer)
    def post(self, request, slug: str, author: str = "") -> Response:
        asked = _asked(AcceptedSerializer, request)
        bot = get_object_or_404(own_named(request.user, slug, author))
        self.accept(bot=bot, accepted=asked["accepted"], by=request.user)
        return Response(asked)


class AcceptedEntriesView(AcceptedChallengesView):
    """POST says if organisers may enter your bot in their tournaments; you may always."""

    accept = staticmethod(services.accept_entries)


class ExperimentsView(base_views.ListAPIView):
    """Your challenges, comparisons and counterfactual seats, newest first."""

    permission_classes = [IsAuthenticated]
    serializer_class = ExperimentSerializer

    def get_queryset(self):
        if getattr(self, "swagger_fake_view", False):
            return Experiment.objects.none()
        return queries.experiments_for(self.request.user).filter(tournament__created_by=self.request.user)


class ExperimentView(base_views.APIView):
    """One of your challenges, comparisons or counterfactual seats, and what its blocks say so far."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=ExperimentDetailSerializer)
    def get(self, request, pk: int) -> Response:
        experiment = get_object_or_404(queries.experiments_for(request.user), pk=pk)
        experiment.standing = standing(experiment)
        return Response(ExperimentDetailSerializer(experiment).data)


class CancelExperimentView(base_views.APIView):
    """POST ends one of your experiments. The blocks that are over stay."""

    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses=ExperimentSerializer)
    def post(self, request, pk: int) -> Response:
        experiment = get_object_or_404(queries.experiments_for(request.user), pk=pk)
        services.cancel(experiment=experiment, by=request.user)
        return Response(ExperimentSerializer(queries.experiments_for(request.user).get(pk=pk)).data)


class ExperimentRecordsView(base_views.APIView):
    """The match records of the blocks of your experiment that are over, as JSON lines."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request, pk: int) -> StreamingHttpResponse:
        experiment = get_object_or_404(queries.experiments_for(request.user), pk=pk)
        return streamed(
            request._request,
            record_files.export(experiment.tournament),
            content_type="application/x-ndjson",
            file_name=f"experiment-{pk}.jsonl",
        )


def _asked(serializer, request) -> dict:  # type: ignore[no-untyped-def]
    asked = serializer(data=request.data)
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


def _own_version(request, slug: str, number: int, author: str) -> Version:  # type: ignore[no-untyped-def]
    bot: Bot = get_object_or_404(own_named(request.user, slug, author))
    return get_object_or_404(bot.versions.select_related("bot__owner"), number=number)


def _other_version(version: Version, number: int) -> Version:
    found = version.bot.versions.select_related("bot__owner").filter(number=number).first()
    if found is None:
        raise RequestRefused(f"{version.bot} has no version {number}.")
    return found


def _made(experiment: Experiment) -> Response:
    return Response(ExperimentSerializer(experiment).data, status=status.HTTP_201_CREATED)
