from __future__ import annotations

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from stichkampf_platform.web.api_page.reference import operations, shapes

VERSION = "1"


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show the API as a page to read."""
    return render(request, "web/api_page/page.html", {"reference": _reference()})


@cache  # the same for everybody, and a second of work
def _reference() -> SafeString:
    description = SchemaGenerator(api_version=VERSION).get_schema(public=True)
    context = {
        "about": description["info"]["description"],
        "groups": operations(description),
        "shapes": shapes(description),
    }
    return render_to_string("web/api_page/_reference.html", context)
