"""Pagination of lists by `?limit=` and `?offset=`."""

from __future__ import annotations

from collections.abc import Sequence

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.response import Response
from rest_framework.serializers import Serializer


class LimitOffsetPages(LimitOffsetPagination):
    """Pages of a list. A request for more than `max_limit` entries gets `max_limit`."""

    max_limit = 1000

    def get_limit(self, request) -> int | None:
        return min(_number(request, self.limit_query_param, 1, self.default_limit), self.max_limit)

    def get_offset(self, request) -> int:
        return _number(request, self.offset_query_param, 0, 0)

    def get_schema_operation_parameters(self, view) -> list[dict]:
        least = {self.limit_query_param: 1, self.offset_query_param: 0}
        parameters = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            parameter["schema"]["minimum"] = least[parameter["name"]]
        return parameters


class SmallerPages(LimitOffsetPages):
    """Smaller pages for large entries."""

    max_limit = 100


class ArrayPages(LimitOffsetPages):
    """Pages of a list that has always been an array: whole without `limit`, and the headers lead on."""

    default_limit = None

    def get_limit(self, request) -> int | None:
        return super().get_limit(request) if self.limit_query_param in request.query_params else None

    def get_offset(self, request) -> int:
        return super().get_offset(request) if self.limit else 0

    def get_paginated_response(self, data) -> Response:
        links = {"next": self.get_next_link(), "prev": self.get_previous_link()}
        headers = {"X-Total-Count": str(self.count)}
        named = ", ".join(f'<{address}>; rel="{name}"' for name, address in links.items() if address)
        return Response(data, headers={**headers, "Link": named} if named else headers)


def in_array_pages(found: Sequence, request, serializer: type[Serializer]) -> Response:  # type: ignore[no-untyped-def]
    """Answer a list as an array, or the page of it that the query asks for."""
    pages = ArrayPages()
    page = pages.paginate_queryset(found, request)
    if page is None:
        return Response(serializer(found, many=True).data)
    return pages.get_paginated_response(serializer(page, many=True).data)


ARRAY_PARAMETERS = [
    OpenApiParameter("limit", OpenApiTypes.INT, description="The length of a page; without it, all."),
    OpenApiParameter("offset", OpenApiTypes.INT, description="Where the page begins, with `limit`."),
    OpenApiParameter(
        "Link",
        OpenApiTypes.STR,
        OpenApiParameter.HEADER,
        response=[200],
        description="The addresses of the next and the previous page, where there is one.",
    ),
    OpenApiParameter(
        "X-Total-Count",
        OpenApiTypes.INT,
        OpenApiParameter.HEADER,
        response=[200],
        description="The length of the whole list, with `limit`.",
    ),
]


def _number(request, name: str, least: int, default: int) -> int:
    """Return a whole number of the query, or the default if it is missing.

    :raises ValidationError: it is no whole number from `least` on; the message quotes it.
    """
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and int(text[:20]) >= least):
        raise ValidationError(
            {"detail": f"{name} must be a whole number from {least} on, not {text[:80]!r}."}
        )
    return int(text[:20])
