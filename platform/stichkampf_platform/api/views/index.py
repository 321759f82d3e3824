"""The index and the OpenAPI description of the API."""

from __future__ import annotations

import re
from functools import cache

from django.http import HttpResponse
from django.urls import get_resolver, reverse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response
from stichkampf import __version__

from stichkampf_platform.api import base_views


class IndexSerializer(serializers.Serializer):
    schema = serializers.CharField(help_text="The OpenAPI description.")
    docs = serializers.CharField(help_text="The same description as a page to read.")
    sdk = serializers.CharField(help_text="The version of `stichkampf` that this site runs.")
    download = serializers.CharField(help_text="The page from which it is installed.")
    addresses = serializers.ListField(
        child=serializers.CharField(), help_text="Addresses, with names in braces to fill in."
    )


class IndexView(base_views.APIView):
    """The addresses of the API."""

    @extend_schema(responses=IndexSerializer)
    def get(self, request) -> Response:
        patterns = get_resolver("stichkampf_platform.api.urls").url_patterns
        addresses = [re.sub(r"<\w+:(\w+)>", r"{\1}", str(each.pattern)) for each in patterns]
        return Response(
            {
                "schema": reverse("api-schema"),
                "docs": reverse("api-docs"),
                "sdk": __version__,
                "download": "/download/",
                "addresses": [f"{request.path}{address}" for address in addresses if address],
            }
        )


class SchemaView(base_views.APIView, SpectacularAPIView):
    """The OpenAPI description. Without `?lang=`: Django would keep every named language in memory."""

    @extend_schema(exclude=True)
    def get(self, request, *args, **kwargs) -> HttpResponse:
        renderer = request.accepted_renderer
        version = self._get_version_parameter(request)
        charset = f"; charset={renderer.charset}" if renderer.charset else ""
        answer = HttpResponse(
            _description(type(renderer), version), content_type=f"{renderer.media_type}{charset}"
        )
        answer["Content-Disposition"] = f'inline; filename="{self._get_filename(request, version)}"'
        return answer


@cache  # the same for everybody, and a second of work; there are four renderers and two versions
def _description(renderer: type[BaseRenderer], version: str | None) -> bytes:
    found = SpectacularAPIView.generator_class(api_version=version).get_schema(public=True)
    return renderer().render(found, renderer_context={})
