"""The operations and shapes of an OpenAPI description, in the order and words in which a page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from stichkampf_platform.web import markdown

JSON = "application/json"
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class DescribedField:
    """A parameter of an operation, or a field of a shape."""

    name: str
    type: SafeString
    required: bool
    text: SafeString
    place: str = ""
    """Place of a parameter: path or query."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An object that requests or answers hold."""

    name: str
    text: SafeString
    fields: list[DescribedField]
    values: list[str]


@dataclass(frozen=True, slots=True)
class Content:
    """A shape that a request or an answer holds, with its media types."""

    status: str
    media: str
    type: SafeString


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of an address."""

    name: str
    method: str
    path: str
    text: SafeString
    access: str
    parameters: list[DescribedField]
    body: Content | None
    answers: list[Content]
    errors: list[str]

    @property
    def opens(self) -> bool:
        """True for an address that can be opened as it is."""
        return self.method == "GET" and "{" not in self.path


def operations(description: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """Return the operations by their groups, in the order of the description."""
    groups: dict[str, list[Operation]] = {}
    for path, methods in description["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = _operation(method, path, methods[method])
                groups.setdefault(next(iter(methods[method].get("tags", ["index"]))), []).append(operation)
    return groups


def shapes(description: Mapping[str, Any]) -> list[Shape]:
    """Return the shapes by their names. A list in pages has the shape of its entries."""
    found = description["components"]["schemas"]
    return [_shape(name, found[name]) for name in sorted(found)]


def _operation(method: str, path: str, told: Mapping[str, Any]) -> Operation:
    answers = list(_answers(told["responses"]))
    return Operation(
        name=told["operationId"],
        method=method.upper(),
        path=path,
        text=markdown.render(told.get("description", "")),
        access="" if {} in told.get("security", [{}]) else "token",
        parameters=[
            DescribedField(
                name=each["name"],
                type=_type(each["schema"]),
                required=each.get("required", False),
                text=markdown.render(each.get("description", "")),
                place=each["in"],
            )
            for each in told.get("parameters", [])
        ],
        body=_content("", told["requestBody"]) if "requestBody" in told else None,
        answers=answers,
        errors=[status for status in told["responses"] if status.startswith(("4", "5"))],
    )


def _answers(responses: Mapping[str, Any]) -> Iterator[Content]:
    for status, answer in responses.items():
        if status.startswith(("2", "3")):
            yield _content(status, answer)


def _content(status: str, holds: Mapping[str, Any]) -> Content:
    contents = holds.get("content", {})
    if not contents:
        return Content(status=status, media="", type=format_html("{}", holds.get("description", "")))
    schema = next(iter(contents.values())).get("schema", {})
    media = [name for name in contents if name != JSON or len(contents) > 1]
    return Content(status=status, media=", ".join(media), type=_type(schema))


def _shape(name: str, schema: Mapping[str, Any]) -> Shape:
    required = set(schema.get("required", ()))
    fields = [
        DescribedField(
            name=field,
            type=_type(each),
            required=field in required,
            text=markdown.render(each.get("description", "")),
        )
        for field, each in schema.get("properties", {}).items()
    ]
    values = [str(value) for value in schema.get("enum", ())]
    return Shape(name=name, text=markdown.render(schema.get("description", "")), fields=fields, values=values)


def _type(schema: Mapping[str, Any]) -> SafeString:
    """Return a schema in a few words, with a link where it is a shape of its own."""
    told = _bare_type(schema)
    return format_html("{} or null", told) if schema.get("nullable") else told


def _bare_type(schema: Mapping[str, Any]) -> SafeString:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return format_html('<a href="#shape-{}">{}</a>', name, name)
    for key in ("allOf", "oneOf", "anyOf"):
        if key in schema:
            return format_html_join(" or ", "{}", ((_type(each),) for each in schema[key]))
    if schema.get("type") == "array":
        return format_html("list of {}", _type(schema["items"]))
    if "enum" in schema:
        return format_html_join(", ", "<code>{}</code>", ((value,) for value in schema["enum"]))
    kind = schema.get("format") if schema.get("type") == "string" else None
    return format_html("{}{}", kind or schema.get("type", "anything"), _bounds(schema))


def _bounds(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if most is not None and most >= 2**31 - 1:  # the limit of a column says nothing to a reader
        most = None
    if least is not None and most is not None:
        return f", {least} to {most}"
    if least is not None:
        return f", at least {least}"
    if most is not None:
        return f", at most {most}"
    return f", at most {schema['maxLength']} characters" if schema.get("maxLength") else ""
