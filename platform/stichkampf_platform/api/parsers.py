"""Parser of request bodies."""

from __future__ import annotations

import json
from typing import Any

from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import JSONParser

SURROGATES = "This has half a character, such as \\\\ud800, which no text can hold."


class NestingLimitedJSONParser(JSONParser):
    """Read JSON. Answer 400, not 500, to JSON nested too deeply, and to texts that cannot be stored."""

    def parse(self, stream, media_type=None, parser_context=None):
        try:
            found = super().parse(stream, media_type, parser_context)
            wrong = {name: [SURROGATES] for name, value in _parts(found) if _has_surrogates(value)}
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
        if wrong:
            raise ValidationError(wrong)
        return found


def _parts(found: Any) -> list[tuple[str, Any]]:
    return (
        [(json.dumps(name)[1:-1], [name, value]) for name, value in found.items()]
        if isinstance(found, dict)
        else [("detail", found)]
    )


def _has_surrogates(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
