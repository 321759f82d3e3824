from __future__ import annotations

from collections.abc import Callable

from django.urls import URLPattern, path

from stichkampf_platform.api.base_views import APIView
from stichkampf_platform.api.classes import views as classes
from stichkampf_platform.api.rulings import views as rulings
from stichkampf_platform.api.views import (
    blocks,
    bots,
    conduct,
    discovery,
    entries,
    experiments,
    index,
    ladders,
    marks,
    matches,
    organising,
    people,
    ratings,
    remote,
    tournaments,
)
from stichkampf_platform.tournaments.organising.actions import BLOCK_ACTIONS, ENTRANT_ACTIONS


def bot_paths(rest: str, view: type[APIView], name: str) -> list[URLPattern]:
    """Return both addresses of a view of a bot: the older without its author, and the one with the author.

    One without an author means the first bot that ever had the name.
    """
    addresses = [path(f"bots/<slug:slug>/{rest}", view.as_view(), name=name)]
    if rest:  # a bot's own address comes after these, since its name stands where they have a word
        addresses.append(path(f"bots/<slug:author>/<slug:slug>/{rest}", view.as_view(), name=name))
    return addresses


def organiser_path(rest: str, view: Callable, name: str) -> URLPattern:
    """Return the address of a view of an organiser's own tournament."""
    return path(f"organiser/tournaments/<slug:slug>/{rest}", view, name=name)


def class_path(rest: str, view: type[APIView], name: str) -> URLPattern:
    """Return the address of a view of a teacher's own class."""
    return path(f"classes/<int:class_id>/{rest}", view.as_view(), name=name)


