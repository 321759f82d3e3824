"""Addresses by which bots, people and tournaments are found and followed."""

from __future__ import annotations

from django.contrib.sitemaps.views import index, sitemap
from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView

from stichkampf_platform.web.bot_addresses import of_bots
from stichkampf_platform.web.discovery import badge, feeds, lists, sitemaps


class IconView(RedirectView):
    """The icon of the site, for browsers that look for it at its oldest address."""

    def get_redirect_url(self, *args: object, **kwargs: object) -> str:
        return static("web/icon.svg")


urlpatterns = [
    path("bots/", lists.bots, name="bots"),
    path("people/", lists.people, name="people"),
    path("people/<slug:name>/", lists.person, name="person"),
    path("tournaments/feed.atom", feeds.TournamentFeed(), name="tournament-feed"),
    *of_bots("feed.atom", feeds.BotFeed(), "bot-feed"),
    *of_bots("badge.svg", badge.badge, "badge"),
    path("robots.txt", sitemaps.robots),
    path("favicon.ico", IconView.as_view()),
    path(
        "sitemap.xml",
        index,
        {"sitemaps": sitemaps.SITEMAPS, "sitemap_url_name": "web:sitemap-part"},
        name="sitemap",
    ),
    path("sitemap-<section>.xml", sitemap, {"sitemaps": sitemaps.SITEMAPS}, name="sitemap-part"),
]
