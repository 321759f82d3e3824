"""The ladder of each game, and the overall ladder."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from stichkampf.games import GAMES
from stichkampf.rating import mean_of_errors, standard_error_of
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.models import Version
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.ladder_csv import ladder_csv
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot, ratings_of
from stichkampf_platform.ratings.ranked_versions import ranked_by_bot
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.queries import visible_ladders
from stichkampf_platform.web import charts
from stichkampf_platform.web.games import rulebook

TREND_SNAPSHOTS = 20
PER_PAGE = 60
RUNNING_SHOWN = 3


@dataclass
class LadderRow:
    """A rating as the page of a ladder shows it."""

    rating: Rating
    whisker: SafeString
    trend: SafeString
    change: float | None
    other: bool
    """True if this is not the bot's ranked version."""


class LadderTable:
    """The newest snapshot of a ladder as rows of a page.

    :ivar unrated: ranked versions that their owners put forward, without a rating on this ladder yet.
    """

    to_go = PROVISIONAL_BLOCKS

    def __init__(
        self, ladder: Ladder, snapshot: Snapshot | None, *, all_versions: bool, page: str | None
    ) -> None:
        self.ladder = ladder
        self.snapshot = snapshot
        ratings = list(ratings_of(snapshot)) if snapshot else []
        holders = ranked_by_bot({rating.version_id: rating.blocks for rating in ratings}, ladder.game)
        self.ranked = {version.pk for version in holders.values()}
        shown_by_default = [r for r in ratings if r.version_id in self.ranked]
        self.hidden = 0 if all_versions else len(ratings) - len(shown_by_default)
        self.ratings = ratings if all_versions else shown_by_default
        unrated = self.ranked - {r.version_id for r in ratings}
        self.unrated = list(Version.objects.filter(pk__in=unrated).select_related("bot__owner"))
        self.page = Paginator(self.ratings, PER_PAGE).get_page(page)

    @cached_property
    def axis(self) -> charts.EloAxis:
        return charts.EloAxis([(r.elo, r.plus_minus) for r in self.page if not r.provisional])

    @cached_property
    def rows(self) -> list[LadderRow]:
        trends = self._trends()
        return [
            LadderRow(
                rating,
                SafeString() if rating.provisional else self.axis.whisker(rating.elo, rating.plus_minus),
                charts.sparkline(trends[rating.version_id]),
                _change(trends[rating.version_id]),
                rating.version_id not in self.ranked,
            )
            for rating in self.page
        ]

    def _trends(self) -> dict[int, list[float]]:
        """Return the Elo of late of each version on the page, from its twentieth block on."""
        recent = self.ladder.snapshots.filter(tournament=None, published=True).order_by("-at", "-pk")
        recent_ids = list(recent.values_list("pk", flat=True)[:TREND_SNAPSHOTS])
        trends: dict[int, list[float]] = defaultdict(list)
        shown = [rating.version_id for rating in self.page]
        rows = Rating.objects.filter(snapshot__in=recent_ids, version__in=shown, provisional=False)
        rows = rows.order_by("snapshot__at", "snapshot")
        for version, elo in rows.values_list("version", "elo"):
            trends[version].append(elo)
        return trends


def _change(trend: list[float]) -> float | None:
    return trend[-1] - trend[0] if len(trend) > 1 else None


def _setting(ladder: Ladder) -> str:
    setting = rulebook.ladder_setting(ladder.game, ladder.seats, ladder.options)
    return _("{setting}, slow").format(setting=setting) if ladder.slow else setting


def _of_the_same_game(request: HttpRequest, ladder: Ladder) -> list[Ladder]:
    """Return the other ladders of a ladder's game that show ratings to the visitor, the main one first."""
    rated = Snapshot.objects.filter(ladder=OuterRef("pk"), tournament=None, published=True)
    others = visible_ladders(request.user).filter(Exists(rated), game=ladder.game).exclude(pk=ladder.pk)
    return list(others.order_by("-main", "seats", "slug"))


