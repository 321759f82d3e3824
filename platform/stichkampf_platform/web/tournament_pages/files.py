"""The files of a tournament for everybody who sees it: blocks that are over, and no others."""

from __future__ import annotations

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404

from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.records.exports import EXPORTS


def export(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    """Send an export of a tournament that has started."""
    visible = Tournament.objects.visible_to(request.user).exclude(state=Tournament.State.DRAFT)
    found = get_object_or_404(visible, slug=slug)
    if name not in EXPORTS:
        raise Http404(f"There is no file {name!r}; there are {', '.join(EXPORTS)}.")
    content_type, lines = EXPORTS[name]
    return streamed(request, lines(found), content_type=content_type, file_name=f"{found.slug}-{name}")
