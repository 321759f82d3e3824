"""Tables of finished blocks, their faults and records, marks, and what would have come of a decision."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.response import Response
from stichkampf.analysis import decision_of
from stichkampf.errors import RecordError

from stichkampf_platform.api.base_views import ReadResource
from stichkampf_platform.api.conditional import NOT_MODIFIED, if_changed
from stichkampf_platform.api.serializers.continuations import (
    AskedContinuationsSerializer,
    ContinuationsSerializer,
)
from stichkampf_platform.api.serializers.marks import MarksSerializer, as_json
from stichkampf_platform.api.serializers.tournaments import TableFaultSerializer, TableSerializer
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.marks import continuing, queries, services
from stichkampf_platform.marks.models import Analysis
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.records.fault_reasons import faults_with_reasons
from stichkampf_platform.tournaments.shown import Viewer

SEAT = "seat"
ASKED = {"permission_classes": [IsAuthenticatedOrReadOnly], "more_errors": {"POST": (429,)}}


class TableViewSet(ReadResource):
    """One table of a finished block.

    Blocks, lanes, seats, deals and moves count from 0, as in the match record.
    """

    asks = {
        "marks": [
            OpenApiParameter(SEAT, int, description="Only of this seat, from 0, as its view shows them.")
        ]
    }
    lookup_value_converter = "int"
    serializer_class = TableSerializer

    def get_queryset(self) -> QuerySet[Table]:
        return shown_tables(self.request.user).select_related("block__tournament")

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True, more_errors=NOT_MODIFIED)
    def record(self, request, pk: int) -> HttpResponse:
        """The match record of a table of a finished block. Seats, deals and moves count from 0 in it."""

        def answer() -> HttpResponse:
            return HttpResponse(record_files.record_text(pk, request.user), content_type="application/json")

        return if_changed(request, *record_files.record_key(pk, request.user), at=None, answer=answer)

    @extend_schema(responses=TableFaultSerializer(many=True))
    @action(detail=True)
    def faults(self, request, pk: int) -> Response:
        """The faults of a match in a finished block, in their order, each with what was wrong.

        Seats, deals and moves count from 0, as in the match record, decisions of a match from 1.
        """
        record = record_files.record(pk, request.user)
        return Response(faults_with_reasons(pk, record, request.user))

    @extend_schema(responses=MarksSerializer)
    @action(detail=True, **ASKED)
    def marks(self, request, pk: int) -> Response:
        """Return the marks that were made."""
        tables = shown_tables(request.user).filter(pk=pk)
        seats = tables.values_list("block__tournament__seats", flat=True).first()
        if seats is None:
            raise NotShown(f"Table {pk} has no marks: there is none, or its block is not over yet.")
        return Response(_told(pk, _seat(request.query_params.get(SEAT), seats), request.user))

    @extend_schema(request=None, responses={202: MarksSerializer})
    @marks.mapping.post
    def ask_for_marks(self, request, pk: int) -> Response:
        """Have the marks made, unless they are made or asked for already."""
        services.request_marks(table_id=pk, by=request.user, address=address_of(request))
        return Response(_told(pk, None, request.user), status.HTTP_202_ACCEPTED)

    @extend_schema(responses=ContinuationsSerializer(many=True))
    @action(detail=True, url_path="decisions/<int:decision>/continuations", **ASKED)
    def continuations(self, request, pk: int, decision: int) -> Response:
        """Return those that were asked for, the first asked for first."""
        if not shown_tables(request.user).filter(pk=pk).exists():
            raise NotShown(f"Table {pk} has no continuations: there is none, or its block is not over yet.")
        seat = self._seat_of(pk, decision)
        stored = queries.continuations_of(pk, decision, request.user)
        return Response(ContinuationsSerializer(stored, many=True, context={"seat": seat}).data)

    @extend_schema(request=AskedContinuationsSerializer, responses={202: ContinuationsSerializer})
    @continuations.mapping.post
    def ask_for_continuations(self, request, pk: int, decision: int) -> Response:
        """Have 100 continuations played, unless they are played or asked for already."""
        sent = self.sent(AskedContinuationsSerializer)
        seat = self._seat_of(pk, decision)
        try:
            asked = continuing.request_continuations(
                table_id=pk, decision=decision, by=request.user, address=address_of(request), **sent
            )
        except continuing.WrongContinuations as error:
            raise ValidationError({"action": str(error)}) from None
        told = ContinuationsSerializer(asked, context={"seat": seat}).data
        return Response(told, status.HTTP_202_ACCEPTED)

    def _seat_of(self, pk: int, decision: int) -> int:
        try:
            return decision_of(record_files.record(pk, self.request.user), decision).seat
        except RecordError as error:
            raise NotFound(f"Table {pk} has no decision {decision}: {error}.") from None


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
