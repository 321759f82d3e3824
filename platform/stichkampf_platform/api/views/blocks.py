"""Blocks of a tournament, a deal at all tables of its block, and all that is open as files."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response

from stichkampf_platform.api.base_views import JSON_LINES, APIView, ReadResource
from stichkampf_platform.api.conditional import NOT_MODIFIED, if_changed
from stichkampf_platform.api.serializers.discovery import BlockSerializer, DealAtTableSerializer
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.tournaments.models import Block
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.records import open_parts, record_files
from stichkampf_platform.tournaments.records.open_data import DATA_SETS, OpenDataSet, parquet, writes_parquet
from stichkampf_platform.tournaments.shown import shown_to

AFTER = "after"
PARQUET = "application/vnd.apache.parquet"
PARAMETERS = [
    OpenApiParameter(
        "what", str, location="path", enum=list(DATA_SETS), description="A row a seat, or a row a match."
    ),
    OpenApiParameter(
        AFTER, datetime, description="Only blocks that ended later, such as 2026-11-22T12:00:00Z."
    ),
]


class BlockViewSet(ReadResource):
    """A block: its tables, and once it is over its seed."""

    lookup_value_converter = "int"
    serializer_class = BlockSerializer

    def get_queryset(self) -> QuerySet[Block]:
        seen = Block.objects.filter(shown_to(self.request.user, "tournament__"))
        return seen.select_related("tournament")


class TablesOfDealView(APIView):
    """A deal at all tables of a block that is over. Deals, lanes and seats count from 0, as in the record."""

    more_errors = NOT_MODIFIED

    @extend_schema(responses=DealAtTableSerializer(many=True))
    def get(self, request, block_id: int, deal: int) -> HttpResponse:
        # not `block=block_id`: a number beyond the database's integers is none of a block, and no error
        block = Block.objects.filter(pk=block_id)
        tables = shown_tables(request.user).filter(block__in=block).order_by("lane")
        lanes = dict(tables.values_list("pk", "lane"))
        if not lanes:
            raise NotShown(f"Block {block_id} has no deals to show: there is none, or it is not over yet.")

        def answer() -> Response:
            records = record_files.open_records(list(lanes), request.user)
            rows = [
                {"table": table, "lane": lane, "deal": record["deals"][deal]}
                for table, lane in lanes.items()
                if (record := records.get(table)) is not None and deal < len(record["deals"])
            ]
            if not rows:
                raise NotShown(f"No table of block {block_id} played a deal {deal}, counted from 0.")
            return Response(DealAtTableSerializer(rows, many=True).data)

        keys = [record_files.record_key(table, request.user)[0] for table in lanes]
        return if_changed(request, *keys, at=None, answer=answer)


class _DataView(APIView):
    asks = {"get": PARAMETERS}


class DataJsonView(_DataView):
    """All results or records that everybody may see, as JSON lines, in the order in which blocks ended."""

    @extend_schema(responses=JSON_LINES)
    def get(self, request, what: str) -> StreamingHttpResponse:
        _named(what)
        return self.lines(open_parts.texts(what, _after(request)), what, portion=1)


class DataParquetView(_DataView):
    """All results or records that everybody may see, as Parquet, in the order in which blocks ended."""

    @extend_schema(responses={(200, PARQUET): OpenApiTypes.BINARY})
    def get(self, request, what: str) -> StreamingHttpResponse:
        data_set = _named(what)
        if not writes_parquet():
            raise NotFound(f"This server writes no Parquet; {what}.jsonl has the same rows.")
        parts = parquet(open_parts.rows(what, _after(request)), data_set.columns)
        return self.file(parts, f"{what}.parquet", PARQUET, portion=1)


def _named(what: str) -> OpenDataSet:
    if what not in DATA_SETS:
        raise NotShown(f"There is no data set {what[:40]!r}; there are {', '.join(DATA_SETS)}.")
    return DATA_SETS[what]


def _after(request) -> datetime | None:  # type: ignore[no-untyped-def]
    text = request.query_params.get(AFTER)
    if text is None:
        return None
    try:
        after = parse_datetime(text)
        # of a time without a zone, and one that UTC cannot say
        after = after and (after.replace(tzinfo=UTC) if after.tzinfo is None else after.astimezone(UTC))
    except (ValueError, OverflowError):
        after = None
    if after is None:
        told = f"after must be a time such as 2026-11-22T12:00:00Z, not {text[:80]!r}."
        raise ValidationError({"detail": told})
    return after
