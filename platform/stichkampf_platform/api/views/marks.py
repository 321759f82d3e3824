"""Marks of matches in finished blocks, and continuations: what would have come of a decision."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.response import Response
from stichkampf.analysis import decision_of
from stichkampf.errors import RecordError

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.continuations import (
    AskedContinuationsSerializer,
    ContinuationsSerializer,
)
from stichkampf_platform.api.serializers.marks import (
    CostliestSerializer,
    FeaturedSerializer,
    MarksSerializer,
    as_json,
)
from stichkampf_platform.api.views.bots import seen_bot
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import bots_for, versions_for
from stichkampf_platform.bots.queries import named as named_bot
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.marks import continuing, queries, services
from stichkampf_platform.marks.models import Analysis
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.featured import featured_table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.shown import Viewer

SEAT, BESIDE = "seat", "beside"
COSTLIEST_TOLD = 40


class MarksView(base_views.APIView):
    """The decisions of a match in a finished block that cost something: an estimate by our search."""

    more_errors = {"POST": (429,)}

    permission_classes = [IsAuthenticatedOrReadOnly]

    def query_parameters(self) -> list[str]:
        return [SEAT] if self.request.method in ("GET", "HEAD") else []

    @extend_schema(
        responses=MarksSerializer,
        parameters=[
            OpenApiParameter(SEAT, int, description="Only of this seat, from 0, as its view shows them.")
        ],
    )
    def get(self, request, pk: int) -> Response:
        """Return the marks that were made."""
        seats = (
            shown_tables(request.user)
            .filter(pk=pk)
            .values_list("block__tournament__seats", flat=True)
            .first()
        )
        if seats is None:
            raise NotShown(f"Table {pk} has no marks: there is none, or its block is not over yet.")
        return Response(_told(pk, _seat(request.query_params.get(SEAT), seats), request.user))

    @extend_schema(request=None, responses={202: MarksSerializer})
    def post(self, request, pk: int) -> Response:
        """Have the marks made, unless they are made or asked for already."""
        services.request_marks(table_id=pk, by=request.user, address=address_of(request))
        return Response(_told(pk, None, request.user), status=status.HTTP_202_ACCEPTED)


def _told(table_id: int, seat: int | None, person: Viewer) -> dict:
    analysis = queries.analysis_of(table_id, person) or Analysis(state="none")
    judged = sorted(analysis.seats.all(), key=lambda each: each.seat.number) if analysis.pk else []
    marks = [as_json(mark, all_hands=seat is None) for mark in queries.marks_of(table_id, seat, person)]
    answer = {
        "table": table_id,
        "state": analysis.state,
        "backlog": queries.backlog(),
        "made_at": analysis.made_at,
        "analysis_version": analysis.analysis_version,
        "engine": analysis.engine,
        "judged": [each.decisions for each in judged],
        "marks": marks,
    }
    told: dict = MarksSerializer(answer).data
    return told


def _seat(text: str | None, seats: int) -> int | None:
    if text is None:
        return None
    if text not in map(str, range(seats)):
        raise ValidationError({"detail": f"seat must be a number from 0 to {seats - 1}, not {text[:80]!r}."})
    return int(text)


class CostliestView(base_views.APIView):
    """The costliest decisions of a bot, among the matches marked so far."""

    def query_parameters(self) -> list[str]:
        return [BESIDE]

    @extend_schema(
        responses=CostliestSerializer,
        parameters=[
            OpenApiParameter(BESIDE, str, description="Only beside this bot, such as `house/thumb`.")
        ],
    )
    def get(self, request, slug: str, author: str = "") -> Response:
        versions = list(versions_for(request.user, seen_bot(request, slug, author)))
        beside = self._beside()
        marks = queries.costliest_of(versions, COSTLIEST_TOLD, request.user, beside=beside)
        told = [
            {
                "table": mark.judged.seat.table_id,
                "game": mark.judged.seat.table.block.tournament.game,
                **as_json(mark, all_hands=True),
            }
            for mark in marks
        ]
        matches = queries.judged_matches(versions, request.user, beside=beside)
        return Response(CostliestSerializer({"matches": matches, "marks": told}).data)

    def _beside(self) -> Bot | None:
        named = self.request.query_params.get(BESIDE)
        if named is None:
            return None
        author, _, slug = named.rpartition("/")
        bot = None if "\0" in named else named_bot(bots_for(self.request.user), slug, author).first()
        if bot is None:
            raise ValidationError({"detail": f"beside names a bot, such as house/thumb, not {named[:80]!r}."})
        return bot


class FeaturedView(base_views.APIView):
    """The match on the front page: the closest one of the newest finished blocks."""

    more_errors = {"GET": (404,)}

    @extend_schema(responses=FeaturedSerializer)
    def get(self, request) -> Response:
        table = featured_table()
        if table is None:
            raise NotFound("No block is over yet, so no match is featured.")
        costliest = queries.marks_of(table.pk).order_by("-points", "pk").first()
        told = {
            "table": table.pk,
            "tournament": table.block.tournament.slug,
            "game": table.block.tournament.game,
            "decision": costliest and costliest.decision,
        }
        return Response(FeaturedSerializer(told).data)


class ContinuationsView(base_views.APIView):
    """Continuations of a decision: a house bot plays the deal on many times, with the cards dealt."""

    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticatedOrReadOnly]

    @extend_schema(responses=ContinuationsSerializer(many=True))
    def get(self, request, pk: int, decision: int) -> Response:
        """Return those that were asked for, the first asked for first."""
        if not shown_tables(request.user).filter(pk=pk).exists():
            raise NotShown(f"Table {pk} has no continuations: there is none, or its block is not over yet.")
        seat = self._seat(pk, decision)
        stored = queries.continuations_of(pk, decision, request.user)
        return Response(ContinuationsSerializer(stored, many=True, context={"seat": seat}).data)

    @extend_schema(request=AskedContinuationsSerializer, responses={202: ContinuationsSerializer})
    def post(self, request, pk: int, decision: int) -> Response:
        """Have 100 continuations played, unless they are played or asked for already."""
        sent = AskedContinuationsSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        seat = self._seat(pk, decision)
        try:
            asked = continuing.request_continuations(
                table_id=pk,
                decision=decision,
                by=request.user,
                address=address_of(request),
                **sent.validated_data,
            )
        except continuing.WrongContinuations as error:
            raise ValidationError({"action": str(error)}) from None
        told = ContinuationsSerializer(asked, context={"seat": seat}).data
        return Response(told, status=status.HTTP_202_ACCEPTED)

    def _seat(self, pk: int, decision: int) -> int:
        try:
            return decision_of(record_files.record(pk, self.request.user), decision).seat
        except RecordError as error:
            raise NotFound(f"Table {pk} has no decision {decision}: {error}.") from None
