"""Promises of the OpenAPI description, without its sentences: a line an operation, a line a schema.

    .venv/bin/python tests/golden/openapi.py

writes openapi.jsonl beside this file. Programs are written for it: a release adds and takes nothing away.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import django

GOLDEN = Path(__file__).with_name("openapi.jsonl")
ERRORS = {"400", "401", "403", "404", "406", "413", "415", "503"}
"""Answers of one shape, which follow from the kind of an operation."""


def promised(described: dict[str, Any]) -> dict[str, Any]:
    """Return the operations by method and path, and the schemas by name."""
    found = dict(described["components"]["schemas"])
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            answers = {
                status: told for status, told in operation["responses"].items() if status not in ERRORS
            }
            told = {name: operation[name] for name in ("parameters", "requestBody") if name in operation}
            told |= {"operationId": operation["operationId"], "responses": answers}
            told["parameters"] = {f"{each['in']} {each['name']}": each for each in told.get("parameters", [])}
            found[f"{method.upper()} {path}"] = told
    return {name: _without_sentences(told) for name, told in sorted(found.items())}


def kept(of: Any, now: Any, at: str) -> list[str]:
    """Return what was promised and is not any more, by where it stood; what has been added is no matter."""
    if isinstance(of, dict) and isinstance(now, dict):
        gone = [f"{at}/{name}" for name in of.keys() - now.keys()]
        return gone + [
            told for name in of.keys() & now.keys() for told in kept(of[name], now[name], f"{at}/{name}")
        ]
    if isinstance(of, list) and isinstance(now, list):
        return [f"{at}: {each}" for each in of if each not in now]
    return [] if of == now else [f"{at}: {of!r}, now {now!r}"]


def _without_sentences(told: Any) -> Any:
    if isinstance(told, dict):
        return {
            name: _without_sentences(each)
            for name, each in told.items()
            if not (name == "description" and isinstance(each, str))
        }
    return [_without_sentences(each) for each in told] if isinstance(told, list) else told


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.test")
    django.setup()
    from drf_spectacular.generators import SchemaGenerator  # it reads settings

    described = json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True), default=str))
    lines = (
        json.dumps({name: told}, separators=(",", ":"), sort_keys=True)
        for name, told in promised(described).items()
    )
    GOLDEN.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
