"""What the API has."""

from __future__ import annotations

import re

from django.urls import get_resolver, reverse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.response import Response

from stichkampf_platform.api import base


class IndexSerializer(serializers.Serializer):
    schema = serializers.CharField(help_text="The OpenAPI description.")
    docs = serializers.CharField(help_text="The same to read and try.")
    addresses = serializers.ListField(child=serializers.CharField(), help_text="With {what} to fill in.")


class IndexView(base.APIView):
    """The addresses of the API."""

    @extend_schema(responses=IndexSerializer)
    def get(self, request) -> Response:
        patterns = get_resolver("stichkampf_platform.api.urls").url_patterns
        addresses = [re.sub(r"<\w+:(\w+)>", r"{\1}", str(each.pattern)) for each in patterns]
        return Response(
            {
                "schema": reverse("api-schema"),
                "docs": reverse("api-docs"),
                "addresses": [f"{request.path}{address}" for address in addresses if address],
            }
        )


class SchemaView(base.APIView, SpectacularAPIView):
    """Without `?lang=`: Django would keep each language that a visitor names, in memory and for good."""
