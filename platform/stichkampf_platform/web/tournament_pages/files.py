"""The files of a tournament for everybody who sees it: blocks that are over, and no others."""

from __future__ import annotations

import re
from datetime import UTC, timedelta

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404

from stichkampf_platform.ratings.organising import EXPORTS
from stichkampf_platform.serving.streaming import exported
from stichkampf_platform.tournaments.models import Tournament

STAMP = "%Y%m%dT%H%M%SZ"
LINE_BYTES = 75


def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the start of a tournament as an entry for a calendar."""
    found = get_object_or_404(Tournament.objects.shown_to(request.user).exclude(starts_at=None), slug=slug)
    start, address = found.starts_at, request.build_absolute_uri(found.get_absolute_url())
    lines = [
        *("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Stichkampf//Tournaments//EN", "BEGIN:VEVENT"),
        f"UID:tournament-{found.pk}@{request.get_host().partition(':')[0]}",
        f"DTSTAMP:{found.created_at.astimezone(UTC):{STAMP}}",
        f"DTSTART:{start.astimezone(UTC):{STAMP}}",
        f"DTEND:{(start + timedelta(hours=1)).astimezone(UTC):{STAMP}}",
        f"SUMMARY:{_escaped(found.told_name)}",
        f"DESCRIPTION:{_escaped(found.told_start)}",
        *(f"URL:{address}", "END:VEVENT", "END:VCALENDAR", ""),
    ]
    text = "\r\n".join(part for line in lines for part in _folded(line))
    answer = HttpResponse(text, content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{found.slug}.ics"'
    return answer


def _escaped(text: str) -> str:
    return re.sub(r"([\\;,])", r"\\\1", text).replace("\n", "\\n")


def _folded(line: str) -> list[str]:
    """Break a line that is longer than calendars read: at 75 bytes, and a blank begins the rest."""
    parts, size = [""], 0
    for sign in line:
        bytes_of_sign = len(sign.encode())
        if size + bytes_of_sign > LINE_BYTES:
            parts, size = [*parts, " "], 1
        parts[-1] += sign
        size += bytes_of_sign
    return parts


def export(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    """Send an export of a tournament that has started."""
    theirs = Tournament.objects.shown_to(request.user).exclude(state=Tournament.State.DRAFT)
    found = get_object_or_404(theirs, slug=slug)
    if name not in EXPORTS:
        raise Http404(f"There is no file {name!r}; there are {', '.join(EXPORTS)}.")
    return exported(request, EXPORTS[name], found, f"{found.slug}-{name}")
