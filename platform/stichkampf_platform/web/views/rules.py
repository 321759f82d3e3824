from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from stichkampf.games import GAMES

from stichkampf_platform.web.games import rulebook


def games(request: HttpRequest) -> HttpResponse:
    return render(request, "web/rules/games.html", {"entries": rulebook.entries()})


def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules of a game with example tricks and its options."""
    if slug not in GAMES:
        raise Http404(f"No game is called {slug!r}; there are {', '.join(GAMES)}.")
    page = {
        "entry": rulebook.GameEntry(slug),
        "entries": rulebook.entries(),
        "options": rulebook.options_of(slug),
    }
    return render(request, "web/rules/rules.html", page)
