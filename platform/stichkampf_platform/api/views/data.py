"""All open results and records as files."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import StreamingHttpResponse
from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError

from stichkampf_platform.api import base_views
from stichkampf_platform.core.errors import NotOpenYet
from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments.records.open_data import DATA_SETS, DataSet, as_json, parquet

AFTER = "after"
PARAMETERS = [
    OpenApiParameter(
        "what", str, location="path", enum=list(DATA_SETS), description="A row a seat, or a row a match."
    ),
    OpenApiParameter(
        AFTER, datetime, description="Only blocks that ended later, such as 2026-11-22T12:00:00Z."
    ),
]


class _DataView(base_views.APIView):
    def query_parameters(self) -> list[str]:
        return [AFTER]


class DataJsonView(_DataView):
    """All results or records that everybody may see, as JSON lines, in the order in which blocks ended."""

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR}, parameters=PARAMETERS)
    def get(self, request, what: str) -> StreamingHttpResponse:
        lines = as_json(_named(what).rows(_after(request)))
        return streamed(
            request._request, lines, content_type="application/x-ndjson", file_name=f"{what}.jsonl"
        )


class DataParquetView(_DataView):
    """All results or records that everybody may see, as Parquet, in the order in which blocks ended."""

    @extend_schema(
        responses={(200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY}, parameters=PARAMETERS
    )
    def get(self, request, what: str) -> StreamingHttpResponse:
        data_set = _named(what)
        parts = parquet(data_set.rows(_after(request)), data_set.columns)
        return streamed(
            request._request,
            parts,
            content_type="application/vnd.apache.parquet",
            file_name=f"{what}.parquet",
            portion=1,
        )


def _named(what: str) -> DataSet:
    if what not in DATA_SETS:
        raise NotOpenYet(f"There is no data set {what[:40]!r}; there are {', '.join(DATA_SETS)}.")
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
