from __future__ import annotations

from django.urls import include, path, register_converter
from django.urls.converters import IntConverter

from stichkampf_platform.web.discovery import tournaments as tournament_lists
from stichkampf_platform.web.discovery import watch
from stichkampf_platform.web.entry import views as entries
from stichkampf_platform.web.marks.continuations import continuations
from stichkampf_platform.web.marks.pages import marks
from stichkampf_platform.web.play import (
    daily_pages,
    play_on_pages,
    result_pages,
    start_pages,
    table_pages,
    together_pages,
)
from stichkampf_platform.web.tournament_pages import own_tournaments, rulings, screen, show, tournament
from stichkampf_platform.web.views import (
    account,
    bots,
    deals,
    docs,
    home,
    ladders,
    pairs,
    remote,
    replays,
    rules,
    status,
    submissions,
    tournaments,
)


class CountedFromOne(IntConverter):
    """Numbers in an address, from 1, of things that the match record and the code number from 0."""

    regex = "0*[1-9][0-9]*"

    def to_python(self, value: str) -> int:
        return int(value) - 1

    def to_url(self, value: int) -> str:
        return str(value + 1)


register_converter(CountedFromOne, "counted_from_one")

app_name = "web"

VERSION = "bots/<slug:author>/<slug:slug>/v/<int:number>"

urlpatterns = [
    path("", home.home, name="home"),
    path("", include("stichkampf_platform.web.discovery.urls")),
    path("", include("stichkampf_platform.web.notices.urls")),
    path("status/", status.status, name="status"),
    path("", include("stichkampf_platform.web.classes.urls")),
    path("", include("stichkampf_platform.web.experiments.urls")),
    path("ladders/", ladders.overall, name="ladders"),
    path("ladders/<slug:slug>/", ladders.ladder, name="ladder"),
    path("ladders/<slug:slug>/pairs/", pairs.ladder_pairs, name="pairs"),
    path("bots/<slug:author>/<slug:slug>/", bots.bot, name="bot"),
    path(f"{VERSION}/", bots.version, name="version"),
    path(f"{VERSION}/rank/", bots.put_forward, name="put-forward"),
    path(f"{VERSION}/token/", remote.token, name="remote-token"),
    path(f"{VERSION}/token/revoke/", remote.revoke, name="revoke-remote-token"),
    path("bots/<slug:author>/<slug:slug>/vs/<slug:other_author>/<slug:other>/", pairs.versus, name="versus"),
    path("play/", start_pages.start, name="play"),
    path("play/daily/", daily_pages.index, name="daily"),
    path("play/daily/<slug:game>/", daily_pages.game_day, name="daily-game"),
    path("play/together/", together_pages.invite, name="play-together"),
    path("play/together/<str:table>/", together_pages.room, name="play-room"),
    path("play/on/", play_on_pages.from_file, name="play-on"),
    path("play/on/<int:table_id>/<int:step>/", play_on_pages.from_replay, name="play-on-replay"),
    path("play/on/<slug:game>/<slug:name>/", play_on_pages.from_example, name="play-on-example"),
    path("play/<str:table>/on/<int:step>/", play_on_pages.from_played, name="play-on-played"),
    path("play/<str:table>/", table_pages.table, name="play-table"),
    path("play/<str:table>/told/", table_pages.told, name="play-told"),
    path("play/<str:table>/result/", result_pages.result, name="play-result"),
    path("play/<str:table_id>/replay/", result_pages.replay, name="play-replay"),
    path("play/<str:table_id>/replay/<int:step>", result_pages.replay, name="play-replay-at"),
    path("remote/", remote.listing, name="remote"),
    path("remote/new/", remote.connect, name="connect"),
    path("watch/", watch.watch, name="watch"),
    path("watch/<str:game>/", watch.game_channel, name="channel"),
    path("tournaments/<slug:slug>/watch/", watch.tournament_channel, name="tournament-channel"),
    path("tournaments/", tournament_lists.listing, name="tournaments"),
    path("organise/", own_tournaments.own, name="own-tournaments"),
    path("tournaments/<slug:slug>/", tournament.tournament, name="tournament"),
    path("tournaments/<slug:slug>/enter/", entries.enter, name="enter"),
    path("tournaments/<slug:slug>/withdraw/", entries.withdraw, name="withdraw"),
    path("tournaments/<slug:slug>/protest/", rulings.protest, name="protest"),
    path("tournaments/<slug:slug>/protests/<int:protest_id>/answer/", rulings.answer, name="answer-protest"),
    path("code/", entries.code, name="code"),
    path("tournaments/<slug:slug>/screen/", screen.screen, name="screen"),
    path("tournaments/<slug:slug>/press/", show.press, name="press"),
    path("tournaments/<slug:slug>/schedule/", tournaments.schedule, name="schedule"),
    path("deals/<int:block_id>/<counted_from_one:deal>/", deals.deal, name="deal"),
    path("blocks/<int:block_id>/", tournaments.block, name="block"),
    path("r/<int:table_id>/", replays.replay, name="replay"),
    path("r/<int:table_id>/<int:step>", replays.replay, name="replay-at"),
    path("r/<int:table_id>/marks/", marks, name="marks"),
    path("r/<int:table_id>/continuations/<int:decision>/", continuations, name="continuations"),
    path(
        "r/<int:table_id>/seat/<counted_from_one:seat>/costliest/",
        deals.costliest_deal,
        name="costliest-deal",
    ),
    path("embed/r/<int:table_id>/", replays.embedded, name="embed"),
    path("embed/r/<int:table_id>/<int:step>", replays.embedded, name="embed-at"),
    path("games/", rules.games, name="games"),
    path("games/<slug:slug>/", rules.rules, name="rules"),
    path("games/<slug:slug>/summary/", rules.summary, name="rules-summary"),
    path("games/<slug:slug>/bots/", rules.for_bots, name="rules-bots"),
    path("submit/", submissions.submit, name="submit"),
    path("submissions/<int:submission_id>/", submissions.submission, name="submission"),
    path("account/", account.account, name="account"),
    path("account/notices/<int:notice_id>/", account.notice, name="notice"),
    path("account/tokens/", account.tokens, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", account.revoke, name="revoke-token"),
    path("docs/", docs.topic, name="docs"),
    path("docs/<slug:slug>/", docs.topic, name="docs"),
]
