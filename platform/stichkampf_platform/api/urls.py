"""The addresses of the API: a resource a line, and what is none."""

from __future__ import annotations

from django.urls import path
from rest_framework.routers import SimpleRouter

from stichkampf_platform.api.classes import views as classes
from stichkampf_platform.api.views import (
    blocks,
    bots,
    discovery,
    experiments,
    games,
    index,
    ladders,
    marks,
    matches,
    organising,
    people,
    ratings,
    remote,
    tables,
    tournaments,
    versions,
)

BOT, VERSION = "bots/<slug:author>", "bots/<slug:author>/<slug:slug>/versions"
ORGANISED = organising.OwnTournamentViewSet

router = SimpleRouter(use_regex_path=False)
for prefix, resource, name in (
    ("me/tokens", people.TokenViewSet, "token"),
    ("me/notices", people.NoticeViewSet, "notice"),
    ("me/memberships", people.MembershipViewSet, "membership"),
    ("me/bots", matches.OwnBotsViewSet, "own-bot"),
    ("me/matches", matches.OwnMatchesViewSet, "own-match"),
    ("games", games.GameViewSet, "game"),
    ("people", discovery.PeopleViewSet, "person"),
    ("bots", bots.BotsViewSet, "bots"),
    (BOT, bots.BotViewSet, "bot"),
    (BOT, ratings.BotRatingsViewSet, "bot-ratings"),
    (BOT, matches.BotMatchesViewSet, "bot-matches"),
    (BOT, marks.BotMarksViewSet, "bot-marks"),
    (VERSION, versions.VersionViewSet, "version"),
    (VERSION, versions.VersionExperimentViewSet, "version-experiments"),
    ("submissions", versions.SubmissionViewSet, "submission"),
    ("remote", remote.RemoteViewSet, "remote"),
    ("experiments", experiments.ExperimentViewSet, "experiment"),
    ("tournaments", tournaments.TournamentViewSet, "tournament"),
    ("blocks", blocks.BlockViewSet, "block"),
    ("tables", tables.TableViewSet, "table"),
    ("ladders", ladders.LadderViewSet, "ladders"),
    ("ladders", ladders.LadderRatingsViewSet, "ladder"),
    ("organiser/tournaments", ORGANISED, "own-tournament"),
    ("classes", classes.ClassViewSet, "class"),
):
    router.register(prefix, resource, f"api-{name}")

urlpatterns = [
    path("", index.IndexView.as_view(), name="api-index"),
    path("schema/", index.SchemaView.as_view(), name="api-schema"),
    path("me/", people.MeView.as_view(), name="api-me"),
    path("me/notice-choices/", people.NoticeChoicesView.as_view(), name="api-notice-choices"),
    path("data/<slug:what>.jsonl", blocks.DataJsonView.as_view(), name="api-data-lines"),
    path("data/<slug:what>.parquet", blocks.DataParquetView.as_view(), name="api-data-parquet"),
    path("status/", discovery.StatusView.as_view(), name="api-status"),
    path("featured/", marks.FeaturedView.as_view(), name="api-featured"),
    path("deals/<int:block_id>/<int:deal>/", blocks.TablesOfDealView.as_view(), name="api-deal"),
    path(
        "ladders/<slug:slug>.csv",
        ladders.LadderRatingsViewSet.as_view({"get": "csv"}),
        name="api-ladder-csv",
    ),
    path(
        "organiser/tournaments/<slug:slug>/export/<str:name>",
        ORGANISED.as_view({"get": "export"}),
        name="api-export",
    ),
    *classes.FILE_ADDRESSES,
    *experiments.FILE_ADDRESSES,
    *router.urls,
]
