"""Addresses by which bots, people and tournaments are found and followed."""

from __future__ import annotations

from django.urls import path

from stichkampf_platform.web.discovery import badge, download, feeds, glances, lists, matches, search

urlpatterns = [
    path("bots/", lists.bots, name="bots"),
    path("search/", search.search, name="search"),
    path("download/", download.download, name="download"),
    path("people/", lists.people, name="people"),
    path("people/<slug:name>/", lists.person, name="person"),
    path("people/<slug:name>/report/", lists.report_name, name="report-name"),
    path("tournaments/feed.atom", feeds.TournamentFeed(), name="tournament-feed"),
    path("bots/<slug:author>/<slug:slug>/matches/", matches.matches, name="bot-matches"),
    path("bots/<slug:author>/<slug:slug>/feed.atom", feeds.BotFeed(), name="bot-feed"),
    path("bots/<slug:author>/<slug:slug>/badge.svg", badge.badge, name="badge"),
    path("embed/bots/<slug:author>/<slug:slug>/", glances.framed, glances.BOT, name="embed-bot"),
    path("embed/ladders/<slug:slug>/", glances.framed, glances.LADDER, name="embed-ladder"),
    path("embed/tournaments/<slug:slug>/", glances.framed, glances.TOURNAMENT, name="embed-tournament"),
]
