from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.response import Response

from stichkampf_platform.api.base_views import ListResource, Resource
from stichkampf_platform.api.conditional import NOT_MODIFIED, if_changed
from stichkampf_platform.api.serializers.ratings import (
    LadderSerializer,
    MeetingSerializer,
    OverallRatingSerializer,
    SnapshotSerializer,
)
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.ladder_csv import ladder_csv
from stichkampf_platform.ratings.meetings import most_surprising
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.ratings.overall_ladder import overall_ladder, with_versions
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.ratings.ranked_versions import holders_in
from stichkampf_platform.tournaments.queries import shown_ladders

PAIRS_SHOWN = 40


class LadderViewSet(ListResource):
    """The ladders: one for each game, set of options and number of seats."""

    lookup_field = "slug"
    serializer_class = LadderSerializer

    def get_queryset(self) -> QuerySet[Ladder]:
        return shown_ladders(self.request.user)

    @extend_schema(responses=OverallRatingSerializer(many=True))
    @action(
        detail=False, serializer_class=OverallRatingSerializer, pagination_class=Resource.pagination_class
    )
    def overall(self, request) -> Response:
        """The mean rating of each bot over the main ladders; bots that are rated on more come first."""
        games, rows = overall_ladder()
        lines = [
            {
                "version": version,
                "elo": row.elo,
                "plus_minus": row.plus_minus,
                "ladders": {
                    game: held.elo for game, held in zip(games, row.by_game, strict=True) if held is not None
                },
            }
            for version, row in with_versions(self.paginate_queryset(rows) or [])
        ]
        return self.get_paginated_response(self.get_serializer(lines, many=True).data)


class LadderRatingsViewSet(Resource):
    lookup_field = "slug"
    more_errors = NOT_MODIFIED

    @extend_schema(responses=SnapshotSerializer)
    def retrieve(self, request, slug: str) -> HttpResponse:
        """The newest ratings of a ladder."""
        ladder, snapshot = _newest(request, slug)

        def answer() -> Response:
            return Response({"ladder": LadderSerializer(ladder).data, **SnapshotSerializer(snapshot).data})

        return if_changed(request, *_key(snapshot), at=None, answer=answer)

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def csv(self, request, slug: str) -> HttpResponse:
        """The newest ratings of a ladder as CSV."""
        _, snapshot = _newest(request, slug)

        def answer() -> HttpResponse:
            made = HttpResponse(ladder_csv(snapshot), content_type="text/csv; charset=utf-8")
            made["Content-Disposition"] = f'attachment; filename="{slug}.csv"'
            return made

        return if_changed(request, *_key(snapshot), at=None, answer=answer)

    @extend_schema(responses=MeetingSerializer(many=True))
    @action(detail=True)
    def pairs(self, request, slug: str) -> HttpResponse:
        """The pairs of a ladder whose results differ most from what their ratings predict."""
        _, snapshot = _newest(request, slug)

        def answer() -> Response:
            return Response(MeetingSerializer(most_surprising(snapshot, PAIRS_SHOWN), many=True).data)

        return if_changed(request, snapshot.pk, snapshot.digest, at=snapshot.at, answer=answer)


def _key(snapshot: Snapshot) -> tuple[int, str, tuple[int, ...]]:
    """Return what the answer about a snapshot depends on: itself, and who holds the places now."""
    return snapshot.pk, snapshot.digest, tuple(sorted(holders_in(snapshot).values()))


def _newest(request, slug: str) -> tuple[Ladder, Snapshot]:  # type: ignore[no-untyped-def]
    """Find a ladder by its slug, or the main ladder by the name of its game, with its newest snapshot.

    :raises NotShown: the ladder has no ratings yet.
    """
    ladder = main_ladders().filter(game=slug).first()
    if ladder is None:
        ladder = get_object_or_404(shown_ladders(request.user), slug=slug)
    snapshot = newest_snapshot(ladder)
    if snapshot is None:
        raise NotShown(f"The ladder {ladder.slug} has no ratings yet.")
    return ladder, snapshot
