"""Lists come in pages: `?limit=` says how many, `?offset=` from where on."""

from __future__ import annotations

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination


class Pages(LimitOffsetPagination):
    """A page of a list; to a request for more than `max_limit` entries it gives that many."""

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


class PagesOfText(Pages):
    """A page of entries that are long texts."""

    max_limit = 100


def _number(request, name: str, least: int, default: int) -> int:
    """A whole number of the query; a missing one is the default.

    :raises ValidationError: quoting what was given.
    """
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and int(text[:20]) >= least):
        raise ValidationError({"detail": f"{name} is a whole number from {least} on, not {text[:80]!r}."})
    return int(text[:20])
