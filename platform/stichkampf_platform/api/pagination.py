"""Pagination of lists by `?limit=` and `?offset=`."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.response import Response
from stichkampf.whole_numbers import whole_number

FARTHEST_OFFSET = 10**9
LONGEST_NUMBER = 20  # digits, leading zeros among them


class LimitOffsetPages(LimitOffsetPagination):
    """Pages of a list."""

    max_limit = 1000

    def get_limit(self, request) -> int | None:
        return self._number(request, self.limit_query_param, self.default_limit or self.max_limit)

    def get_offset(self, request) -> int:
        return self._number(request, self.offset_query_param, 0)

    @classmethod
    def bounds(cls, name: str) -> tuple[int, int]:
        """Return the least and the most of a parameter."""
        return (1, cls.max_limit) if name == cls.limit_query_param else (0, FARTHEST_OFFSET)

    def get_schema_operation_parameters(self, view) -> list[dict]:
        parameters = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            parameter["schema"]["minimum"], parameter["schema"]["maximum"] = self.bounds(parameter["name"])
        return parameters

    def _number(self, request, name: str, default: int) -> int:
        """Return a whole number of the query, or the default if it is missing.

        :raises ValidationError: it is none within its bounds; the message quotes it and names them.
        """
        text = request.query_params.get(name)
        if text is None:
            return default
        least, most = self.bounds(name)
        number = whole_number(text, LONGEST_NUMBER)
        if number is None or not least <= number <= most:
            told = f"{name} must be a whole number from {least} to {most}, not {text[:80]!r}."
            raise ValidationError({"detail": told})
        return number


class SmallerPages(LimitOffsetPages):
    """Smaller pages for large entries."""

    max_limit = 100


class ArrayPages(LimitOffsetPages):
    """Pages of a list that has always been an array: whole without `limit`, and the headers lead on."""

    default_limit = None

    def get_limit(self, request) -> int | None:
        return super().get_limit(request) if self.limit_query_param in request.query_params else None

    def get_offset(self, request) -> int:
        offset = super().get_offset(request)
        return offset if self.limit else 0

    def get_paginated_response(self, data) -> Response:
        links = {"next": self.get_next_link(), "prev": self.get_previous_link()}
        headers = {"X-Total-Count": str(self.count)}
        named = ", ".join(f'<{address}>; rel="{name}"' for name, address in links.items() if address)
        return Response(data, headers={**headers, "Link": named} if named else headers)


ARRAY_PARAMETERS = [
    *(
        OpenApiParameter(
            name,
            {"type": "integer", "minimum": ArrayPages.bounds(name)[0], "maximum": ArrayPages.bounds(name)[1]},
            description=described,
        )
        for name, described in (
            ("limit", "The length of a page; without it, all."),
            ("offset", "Where the page begins, with `limit`."),
        )
    ),
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
