"""Addresses of files and streams for programs, which are the same in every language."""

from __future__ import annotations

from django.contrib.sitemaps.views import index, sitemap
from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView

from stichkampf_platform.classes.export import EXPORTS as CLASS_FILES
from stichkampf_platform.web.classes import views as classes
from stichkampf_platform.web.discovery import download, glances, sitemaps
from stichkampf_platform.web.discovery.preview import preview
from stichkampf_platform.web.tournament_pages import files
from stichkampf_platform.web.views import health, ladders, replays, submission_events, submissions


class IconView(RedirectView):
    """The icon of the site, for browsers that look for it at its oldest address."""

    def get_redirect_url(self, *args: object, **kwargs: object) -> str:
        return static("web/icon.svg")


app_name = "files"

urlpatterns = [
    path("bots/<slug:author>/<slug:slug>/preview.png", glances.picture, glances.BOT, name="bot-picture"),
    *(
        path(f"classes/<int:class_id>/{name}", classes.file, {"name": name}, name=f"class-{name}")
        for name in CLASS_FILES
    ),
    path("classes/<int:class_id>/code/<int:version_id>/", classes.code, name="class-code"),
    path("download/<str:name>", download.file, name="download"),
    path("health/", health.health, name="health"),
    path("ladders/<slug:slug>.csv", ladders.csv_file, name="ladder-csv"),
    path("ladders/<slug:slug>/preview.png", glances.picture, glances.LADDER, name="ladder-picture"),
    path("r/<int:table_id>/preview.png", preview, name="preview"),
    path("r/<int:table_id>/record.json", replays.record, name="record"),
    path("submissions/<int:submission_id>/records.jsonl", submissions.records, name="trial-records"),
    path("submissions/<int:submission_id>/events/", submission_events.submission, name="submission-events"),
    path(
        "tournaments/<slug:slug>/preview.png",
        glances.picture,
        glances.TOURNAMENT,
        name="tournament-picture",
    ),
    path("tournaments/<slug:slug>/export/<str:name>", files.export, name="tournament-export"),
    path("tournaments/<slug:slug>/calendar.ics", files.calendar, name="tournament-calendar"),
    path("robots.txt", sitemaps.robots),
    path("favicon.ico", IconView.as_view()),
    path(
        "sitemap.xml",
        index,
        {"sitemaps": sitemaps.SITEMAPS, "sitemap_url_name": "files:sitemap-part"},
        name="sitemap",
    ),
    path("sitemap-<section>.xml", sitemap, {"sitemaps": sitemaps.SITEMAPS}, name="sitemap-part"),
]
