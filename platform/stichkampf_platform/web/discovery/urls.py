"""Addresses by which bots, people and tournaments are found and followed."""

from __future__ import annotations

from django.urls import path

from stichkampf_platform.web.bot_addresses import bot_paths
from stichkampf_platform.web.discovery import badge, feeds, lists, matches

urlpatterns = [
    path("bots/", lists.bots, name="bots"),
    path("people/", lists.people, name="people"),
    path("people/<slug:name>/", lists.person, name="person"),
    path("tournaments/feed.atom", feeds.TournamentFeed(), name="tournament-feed"),
    path("bots/<slug:author>/<slug:slug>/matches/", matches.matches, name="bot-matches"),
    *bot_paths("feed.atom", feeds.BotFeed(), "bot-feed"),
    *bot_paths("badge.svg", badge.badge, "badge"),
]
