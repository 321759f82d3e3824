from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.conditional import NOT_MODIFIED, if_changed
from stichkampf_platform.api.serializers.ratings import StandingsSerializer
from stichkampf_platform.api.serializers.tournaments import (
    TableSerializer,
    TournamentDetailSerializer,
    TournamentSerializer,
)
from stichkampf_platform.api.views.discovery import known_game
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.records import record_files


@extend_schema(
    parameters=[
        OpenApiParameter("game", str, description="Only those of this game."),
        OpenApiParameter("state", str, enum=list(Tournament.State.values), description="Only those in it."),
    ]
)
class TournamentsView(base_views.ListAPIView):
    """The tournaments that have been started, newest first."""

    more_errors = {"GET": (404,)}
    serializer_class = TournamentSerializer

    def query_parameters(self) -> list[str]:
        return [*super().query_parameters(), "game", "state"]

    def get_queryset(self):
        asked = self.request.query_params
        found = Tournament.objects.shown_to(self.request.user)
        if game := asked.get("game"):
            found = found.filter(game=known_game(game))
        if state := asked.get("state"):
            if state not in Tournament.State.values:
                told = f"state must be one of {', '.join(Tournament.State.values)}, not {state[:80]!r}."
                raise ValidationError({"detail": told})
            found = found.filter(state=state)
        return found


class TournamentView(base_views.RetrieveAPIView):
    """One tournament with its entrants and its progress."""

    serializer_class = TournamentDetailSerializer
    lookup_field = "slug"

    def get_queryset(self):
        return Tournament.objects.shown_to(self.request.user)

    def get_object(self):
        tournament = super().get_object()
        tournament.progress = queries.progress(tournament)
        return tournament


class TablesView(base_views.ListAPIView):
    """The tables of a tournament's finished blocks, with their results.

    Blocks, lanes, seats, deals and moves count from 0, as in the match record.
    """

    serializer_class = TableSerializer

    def get_queryset(self):
        tournament = get_object_or_404(
            Tournament.objects.shown_to(self.request.user), slug=self.kwargs.get("slug")
        )
        return (
            tables_with_blocks(self.request.user)
            .filter(block__tournament=tournament)
            .order_by("block__number", "lane")
        )


class TableView(base_views.RetrieveAPIView):
    """One table of a finished block.

    Blocks, lanes, seats, deals and moves count from 0, as in the match record.
    """

    serializer_class = TableSerializer

    def get_queryset(self):
        return tables_with_blocks(self.request.user)


class RecordView(base_views.APIView):
    """The match record of a table of a finished block. Seats, deals and moves count from 0 in it."""

    more_errors = NOT_MODIFIED

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request, pk: int) -> HttpResponse:
        def answer() -> HttpResponse:
            return HttpResponse(record_files.record_text(pk, request.user), content_type="application/json")

        return if_changed(request, *record_files.record_key(pk, request.user), at=None, answer=answer)


class RecordsView(base_views.APIView):
    """All match records of a tournament's finished blocks, as JSON lines."""

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request, slug: str) -> StreamingHttpResponse:
        tournament = get_object_or_404(Tournament.objects.shown_to(request.user), slug=slug)
        return streamed(
            request._request,
            record_files.export(tournament),
            content_type="application/x-ndjson",
            file_name=f"{tournament.slug}.jsonl",
        )


class StandingsView(base_views.APIView):
    """The standings of a tournament, and the ratings that follow from it alone."""

    @extend_schema(responses=StandingsSerializer)
    def get(self, request, slug: str) -> Response:
        tournament = get_object_or_404(Tournament.objects.shown_to(request.user), slug=slug)
        ladder = tournament.ladder
        snapshot = newest_snapshot(ladder, tournament) if ladder else None
        if snapshot is None:
            raise NotShown(f"{tournament.name} has no ratings yet: none of its blocks is finished.")
        return Response(StandingsSerializer(snapshot).data)


def tables_with_blocks(person):  # type: ignore[no-untyped-def]
    return queries.shown_tables(person).select_related("block__tournament")
