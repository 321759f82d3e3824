"""The OpenAPI description of each operation, with the errors that it can answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drf_spectacular.openapi import AutoSchema
from rest_framework.pagination import BasePagination
from rest_framework.status import HTTP_304_NOT_MODIFIED

from stichkampf_platform.api.pagination import ArrayPages
from stichkampf_platform.api.serializers.errors import ErrorSerializer

FIRST_VERSION = "/api/v1/"
Endpoint = tuple[str, str, str, Callable[..., object]]
"""Path, its regular expression, method and view."""

ALWAYS = (400, 401, 406, 503)
"""Errors of every operation: unknown query parameter, invalid token, unknown format, busy database."""
MOST = 2**63 - 1
CHANGING = (403,)
"""Errors of operations that change something: a session without its CSRF token."""
WITH_BODY = (413, 415)


def described(endpoints: Sequence[Endpoint], **_: object) -> list[Endpoint]:
    """Return what the description names: of the two addresses of each operation the one with the version."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(FIRST_VERSION)]


class SchemaWithErrors(AutoSchema):
    """drf-spectacular's schema of an operation together with its errors, which all have one shape.

    A view names further errors in `more_errors`, by method.
    """

    def get_operation_id(self) -> str:
        """Name an operation on a bot with its author as it was named beside one without."""
        name = super().get_operation_id()
        return f"authors_{name}" if "{author}" in self.path else name

    def get_override_parameters(self) -> list:
        return list(self.view.asks.get(getattr(self.view, "action", self.method.lower()), ()))

    def _get_paginator(self) -> BasePagination | None:
        """Return the pages of a list; one that has always been an array is described as one."""
        return None if isinstance(self.view.paginator, ArrayPages) else self.view.paginator

    def _get_parameters(self) -> list[dict]:
        """Describe the parameters; numbers in addresses and queries are not negative and have 64 bits."""
        parameters = super()._get_parameters()
        for number in (each["schema"] for each in parameters if each["schema"].get("type") == "integer"):
            number.setdefault("minimum", 0)
            number.setdefault("maximum", MOST)
        return parameters

    def _get_response_bodies(self, direction: str = "response") -> dict:
        bodies = super()._get_response_bodies(direction)
        for status in self._errors():
            if status == HTTP_304_NOT_MODIFIED:
                bodies["304"] = {"description": "It is what `If-None-Match` names."}
                continue
            error = self._get_response_for_code(ErrorSerializer, str(status), ["application/json"])
            bodies.setdefault(str(status), error)
        return bodies

    def _errors(self) -> list[int]:
        errors = {*ALWAYS, *getattr(self.view, "more_errors", {}).get(self.method, ())}
        if self.method != "GET":
            errors |= set(CHANGING)
        if self.method in ("POST", "PUT", "PATCH"):
            errors |= set(WITH_BODY)
        if "{" in self.path:
            errors.add(404)
        return sorted(errors)
