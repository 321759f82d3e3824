"""Ratings of a bot by version, their history, and two bots on the same hands."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from stichkampf_platform.api.base_views import Resource
from stichkampf_platform.api.serializers.ratings import VersionRatingSerializer, VersusSerializer
from stichkampf_platform.api.views.bots import OfBot, seen_bot
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings.meetings import blocks_between, meetings
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.queries import newest_snapshot_ids
from stichkampf_platform.tournaments.queries import shown_ladders

BLOCKS_SHOWN = 20
LADDER = "ladder"
PAGED = {"pagination_class": Resource.pagination_class, "serializer_class": VersionRatingSerializer}


class BotRatingsViewSet(OfBot):
    asks = {
        "history": [OpenApiParameter(LADDER, str, required=True, description="The slug of the ladder.")],
    }

    @extend_schema(responses=VersionRatingSerializer(many=True))
    @action(detail=True, **PAGED)
    def ratings(self, request, **_named: str) -> Response:
        """The newest rating of every version of a bot on every ladder."""
        found = self._ratings(snapshot__in=newest_snapshot_ids(shown_ladders(request.user)))
        return self.pages(found.order_by("-snapshot__ladder__main", "snapshot__ladder", "-version__number"))

    @extend_schema(responses=VersionRatingSerializer(many=True))
    @action(detail=True, **PAGED)
    def history(self, request, **_named: str) -> Response:
        """The ratings of a bot's versions on one ladder over time, newest first."""
        self.bot()
        slug = request.query_params.get(LADDER, "")
        ladder = shown_ladders(request.user).filter(slug=slug).first() if "\0" not in slug else None
        if ladder is None:
            told = f"ladder must be the slug of a ladder that GET /api/v1/ladders/ lists, not {slug[:80]!r}."
            raise ValidationError({"detail": told})
        found = self._ratings(snapshot__ladder=ladder, snapshot__tournament=None, snapshot__published=True)
        return self.pages(found.order_by("-snapshot__at", "-snapshot", "-version__number"))

    @extend_schema(responses=VersusSerializer)
    @action(detail=True, url_path="vs/<slug:other_author>/<slug:other>")
    def versus(self, request, other_author: str, other: str, **_named: str) -> Response:
        """A bot against another, with the same hands: on every ladder, and in the newest blocks with both."""
        own, rival = self.bot(), seen_bot(request, other, other_author)
        if own == rival:
            raise RequestRefused(f"{own} is never compared with itself.")
        met = {
            "ladders": meetings(own, rival, request.user),
            "blocks": blocks_between(own, rival, request.user, BLOCKS_SHOWN),
        }
        return Response(VersusSerializer(met).data)

    def _ratings(self, **of: object) -> QuerySet[Rating]:
        found = Rating.objects.filter(version__in=self.versions(), **of)
        return found.select_related("snapshot__ladder", "version")
