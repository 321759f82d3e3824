"""The shape of every error."""

from __future__ import annotations

from rest_framework import serializers


class ErrorSerializer(serializers.Serializer):
    """An error. If fields are wrong, the object also has each of them with a list of texts."""

    detail = serializers.CharField(help_text="The reason, and what would be right.")
