"""The games: their rules, a summary to print, and what bots find in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from stichkampf.engine.declaration import Fact
from stichkampf.engine.game import Game
from stichkampf.games import GAMES
from stichkampf.games.facts import FactRow, rows_of
from stichkampf.rulebook.pages import sections

from stichkampf_platform.web import rule_pages
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.games.words import in_words


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
    page |= {
        "options": rulebook.options_of(slug),
        "setting": rulebook.example_setting(slug),
        "sections": sections(slug, rule_pages.language()),
        "moments": [(in_words(game, when), words) for when, words in game.moments],
        "phases": [(name, in_words(game, choice)) for name, choice in game.phases.items()],
        "view": game.view.__name__,
        "declared": [("facts", _told(game, game.facts)), ("secrets", _told(game, game.secrets))],
    }
    return render(request, "web/rules/bots.html", page)


def _told(game: type[Game], declared: Mapping[str, Fact]) -> list[FactRow]:
    """List declared facts in the language of the page."""
    told = []
    for row in rows_of(game, declared):
        fact = declared[row.key]
        meaning = in_words(game, fact.meaning)
        if fact.each:
            meaning = _("%(fact)s, by seat") % {"fact": meaning}
        told.append(row._replace(meaning=meaning, when=in_words(game, fact.when)))
    return told


def _of_game(slug: str) -> dict[str, Any]:
    if slug not in GAMES:
        raise Http404(
            _("No game is called {slug!r}; there are {names}.").format(slug=slug, names=", ".join(GAMES))
        )
    return {"entry": rulebook.GameTexts(slug)}
