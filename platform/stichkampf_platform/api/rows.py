"""Addresses of the API made of rows of actions and files, with what they take and their description."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from django.http import StreamingHttpResponse
from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from stichkampf_platform.api.base_views import Resource
from stichkampf_platform.api.serializers.sent import SentSerializer
from stichkampf_platform.core.actions import Action, Export, Need
from stichkampf_platform.core.plain_names import several_lines


def add_rows(
    resource: type[Resource], answer: type[Serializer], rows: Mapping[str, Action],
    do: Callable[..., Response] = Resource.do, *, below: str = "", sent: type[Serializer] | None = None,
    more_errors: Mapping[str, tuple[int, ...]] | None = None,
) -> None:  # fmt: skip
    """Make an address of each row.

    :param do: does a row on what is at the address of the resource, with what was sent.
    :param below: what stands before the row's name in its address.
    :param sent: what all of them take, where the description has one name for that.
    :param more_errors: what they answer, too, by method.
    """
    for name, row in rows.items():
        takes = sent or (serializer_of(name, row.needs) if row.needs else SentSerializer)
        optional = not any(each.required for each in takes().fields.values())

        def act(
            self: Resource, request: Request, *, _row: Action = row, _takes: type[Serializer] = takes,
            _optional: bool = optional, **named: Any,
        ) -> Response:  # fmt: skip
            on = self.get_object()
            named = {key: value for key, value in named.items() if f":{key}>" in below}
            return do(self, on, _row, self.sent(_takes, perhaps=_optional, on=on), **named)

        act.__name__ = f"{below.partition('/')[0]}_{name}".lstrip("_")
        act.__doc__ = f"{row.meaning.capitalize()}.\n\nWhere it is not possible the answer says why."
        shown = extend_schema(
            request=takes if row.needs else None, responses={201 if row.adds else 200: answer}
        )
        address = action(["post"], True, below + name, more_errors=more_errors or {})
        setattr(resource, act.__name__, shown(address(act)))


def add_files(
    resource: type[Resource], rows: Mapping[str, Export], below: str, named: Callable[[Any], str], name: str
) -> list[URLPattern]:
    """Make an address of each row of files; return the addresses.

    :param below: what stands before the address of a row.
    :param named: returns with what the names of the files of something begin.
    """
    found = []
    for file_name, row in rows.items():

        def send(
            self: Resource, request: Request, *, _row: Export = row, _name: str = file_name, **_named: Any
        ) -> StreamingHttpResponse:
            on = self.get_object()
            return self.file(_row.lines(on), f"{named(on)}-{_name}", _row.content_type)

        kind = OpenApiTypes.BINARY if row.content_type == "application/zip" else OpenApiTypes.STR
        send.__name__ = f"file_{re.sub('[^a-z]', '_', file_name)}"
        send.__doc__ = f"A file of one of yours: {row.meaning}."
        setattr(resource, send.__name__, extend_schema(responses={(200, row.content_type): kind})(send))
        view = resource.as_view({"get": send.__name__})
        found.append(path(below + (row.address or file_name), view, name=f"api-{name}-{file_name}"))
    return found


def serializer_of(name: str, needs: Mapping[str, Need]) -> type[SentSerializer]:
    """Return the serializer of what an action takes."""
    fields = {need_name: field_of(need) for need_name, need in needs.items()}
    return type(f"{name.title().replace('-', '')}Serializer", (SentSerializer,), fields)


def field_of(need: Need) -> serializers.Field:
    if need.kind is list:
        usual = {} if need.default is None else {"default": list}
        return serializers.ListField(
            child=field_of(need.of) if need.of else serializers.CharField(), help_text=need.meaning,
            min_length=need.least, max_length=need.most, error_messages={"min_length": need.meaning}, **usual,
        )  # fmt: skip
    if need.kind is dict:
        return serializers.DictField(required=False, help_text=need.meaning)
    if need.kind is bool:
        usual = {} if need.default is None else {"default": need.default}
        return serializers.BooleanField(help_text=need.meaning, **usual)
    if need.kind is int:
        usual = {} if need.default is None else {"default": need.default}
        return serializers.IntegerField(
            min_value=need.least, max_value=need.most, help_text=need.meaning, **usual
        )
    if need.choices:
        return serializers.ChoiceField(
            need.choices, default=need.default, allow_blank=True, help_text=need.meaning
        )
    return serializers.CharField(max_length=need.most, validators=[several_lines], help_text=need.meaning)