urlpatterns = [
    path("", index.IndexView.as_view(), name="api-index"),
    path("schema/", index.SchemaView.as_view(), name="api-schema"),
    path("me/", people.MeView.as_view(), name="api-me"),
    path("me/tokens/", people.TokensView.as_view(), name="api-tokens"),
    path("me/tokens/<int:token_id>/", people.TokenView.as_view(), name="api-token"),
    path("me/notices/", people.NoticesView.as_view(), name="api-notices"),
    path("me/notice-choices/", people.NoticeChoicesView.as_view(), name="api-notice-choices"),
    path("me/memberships/", entries.MembershipsView.as_view(), name="api-memberships"),
    path("me/bots/", matches.OwnBotsView.as_view(), name="api-own-bots"),
    path("me/matches/", matches.OwnMatchesView.as_view(), name="api-own-matches"),
    path("games/", bots.GamesView.as_view(), name="api-games"),
    path("games/<slug:slug>/rules/", discovery.RulesView.as_view(), name="api-rules"),
    path("games/<slug:slug>/facts/", discovery.FactsView.as_view(), name="api-facts"),
    path("people/", discovery.PeopleView.as_view(), name="api-people"),
    path("people/<slug:name>/", discovery.PersonView.as_view(), name="api-person"),
    path("data/<slug:what>.jsonl", blocks.DataJsonView.as_view(), name="api-data-lines"),
    path("data/<slug:what>.parquet", blocks.DataParquetView.as_view(), name="api-data-parquet"),
    path("status/", discovery.StatusView.as_view(), name="api-status"),
    path("bots/", bots.BotsView.as_view(), name="api-bots"),
    *bot_paths("", bots.BotView, "api-bot"),
    *bot_paths("versions/", bots.VersionsView, "api-versions"),
    *bot_paths("versions/<int:number>/", bots.VersionView, "api-version"),
    *bot_paths("versions/<int:number>/token/", remote.RemoteTokenView, "api-remote-token"),
    *bot_paths("versions/<int:number>/ladders/", bots.OutlookView, "api-outlook"),
    *bot_paths("versions/<int:number>/rank/", bots.PutForwardView, "api-rank"),
    *bot_paths("versions/<int:number>/challenges/", experiments.ChallengesView, "api-challenges"),
    *bot_paths("versions/<int:number>/comparisons/", experiments.ComparisonsView, "api-comparisons"),
    *bot_paths(
        "versions/<int:number>/counterfactuals/", experiments.CounterfactualsView, "api-counterfactuals"
    ),
    *bot_paths("challenges/", experiments.AcceptedChallengesView, "api-accepted-challenges"),
    *bot_paths("entries/", experiments.AcceptedEntriesView, "api-accepted-entries"),
    *bot_paths("remote/", remote.RemoteView, "api-remote"),
    *bot_paths("faults/", conduct.FaultsView, "api-faults"),
    *bot_paths("matches/", matches.MatchesView, "api-matches"),
    *bot_paths("marks/", marks.CostliestView, "api-costliest"),
    *bot_paths("seats/", bots.MeanRanksView, "api-mean-ranks"),
    *bot_paths("best-and-worst/", bots.BestAndWorstView, "api-best-and-worst"),
    *bot_paths("reports/", conduct.ReportsView, "api-reports"),
    path("bots/<slug:author>/<slug:slug>/ratings/", ratings.RatingsView.as_view(), name="api-ratings"),
    path("bots/<slug:author>/<slug:slug>/history/", ratings.HistoryView.as_view(), name="api-history"),
    path(
        "bots/<slug:author>/<slug:slug>/vs/<slug:other_author>/<slug:other>/",
        ratings.VersusView.as_view(),
        name="api-versus",
    ),
    path("bots/<slug:author>/<slug:slug>/", bots.BotView.as_view(), name="api-bot"),
    path("remote/", remote.RemoteBotsView.as_view(), name="api-remote-bots"),
    path("experiments/", experiments.ExperimentsView.as_view(), name="api-experiments"),
    path("experiments/<int:pk>/", experiments.ExperimentView.as_view(), name="api-experiment"),
    path(
        "experiments/<int:pk>/cancel/",
        experiments.CancelExperimentView.as_view(),
        name="api-cancel-experiment",
    ),
    path(
        "experiments/<int:pk>/records/",
        experiments.ExperimentRecordsView.as_view(),
        name="api-experiment-records",
    ),
    path("submissions/<int:pk>/", bots.SubmissionView.as_view(), name="api-submission"),
    path("submissions/<int:pk>/records/", bots.TrialRecordsView.as_view(), name="api-trial-records"),
    path("tournaments/", tournaments.TournamentsView.as_view(), name="api-tournaments"),
    path("tournaments/<slug:slug>/", tournaments.TournamentView.as_view(), name="api-tournament"),
    path("tournaments/<slug:slug>/entries/", entries.EntriesView.as_view(), name="api-entries"),
    path(
        "tournaments/<slug:slug>/entries/<slug:author>/<slug:bot>/",
        entries.EntryView.as_view(),
        name="api-entry",
    ),
    path("tournaments/<slug:slug>/rulings/", rulings.RulingsView.as_view(), name="api-rulings"),
    path("tournaments/<slug:slug>/protests/", rulings.ProtestsView.as_view(), name="api-protests"),
    path("tournaments/<slug:slug>/tables/", tournaments.TablesView.as_view(), name="api-tables"),
    path("tournaments/<slug:slug>/records/", tournaments.RecordsView.as_view(), name="api-records"),
    path("tournaments/<slug:slug>/standings/", tournaments.StandingsView.as_view(), name="api-standings"),
    path("organiser/tournaments/", organising.OwnTournamentsView.as_view(), name="api-own-tournaments"),
    organiser_path("", organising.OwnTournamentView.as_view(), "api-own-tournament"),
    *(
        organiser_path(f"{action}/", view.as_view(), f"api-{action}")
        for action, view in organising.ACTION_VIEWS.items()
    ),
    *(
        organiser_path(
            f"blocks/<int:number>/{kind}/", rulings.BlockRulingView.as_view(kind=kind), f"api-{kind}"
        )
        for kind in BLOCK_ACTIONS
    ),
    *(
        organiser_path(f"{kind}/", rulings.EntrantRulingView.as_view(kind=kind), f"api-{kind}")
        for kind in ENTRANT_ACTIONS
    ),
    organiser_path("protests/<int:pk>/answer/", rulings.AnswerView.as_view(), "api-answer"),
    organiser_path("members/<slug:name>/", organising.TournamentMemberView.as_view(), "api-member"),
    organiser_path("export/<str:name>", organising.TournamentExportView.as_view(), "api-export"),
    path("classes/", classes.OwnClassesView.as_view(), name="api-classes"),
    class_path("", classes.OwnClassView, "api-class"),
    class_path("people/", classes.ClassPeopleView, "api-class-people"),
    class_path("people/<int:pupil_id>/", classes.ClassPersonView, "api-class-person"),
    class_path("people/<int:pupil_id>/password/", classes.ClassPasswordView, "api-class-password"),
    class_path("end/", classes.EndOfClassView, "api-class-end"),
    class_path("progress.csv", classes.GradingView, "api-class-csv"),
    class_path("export.zip", classes.ClassExportView, "api-class-export"),
    path("tournaments/<slug:slug>/blocks/", blocks.BlocksView.as_view(), name="api-blocks"),
    path("blocks/<int:pk>/", blocks.BlockView.as_view(), name="api-block"),
    path("deals/<int:block_id>/<int:deal>/", blocks.TablesOfDealView.as_view(), name="api-deal"),
    path("tables/<int:pk>/", tournaments.TableView.as_view(), name="api-table"),
    path("tables/<int:pk>/faults/", conduct.TableFaultsView.as_view(), name="api-table-faults"),
    path("tables/<int:pk>/marks/", marks.MarksView.as_view(), name="api-marks"),
    path(
        "tables/<int:pk>/decisions/<int:decision>/continuations/",
        marks.ContinuationsView.as_view(),
        name="api-continuations",
    ),
    path("tables/<int:pk>/record/", tournaments.RecordView.as_view(), name="api-record"),
    path("ladders/", ladders.LaddersView.as_view(), name="api-ladders"),
    path("ladders/overall/", ladders.OverallLadderView.as_view(), name="api-overall-ladder"),
    path("featured/", marks.FeaturedView.as_view(), name="api-featured"),
    path("ladders/<slug:slug>.csv", ladders.LadderCsvView.as_view(), name="api-ladder-csv"),
    path("ladders/<slug:slug>/pairs/", ladders.PairsView.as_view(), name="api-pairs"),
    path("ladders/<slug:slug>/", ladders.LadderView.as_view(), name="api-ladder"),
]
