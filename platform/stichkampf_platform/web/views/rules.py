"""The games: their rules, a summary to print, and what bots find in them."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from stichkampf.games import GAMES
from stichkampf.games.facts import rows_of
from stichkampf.rulebook.pages import sections

from stichkampf_platform.web import rule_pages
from stichkampf_platform.web.games import rulebook


def games(request: HttpRequest) -> HttpResponse:
    return render(request, "web/rules/games.html", {"entries": rulebook.entries()})


def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules of a game with worked examples and its options."""
    page = _of_game(slug)
    page |= {
        "article": rule_pages.article(slug),
        "sections": sections(slug, rule_pages.language()),
        "entries": rulebook.entries(),
    }
    return render(request, "web/rules/rules.html", page)


def summary(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules of a game on one page, to be printed."""
    return render(request, "web/rules/summary.html", _of_game(slug) | {"article": rule_pages.summary(slug)})


def for_bots(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the words of a game's actions, its phases, facts and secrets."""
    page = _of_game(slug)
    game = GAMES[slug]
    page["options"] = rulebook.options_of(slug)
    page["phases"] = list(game.phases.items())
    page["view"] = game.view.__name__
    page["declared"] = [
        ("facts", rows_of(game, game.facts)),
        ("secrets", rows_of(game, game.secrets)),
    ]
    return render(request, "web/rules/bots.html", page)


def _of_game(slug: str) -> dict[str, Any]:
    if slug not in GAMES:
        raise Http404(f"No game is called {slug!r}; there are {', '.join(GAMES)}.")
    return {"entry": rulebook.GameEntry(slug)}