def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    entry, found = find_ladder(request, slug)
    page: dict[str, object] = {
        "entries": rulebook.entries(),
        "entry": entry,
        "slug": slug,
        "title": entry.title if entry else slug,
    }
    if found is not None:
        all_versions = request.GET.get("versions") == "all"
        page["ladder"] = found
        page["all_versions"] = all_versions
        table = LadderTable(
            found, newest_snapshot(found), all_versions=all_versions, page=request.GET.get("page")
        )
        page |= {"table": table, "page": table.page, "kept": "versions=all&" if all_versions else ""}
        page["setting"] = _setting(found)
        page["others"] = [(other, _setting(other)) for other in _of_the_same_game(request, found)]
        page["running"] = _running_on(request, found)
    return render(request, "web/ladders/ladder.html", page)


def _running_on(request: HttpRequest, ladder: Ladder) -> QuerySet[Tournament]:
    shown = Tournament.objects.visible_to(request.user)
    return shown.filter(ladder=ladder, state=Tournament.State.RUNNING)[:RUNNING_SHOWN]


def csv_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the ladder's newest ratings, of every version, as CSV."""
    _, found = find_ladder(request, slug)
    lines = ladder_csv(newest_snapshot(found) if found else None)
    response = HttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="ladder-{slug}.csv"'
    return response


def find_ladder(request: HttpRequest, slug: str) -> tuple[rulebook.GameEntry | None, Ladder | None]:
    """Find the main ladder of a game, or any ladder by its slug. A game without results has no ladder yet."""
    if slug in GAMES:
        return rulebook.GameEntry(slug), main_ladders().filter(game=slug).first()
    found = visible_ladders(request.user).filter(slug=slug).first()
    if found is None:
        raise Http404(
            _("There is no ladder {slug!r}; the games are {names}.").format(slug=slug, names=", ".join(GAMES))
        )
    return rulebook.GameEntry(found.game) if found.game in GAMES else None, found


@dataclass
class OverallRow:
    """A bot over all main ladders."""

    rating: Rating
    by_game: list[Rating | None]

    @property
    def known(self) -> list[Rating]:
        return [rating for rating in self.by_game if rating is not None]

    @property
    def elo(self) -> float:
        return sum(rating.elo for rating in self.known) / len(self.known)

    @property
    def plus_minus(self) -> float | None:
        """Half the width of the 95% interval of the mean, from the standard errors of the ladders."""
        return mean_of_errors([standard_error_of(r.plus_minus, r.blocks) for r in self.known])[1]

    @property
    def coverage(self) -> int:
        return len(self.known)


def overall(request: HttpRequest) -> HttpResponse:
    """Show the mean rating over all main ladders with results; bots rated on more ladders come first."""
    ladders = sorted(main_ladders().filter(game__in=GAMES), key=lambda ladder: list(GAMES).index(ladder.game))
    snapshots = [(ladder, newest_snapshot(ladder)) for ladder in ladders]
    rated = [(ladder, snapshot) for ladder, snapshot in snapshots if snapshot is not None]
    rows = [
        OverallRow(next(iter(known.values())), [known.get(snapshot.pk) for _, snapshot in rated])
        for known in _held(rated).values()
    ]
    rows.sort(key=lambda row: (-row.coverage, -row.elo, row.rating.version.bot.slug))
    page = {
        "rows": rows,
        "games": [rulebook.game_title(ladder.game) for ladder, _ in rated],
        "entries": rulebook.entries(),
    }
    return render(request, "web/ladders/overall.html", page)


def _held(rated: list[tuple[Ladder, Snapshot]]) -> dict[int, dict[int, Rating]]:
    """Return by bot and snapshot the rating of the bot's ranked version there, if it has enough blocks."""
    rows: dict[int, dict[int, Rating]] = defaultdict(dict)
    ratings = Rating.objects.filter(snapshot__in=[snapshot for _, snapshot in rated])
    for rating in ratings.select_related("version__bot__owner"):
        rows[rating.snapshot_id][rating.version_id] = rating
    held: dict[int, dict[int, Rating]] = defaultdict(dict)
    for ladder, snapshot in rated:
        blocks = {version: rating.blocks for version, rating in rows[snapshot.pk].items()}
        for bot, holder in ranked_by_bot(blocks, ladder.game).items():
            if holder.pk in blocks and not rows[snapshot.pk][holder.pk].blocks_to_go:
                held[bot][snapshot.pk] = rows[snapshot.pk][holder.pk]
    return held
