"""Pagination of lists by `?limit=` and `?offset=`."""

from __future__ import annotations

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination


class LimitOffsetPages(LimitOffsetPagination):
    """Pages of a list. A request for more than `max_limit` entries gets `max_limit`."""

    max_limit = 1000

    def get_limit(self, request) -> int:
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
