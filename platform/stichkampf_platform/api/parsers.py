"""Parser of request bodies."""

from __future__ import annotations

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class NestingLimitedJSONParser(JSONParser):
    """Read JSON. Answer 400, not 500, to JSON nested too deeply."""

    def parse(self, stream, media_type=None, parser_context=None):
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
