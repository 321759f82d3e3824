"""The ratings of a bot on all ladders, and its history and rivals on one of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import reduce
from heapq import nsmallest
from math import ceil
from operator import or_
from typing import NamedTuple

from django.db.models import Max, Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from stichkampf_platform.bots.models import Version
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.figures import columns
from stichkampf_platform.ratings.models import Pairing, Rating
from stichkampf_platform.ratings.ranked_versions import holders_among, rankable_versions
from stichkampf_platform.tournaments.queries import shown_ladders
from stichkampf_platform.web import charts
from stichkampf_platform.web.games import rulebook

MOMENTS_SHOWN = 120
RIVALS_SHOWN = 12


class _RatedVersion(NamedTuple):
    """A snapshot, and the number of the newest version that is rated in it."""

    snapshot: int
    version: int


@dataclass(frozen=True)
class BotRating:
    """The newest rating of a bot on a ladder: of its ranked version, or else of its newest.

    :ivar whisker: its interval, on an axis that it shares with the other ladders.
    """

    rating: Rating
    whisker: SafeString | str = field(default="", kw_only=True)

    @property
    def ladder(self) -> Ladder:
        return self.rating.snapshot.ladder

    @property
    def game(self) -> str:
        return rulebook.game_title(self.ladder.game)

    @property
    def name(self) -> str:
        """The name of the ladder in addresses: that of its game, where it is the main one."""
        return self.ladder.game if self.ladder.main else self.ladder.slug

    @property
    def is_measured(self) -> bool:
        """Tell whether its Elo is shown: after its first blocks."""
        return not self.rating.blocks_to_go

    @property
    def setting(self) -> str:
        """Seats and options of a ladder that is not the main one of its game."""
        ladder = self.ladder
        return "" if ladder.main else rulebook.ladder_setting(ladder.game, ladder.seats, ladder.options)


@dataclass(frozen=True)
class BotHistory(BotRating):
    """A rating with the chart of how it came about, and with the nearest rivals."""

    chart: SafeString | str
    rivals: list[dict]


def ladders_of(request: HttpRequest, versions: list[Version]) -> dict[str, object]:
    """Return what the page of a bot shows of ladders: its ratings, main ladders apart, and one history.

    The history is that of the ladder which `?ladder=` of the request names, at first of the first.

    :raises Http404: the bot has no rating on the ladder that is asked for.
    """
    newest = _rated(request, versions).values("snapshot__ladder").annotate(newest=Max("snapshot"))
    # what it follows from may be long, and nothing of it is shown
    found = _on_ladders(versions).filter(snapshot__in=newest.values("newest"))
    found = found.select_related("snapshot__ladder", "version").defer(
        "snapshot__block_spans", "snapshot__anchors", "version__games"
    )
    chosen = _one_a_ladder(found.order_by("version__number"))
    ratings = [BotRating(rating) for rating in chosen]
    main = [rating for rating in ratings if rating.ladder.main]
    shown = main or ratings
    axis = charts.EloAxis([(each.rating.elo, each.rating.plus_minus) for each in shown if each.is_measured])
    shown = [
        replace(each, whisker=axis.whisker(each.rating.elo, each.rating.plus_minus))
        if each.is_measured
        else each
        for each in shown
    ]
    return {
        "ladders": shown,
        "axis": "" if axis.is_empty else axis.header,
        "best_ladder": min(
            (each for each in shown if each.rating.rank), key=lambda each: each.rating.rank, default=None
        ),
        "other_ladders": [rating for rating in ratings if not rating.ladder.main] if main else [],
        "figures": columns(),
        "switch": ratings,
        "history": _history(request, versions, ratings),
    }


def _history(request: HttpRequest, versions: list[Version], ratings: list[BotRating]) -> BotHistory | None:
    asked = request.GET.get("ladder")
    named = {each.name: each for each in ratings}
    if asked is not None and asked not in named:
        raise Http404(
            _("It has no rating on a ladder {name!r}; those with one: {names}.").format(
                name=asked, names=", ".join(named) or _("none yet")
            )
        )
    shown = named[asked] if asked is not None else next(iter(ratings), None)
    if shown is None:
        return None
    rating = shown.rating
    moments = _moments(versions, shown.ladder)
    label = _("Elo in {game} over time, now {elo:.0f}").format(game=shown.game, elo=rating.elo)
    chart = charts.rating_history(moments, label) if len(moments) > 1 else ""
    return BotHistory(rating, chart, _rivals(rating))


def _one_a_ladder(found: QuerySet[Rating]) -> list[Rating]:
    """Choose one rating for each ladder from the ratings of one bot, which come oldest version first."""
    by_ladder: dict[Ladder, list[Rating]] = defaultdict(list)
    for rating in found:
        by_ladder[rating.snapshot.ladder].append(rating)
    chosen = []
    rankable = rankable_versions({rating.version_id for ratings in by_ladder.values() for rating in ratings})
    for ladder in sorted(by_ladder, key=lambda ladder: (not ladder.main, ladder.game, ladder.pk)):
        ratings = by_ladder[ladder]
        blocks = {rating.version_id: rating.blocks for rating in ratings}
        holders = holders_among(rankable, blocks, ladder.game)
        held = [rating for rating in ratings if rating.version_id in holders.values()]
        chosen.append((held or ratings)[-1])
    return chosen


def _on_ladders(versions: list[Version]) -> QuerySet[Rating]:
    """Return the published ratings of these versions on all ladders."""
    return Rating.objects.filter(version__in=versions, snapshot__tournament=None, snapshot__published=True)


def _rated(request: HttpRequest, versions: list[Version]) -> QuerySet[Rating]:
    """Return the published ratings of these versions on ladders that the visitor may see."""
    ladders = shown_ladders(request.user).values("pk")
    return _on_ladders(versions).filter(snapshot__ladder__in=ladders)


def _moments(versions: list[Version], ladder: Ladder) -> list[charts.RatingMoment]:
    """Return the history of a bot on a ladder that the visitor may see, at each time its newest version's.

    Whole ratings are read only for as many snapshots as a chart can show.
    """
    there = _on_ladders(versions).filter(snapshot__ladder=ladder)
    newest = there.values("snapshot").annotate(newest=Max("version__number"))
    history = [
        _RatedVersion(*each)
        for each in newest.order_by("snapshot__at", "snapshot").values_list("snapshot", "newest")
    ]
    shown: dict[int, list[int]] = defaultdict(list)
    for each in _thinned(history):
        shown[each.version].append(each.snapshot)
    lines = [Q(version__number=number, snapshot__in=snapshots) for number, snapshots in shown.items()]
    moments = there.filter(reduce(or_, lines, Q(pk=None))).order_by("snapshot__at", "snapshot")
    return [
        charts.RatingMoment(*moment)
        for moment in moments.values_list("snapshot__at", "elo", "plus_minus", "version__number")
    ]


def _thinned(history: list[_RatedVersion]) -> list[_RatedVersion]:
    """Return as many as a chart can show, with the first of each version and the last among them."""
    step = ceil(len(history) / MOMENTS_SHOWN)
    return [
        each
        for at, each in enumerate(history)
        if (len(history) - 1 - at) % step == 0 or not at or history[at - 1].version != each.version
    ]


def _rivals(rating: Rating) -> list[dict]:
    """Return the closest rivals of a rating with the results against them, the closest contest first."""
    ours = rating.version_id
    pairings = Pairing.objects.filter(
        Q(first=ours) | Q(second=ours), snapshot=rating.snapshot_id, comparisons__gt=0
    )
    found = []
    for pairing in pairings:
        straight = pairing.first_id == ours
        superiority = pairing.superiority
        if superiority is not None and not straight:
            superiority = 1 - superiority
        found.append(
            {
                "version": pairing.second_id if straight else pairing.first_id,
                "comparisons": pairing.comparisons,
                "share": 100 * pairing.shares[not straight],
                "superiority": None if superiority is None else 100 * superiority,
            }
        )
    closest = nsmallest(RIVALS_SHOWN, found, key=lambda rival: abs(50 - (rival["superiority"] or 0)))
    named = (
        Version.objects.order_by()
        .select_related("bot__owner")
        .only("number", "bot__slug", "bot__name", "bot__owner__username")
    )
    versions = named.in_bulk([rival["version"] for rival in closest])
    return [rival | {"rival": versions[rival["version"]]} for rival in closest]
