"""Files for search engines: sitemap and robots.txt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import authors, shown_bots
from stichkampf_platform.core.page_addresses import in_language
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.web.guides import GUIDES

PERSONAL = ("/account/", "/classes/", "/submissions/")
GAME_PAGES = ("rules", "rules-summary", "rules-bots", "ladder")
TOPICS = (
    "write-a-bot",
    "submit",
    "limits",
    "ratings",
    "tournaments",
    "records",
    "api",
    "researchers",
    "data",
    "guides",
)


class TranslatedSitemap(Sitemap):
    """Pages in every language, each with the addresses of the others."""

    i18n = alternates = x_default = True
    limit = 200
    """Addresses in one file; an even number, so that the languages of a page stay together."""

    @property
    def paginator(self) -> Paginator:
        return Paginator(InEachLanguage(self.items(), self._languages()), self.limit)


class InEachLanguage(Sequence[tuple[Any, str]]):
    """Items with each of the languages. Of a query only those are read that a slice asks for."""

    def __init__(self, items: Any, languages: Sequence[str]) -> None:
        self.items, self.languages = items, languages

    def __len__(self) -> int:
        items = self.items
        return len(self.languages) * (items.count() if isinstance(items, QuerySet) else len(items))

    def __getitem__(self, at: Any) -> Any:
        each = len(self.languages)
        found = self.items[at.start // each : -(-at.stop // each)]
        return [(item, language) for item in found for language in self.languages]


class PageSitemap(TranslatedSitemap):
    """The pages that every installation has."""

    def items(self) -> Sequence[tuple[str, ...]]:
        lists = ("home", "ladders", "tournaments", "bots", "people", "games")
        return [
            *((name,) for name in lists),
            *((name, game) for game in GAMES for name in GAME_PAGES),
            *(("docs", topic) for topic in (*TOPICS, *GUIDES)),
        ]

    def location(self, item: tuple[str, ...]) -> str:
        name, *args = item
        return reverse(f"web:{name}", args=args)


class BotSitemap(TranslatedSitemap):
    """The pages of bots that everybody may see."""

    def items(self) -> QuerySet[Bot]:
        return shown_bots().order_by("pk")


class PersonSitemap(TranslatedSitemap):
    """The pages of people with such a bot."""

    def items(self) -> QuerySet[User]:
        return authors()

    def location(self, item: User) -> str:
        return reverse("web:person", args=[item.username])


class TournamentSitemap(TranslatedSitemap):
    """The pages of tournaments that everybody may see."""

    def items(self) -> QuerySet[Tournament]:
        return Tournament.objects.shown_to(None)

    def lastmod(self, item: Tournament) -> datetime | None:
        return item.finished_at

    def get_latest_lastmod(self) -> None:
        """Say nothing of all of them: a ladder is always being played."""


SITEMAPS = {
    "pages": PageSitemap,
    "bots": BotSitemap,
    "people": PersonSitemap,
    "tournaments": TournamentSitemap,
}


def robots(request: HttpRequest) -> HttpResponse:
    """Tell search engines where the sitemap is, and which pages are for people who are signed in."""
    personal = [in_language(path, code) for path in PERSONAL for code, _ in settings.LANGUAGES]
    closed = ("/admin/", "/api/", "/language/", *personal)
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('files:sitemap'))}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
