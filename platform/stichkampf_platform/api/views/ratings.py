"""Ratings of a bot by version, their history, and two bots on the same hands."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.ratings import VersionRatingSerializer, VersusSerializer
from stichkampf_platform.api.views.bots import seen_bot
from stichkampf_platform.bots.queries import versions_for
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings.meetings import blocks_between, meetings
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.queries import newest_snapshot_ids
from stichkampf_platform.tournaments.queries import shown_ladders

BLOCKS_SHOWN = 20
LADDER = "ladder"


class RatingsView(base_views.ListAPIView):
    """The newest rating of every version of a bot on every ladder."""

    serializer_class = VersionRatingSerializer

    def get_queryset(self) -> QuerySet[Rating]:
        if getattr(self, "swagger_fake_view", False):
            return Rating.objects.none()
        person = self.request.user
        versions = versions_for(person, seen_bot(self.request, **self.kwargs))
        newest = newest_snapshot_ids(shown_ladders(person))
        found = Rating.objects.filter(version__in=versions, snapshot__in=newest)
        return _whole(found).order_by("-snapshot__ladder__main", "snapshot__ladder", "-version__number")


@extend_schema(
    parameters=[OpenApiParameter(LADDER, str, required=True, description="The slug of the ladder.")]
)
class HistoryView(base_views.ListAPIView):
    """The ratings of a bot's versions on one ladder over time, newest first."""

    serializer_class = VersionRatingSerializer

    def query_parameters(self) -> list[str]:
        return [*super().query_parameters(), LADDER]

    def get_queryset(self) -> QuerySet[Rating]:
        if getattr(self, "swagger_fake_view", False):
            return Rating.objects.none()
        bot = seen_bot(self.request, **self.kwargs)
        slug = self.request.query_params.get(LADDER, "")
        ladder = shown_ladders(self.request.user).filter(slug=slug).first() if "\0" not in slug else None
        if ladder is None:
            told = f"ladder must be the slug of a ladder that GET /api/v1/ladders/ lists, not {slug[:80]!r}."
            raise ValidationError({"detail": told})
        found = Rating.objects.filter(
            version__in=versions_for(self.request.user, bot),
            snapshot__ladder=ladder,
            snapshot__tournament=None,
            snapshot__published=True,
        )
        return _whole(found).order_by("-snapshot__at", "-snapshot", "-version__number")


class VersusView(base_views.APIView):
    """A bot against another, with the same hands: on every ladder, and in the newest blocks with both."""

    @extend_schema(responses=VersusSerializer)
    def get(self, request, author: str, slug: str, other_author: str, other: str) -> Response:
        own, rival = seen_bot(request, slug, author), seen_bot(request, other, other_author)
        if own == rival:
            raise RequestRefused(f"{own} is never compared with itself.")
        met = {
            "ladders": meetings(own, rival, request.user),
            "blocks": blocks_between(own, rival, request.user, BLOCKS_SHOWN),
        }
        return Response(VersusSerializer(met).data)


def _whole(ratings: QuerySet[Rating]) -> QuerySet[Rating]:
    return ratings.select_related("snapshot__ladder", "version")
