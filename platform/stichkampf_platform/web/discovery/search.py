"""One search over games, bots, people and tournaments: what everybody may see."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from stichkampf_platform.bots.queries import authors, found_bots
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.web.discovery.lists import searched
from stichkampf_platform.web.games import rulebook

SHOWN = 8
"""Things of a kind that are shown; its own list has all of them."""


def search(request: HttpRequest) -> HttpResponse:
    """Show what is found by a part of a name, a group for each kind."""
    query = searched(request)
    groups = _groups(request, query) if query else []
    page = {"query": query, "groups": [group for group in groups if group[2]]}
    return render(request, "web/discovery/search.html", page)


def _groups(request: HttpRequest, query: str) -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """Return for each kind its words, the address of its list, and what is found: address, name, of whom."""
    games = [entry for entry in rulebook.entries() if query.casefold() in entry.title.casefold()]
    shown = Tournament.objects.shown_to(request.user).exclude(format__in=ENDLESS_FORMATS)
    return [
        (
            _("Games"),
            reverse("web:games"),
            [(reverse("web:rules", args=[each.slug]), each.title, each.tagline) for each in games],
        ),
        (
            _("Bots"),
            reverse("web:bots"),
            [(each.get_absolute_url(), each.name, each.owner.username) for each in found_bots(query)[:SHOWN]],
        ),
        (
            _("People"),
            reverse("web:people"),
            [
                (reverse("web:person", args=[each.username]), each.username, "")
                for each in authors(query)[:SHOWN]
            ],
        ),
        (
            _("Tournaments"),
            reverse("web:tournaments"),
            [
                (each.get_absolute_url(), each.told_name, rulebook.game_title(each.game))
                for each in shown.filter(name__icontains=query)[:SHOWN]
            ],
        ),
    ]
