"""Base classes of the API's views. They refuse unknown query parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import generics, mixins, status, views, viewsets
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from stichkampf_platform.core.actions import Action
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.serving.streaming import streamed

JSON_LINES = {(200, "application/x-ndjson"): OpenApiTypes.STR}
"""The answer of an address of match records."""


class APIView(views.APIView):
    """A view that answers 400 to an unknown query parameter and names the known ones.

    :cvar asks: the parameters that the description names, by method, or by action of a `Resource`.
    :cvar more_errors: further errors of its answers, by HTTP method.
    """

    asks: Mapping[str, Sequence[OpenApiParameter]] = {}
    more_errors: Mapping[str, Sequence[int]] = {}
    paginator: BasePagination | None = None

    def initial(self, request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        known = self.query_parameters()
        unknown = sorted(set(request.query_params) - set(known))
        if unknown:
            raise ValidationError(
                {
                    "detail": f"There is no query parameter {', '.join(map(repr, unknown))} here; there"
                    f" {'are ' + ', '.join(known) if known else 'is none'}."
                }
            )

    def asked(self) -> Sequence[OpenApiParameter]:
        """Return the parameters that are declared for this call, but for those of pages."""
        method = "get" if self.request.method == "HEAD" else self.request.method.lower()
        return self.asks.get(getattr(self, "action", None) or method, ())

    def query_parameters(self) -> list[str]:
        """Return the known query parameters: of pages if the call returns a list, and those declared."""
        pages = self.paginator if self.request.method in ("GET", "HEAD") else None
        paged = [pages.limit_query_param, pages.offset_query_param] if pages else []
        return paged + [each.name for each in self.asked() if each.location == OpenApiParameter.QUERY]

    def sent(self, serializer: type[Serializer], *, perhaps: bool = False, **context: Any) -> dict[str, Any]:
        """Return what was sent, checked.

        :param perhaps: a call that sends no JSON sends nothing.
        """
        nothing = perhaps and self.request.content_type != "application/json"
        given = serializer(data={} if nothing else self.request.data, context=context)
        given.is_valid(raise_exception=True)
        return dict(given.validated_data)

    def file(self, parts: Iterable, name: str, kind: str, **more: int) -> StreamingHttpResponse:
        """Answer with a file, part by part."""
        return streamed(self.request._request, parts, content_type=kind, file_name=name, **more)

    def lines(self, records: Iterable[str], name: str, **more: int) -> StreamingHttpResponse:
        """Answer with match records as JSON lines."""
        return self.file(records, f"{name}.jsonl", "application/x-ndjson", **more)


class Resource(viewsets.ViewSetMixin, APIView, generics.GenericAPIView):
    """Addresses of things of one kind. A list below a thing has pages if it names a `pagination_class`."""

    lookup_value_converter = "slug"

    @property
    def paginator(self) -> BasePagination | None:  # type: ignore[override]
        more = getattr(getattr(self, self.action or "", None), "kwargs", {})
        paged = self.action == "list" or "pagination_class" in more
        return generics.GenericAPIView.paginator.fget(self) if paged else None

    def pages(self, rows: QuerySet | Sequence) -> Response:
        """Answer with a page of a list, as its serializer writes it."""
        page = self.paginate_queryset(rows)
        written = self.get_serializer(rows if page is None else page, many=True).data
        return Response(written) if page is None else self.get_paginated_response(written)

    def act(self, row: Action, on: Any, given: Mapping[str, Any]) -> Any:
        """Do what a row says, unless something is lost by it and nobody said yes; return what it makes."""
        user = self.request.user
        if row.operators and not user.is_superuser:
            raise PermissionDenied("Only the operators of this site do that.")
        if row.confirmed_by and not given[row.confirmed_by] and (lost := row.question([on])):
            raise RequestRefused(f'{lost} To do it all the same, send {{"{row.confirmed_by}": true}}.')
        return row.do(on, user, **given)

    def do(self, on: Any, row: Action, given: Mapping[str, Any]) -> Response:
        """Do what a row says, and answer with what it was done to, or what it made."""
        answer = self.answered(self.act(row, on, given) or on, given)
        return self.created(answer) if row.adds else Response(answer)

    def answered(self, on: Any, given: Any) -> Any:
        """Return what a row was done to, as it is now, for the answer."""
        return self.get_serializer(self.get_object()).data

    def created(self, answer: Any) -> Response:
        return Response(answer, status.HTTP_201_CREATED)


class ListResource(mixins.ListModelMixin, Resource):
    pass


class ReadResource(mixins.RetrieveModelMixin, Resource):
    pass
