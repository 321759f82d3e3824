"""Blocks of a tournament, and a deal at all tables of its block."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.conditional import NOT_MODIFIED, if_changed
from stichkampf_platform.api.pagination import SmallerPages
from stichkampf_platform.api.serializers.discovery import BlockSerializer, DealAtTableSerializer
from stichkampf_platform.core.errors import NotOpenYet
from stichkampf_platform.tournaments.models import Block, Tournament
from stichkampf_platform.tournaments.queries import revealed_tables
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.visibility import seen_by


class BlocksView(base_views.ListAPIView):
    """The schedule of a tournament: its blocks in order. Blocks and rounds count from 0."""

    serializer_class = BlockSerializer
    pagination_class = SmallerPages

    def get_queryset(self) -> QuerySet[Block]:
        if getattr(self, "swagger_fake_view", False):
            return Block.objects.none()
        tournament = get_object_or_404(
            Tournament.objects.visible_to(self.request.user), slug=self.kwargs["slug"]
        )
        return _whole(Block.objects.filter(tournament=tournament)).order_by("number")


class BlockView(base_views.RetrieveAPIView):
    """A block: its tables, and once it is over its seed."""

    serializer_class = BlockSerializer

    def get_queryset(self) -> QuerySet[Block]:
        return _whole(Block.objects.filter(seen_by(self.request.user, "tournament__")))


class TablesOfDealView(base_views.APIView):
    """A deal at all tables of a block that is over. Deals, lanes and seats count from 0, as in the record."""

    more_errors = NOT_MODIFIED

    @extend_schema(responses=DealAtTableSerializer(many=True))
    def get(self, request, block_id: int, deal: int) -> HttpResponse:
        tables = revealed_tables(request.user).filter(block=block_id).order_by("lane")
        lanes = dict(tables.values_list("pk", "lane"))
        if not lanes:
            raise NotOpenYet(f"Block {block_id} has no deals to show: there is none, or it is not over yet.")

        def answer() -> Response:
            records = record_files.open_records(list(lanes), request.user)
            rows = [
                {"table": table, "lane": lane, "deal": record["deals"][deal]}
                for table, lane in lanes.items()
                if (record := records.get(table)) is not None and deal < len(record["deals"])
            ]
            if not rows:
                raise NotOpenYet(f"No table of block {block_id} played a deal {deal}, counted from 0.")
            return Response(DealAtTableSerializer(rows, many=True).data)

        keys = [record_files.record_key(table, request.user)[0] for table in lanes]
        return if_changed(request, *keys, at=None, answer=answer)


def _whole(blocks: QuerySet[Block]) -> QuerySet[Block]:
    return blocks.select_related("tournament").prefetch_related("tables__seats__entrant__version__bot__owner")
