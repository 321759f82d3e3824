from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.pagination import SmallerPages
from stichkampf_platform.api.serializers.tournaments import (
    BotFaultSerializer,
    ReportSerializer,
    TableFaultSerializer,
)
from stichkampf_platform.api.views.bots import seen_bot
from stichkampf_platform.bots.queries import own_named
from stichkampf_platform.tournaments.models import Fault, SeatReport
from stichkampf_platform.tournaments.queries import reports_for, shown_results
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.records.fault_reasons import faults_with_reasons


class FaultsView(base_views.ListAPIView):
    """The faults of a bot in finished blocks, newest first. Everybody may see them.

    Seats, deals and moves count from 0, as in the match record, decisions of a match from 1.
    """

    serializer_class = BotFaultSerializer

    def get_queryset(self):
        bot = seen_bot(self.request, **self.kwargs)
        results = shown_results(self.request.user).filter(seat__entrant__version__bot=bot)
        faults = Fault.objects.filter(result__in=results).order_by("-pk")
        return faults.select_related(
            "result__seat__entrant__version", "result__seat__table__block__tournament"
        )


class TableFaultsView(base_views.APIView):
    """The faults of a match in a finished block, in their order, each with what was wrong.

    Seats, deals and moves count from 0, as in the match record, decisions of a match from 1.
    """

    @extend_schema(responses=TableFaultSerializer(many=True))
    def get(self, request, pk: int) -> Response:
        record = record_files.record(pk, request.user)
        return Response(faults_with_reasons(pk, record, request.user))


class ReportsView(base_views.ListAPIView):
    """Standard error, exit and protocol complaints of your bot in finished blocks.

    Seats count from 0, as in the match record.
    """

    permission_classes = [IsAuthenticated]
    serializer_class = ReportSerializer
    pagination_class = SmallerPages

    def get_queryset(self):
        if getattr(self, "swagger_fake_view", False):
            return SeatReport.objects.none()
        person = self.request.user
        bot = get_object_or_404(own_named(person, **self.kwargs))
        reports = reports_for(person).filter(seat__entrant__version__bot=bot)
        return reports.select_related("seat__entrant__version").order_by("-pk")
