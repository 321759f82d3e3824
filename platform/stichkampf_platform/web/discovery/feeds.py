"""Atom feeds: the tournaments, and the newest results of a bot."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.contrib.syndication.views import Feed
from django.db.models import Prefetch
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import named, shown_bots
from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.tournaments.models import Result, Ruling, Tournament
from stichkampf_platform.tournaments.queries import results_of
from stichkampf_platform.web.games import rulebook

ENTRIES = 30


class TournamentFeed(Feed):
    """The tournaments that everybody may see, newest first."""

    feed_type = Atom1Feed
    title = gettext_lazy("Stichkampf: tournaments")
    subtitle = gettext_lazy("Tournaments of bots in trick-taking card games")

    def link(self) -> str:
        return reverse("web:tournaments")

    def items(self) -> Iterable[Tournament]:
        news = Prefetch("rulings", Ruling.objects.filter(kind=Ruling.Kind.NEWS), to_attr="news")
        return Tournament.objects.shown_to(None).prefetch_related(news)[:ENTRIES]

    def item_title(self, item: Tournament) -> str:
        return _("{name} is {state}").format(name=item.name, state=item.get_state_display())

    def item_description(self, item: Tournament) -> str:
        game = rulebook.game_title(item.game)
        if item.news:
            return item.news[0].reason
        return item.told_outcome or _("{game}, {seats} seats").format(game=game, seats=item.seats)

    def item_updateddate(self, item: Tournament) -> datetime:
        told = [item.finished_at or item.started_at or item.created_at]
        return max(told + [news.made_at for news in item.news[:1]])


class BotFeed(Feed):
    """The newest results of a bot, in blocks that are over."""

    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest, slug: str, author: str) -> Bot:
        return get_object_or_404(named(shown_bots(), slug, author))

    def title(self, bot: Bot) -> str:
        return f"Stichkampf: {bot.name}"

    def subtitle(self, bot: Bot) -> str:
        return _("Results of {full_name}").format(full_name=bot.full_name)

    def link(self, bot: Bot) -> str:
        return bot.get_absolute_url()

    def items(self, bot: Bot) -> Iterable[Result]:
        newest = results_of([bot], None).order_by("-pk").values_list("pk", flat=True)[:ENTRIES]
        results = Result.objects.filter(pk__in=list(newest)).order_by("-pk")
        return results.select_related("seat__table__block__tournament")

    def item_title(self, item: Result) -> str:
        tournament = item.seat.table.block.tournament
        game = rulebook.game_title(tournament.game)
        return _("{game}: rank {rank} of {seats}, score {score}").format(
            game=game, rank=item.rank, seats=tournament.seats, score=signed(item.score)
        )

    def item_description(self, item: Result) -> str:
        return str(item.seat.table.block.tournament.name)

    def item_link(self, item: Result) -> str:
        return item.seat.table.get_absolute_url()

    def item_guid(self, item: Result) -> str:
        return f"result-{item.pk}"

    def item_updateddate(self, item: Result) -> datetime:
        return item.seat.table.block.over_at
