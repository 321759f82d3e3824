from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from stichkampf import limits
from stichkampf.bots import house_bots

from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.web import rulebook

TOPICS = {
    "write-a-bot": "Write a bot",
    "submit": "Submit it",
    "limits": "Limits and clock",
    "ratings": "Ratings and blocks",
    "records": "Records",
    "api": "API",
}


def topic(request: HttpRequest, slug: str = "write-a-bot") -> HttpResponse:
    if slug not in TOPICS:
        raise Http404(f"There is no page {slug!r} here; there are {', '.join(TOPICS)}.")
    clock = {
        name: Tournament._meta.get_field(name).default
        for name in ("move_seconds", "bank_seconds", "cap_seconds", "fault_allowance")
    }
    page = {
        "topics": TOPICS,
        "slug": slug,
        "title": TOPICS[slug],
        "template": f"web/docs/{slug}.html",
        "limits": limits,
        "clock": clock,
        "house_bots": list(house_bots()),
        "entries": rulebook.entries(),
        "address": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "web/docs/page.html", page)
