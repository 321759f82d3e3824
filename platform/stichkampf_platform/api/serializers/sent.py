"""Checks of what programs send: everything that is wrong is told at once, with what was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

QUOTED_AT_MOST = 80


class SentSerializer(serializers.Serializer):
    """Fields of a call. One that it does not know is refused: the call would do something else than asked.

    What was given is added to an error, unless the field has `quotes`: then its errors do so themselves.
    """

    def to_internal_value(self, data: Any) -> dict:
        wrong: dict[str, list[str]] = {}
        values: dict = {}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not isinstance(data, Mapping):
                raise
            for name, texts in error.detail.items():
                by_itself = getattr(self.fields.get(name), "quotes", False)
                wrong[name] = texts if by_itself else [_quoting(name, text, data) for text in texts]
        for name in data.keys() - self.fields.keys():
            wrong[name] = [
                _quoting(name, f"There is no such field; there are {', '.join(self.fields)}.", data)
            ]
        if wrong:
            raise serializers.ValidationError(wrong)
        return values


def _quoting(name: str, text: str, data: Mapping[str, Any]) -> str:
    """Add what was given, unless nothing was or the text quotes it."""
    if name not in data or repr(data[name]) in text:
        return text
    return f"{text} Given: {json.dumps(data[name], default=str)[:QUOTED_AT_MOST]}"
