"""The ladder of each game, and the overall ladder."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from stichkampf.games import GAMES
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.models import Version
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.operations.state_texts import containment
from stichkampf_platform.people.sentences import restored, told
from stichkampf_platform.ratings.figures import Figure, columns
from stichkampf_platform.ratings.ladder_csv import ladder_csv
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.overall_ladder import overall_ladder, with_versions
from stichkampf_platform.ratings.queries import newest_snapshot, ratings_of
from stichkampf_platform.ratings.ranked_versions import ranked_by_bot
from stichkampf_platform.ratings.rating_rows import rated_tournaments
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.queries import shown_ladders
from stichkampf_platform.tournaments.shown import shown_to
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
    """The change of Elo over the trend; `None` where it is within the intervals."""
    is_new: bool
    other: bool
    """True if this is not the bot's ranked version."""


class _Moment(NamedTuple):
    """Elo in a snapshot, with half of its interval."""

    elo: float
    plus_minus: float | None


class LadderTable:
    """The newest snapshot of a ladder as rows of a page.

    :ivar ratings: those on this page.
    :ivar unrated: ranked versions that their owners put forward, without a rating on this ladder yet.
    """

    to_go = PROVISIONAL_BLOCKS

    def __init__(
        self, ladder: Ladder, snapshot: Snapshot | None, *, all_versions: bool, page: str | None
    ) -> None:
        self.ladder = ladder
        self.snapshot = snapshot
        lines = ratings_of(snapshot).values_list("pk", "version_id", "blocks") if snapshot else []
        blocks = {version: played for _, version, played in lines}
        self.ranked = set(ranked_by_bot(blocks, ladder.game).values())
        shown_by_default = [rating for rating, version, _ in lines if version in self.ranked]
        self.hidden = 0 if all_versions else len(blocks) - len(shown_by_default)
        shown = [rating for rating, _, _ in lines] if all_versions else shown_by_default
        self.unrated = list(
            Version.objects.filter(pk__in=self.ranked - blocks.keys()).select_related("bot__owner")
        )
        self.page = Paginator(shown, PER_PAGE).get_page(page)
        self.ratings = list(ratings_of(snapshot).filter(pk__in=list(self.page))) if snapshot else []

    @cached_property
    def axis(self) -> charts.EloAxis:
        return charts.EloAxis([(r.elo, r.plus_minus) for r in self.ratings if not r.provisional])

    @cached_property
    def rows(self) -> list[LadderRow]:
        trends = self._trends()
        return [
            LadderRow(
                rating,
                SafeString() if rating.provisional else self.axis.whisker(rating.elo, rating.plus_minus),
                charts.sparkline([moment.elo for moment in trends[rating.version_id]]),
                _change(trends[rating.version_id]),
                len(trends[rating.version_id]) < 2,
                rating.version_id not in self.ranked,
            )
            for rating in self.ratings
        ]

    @property
    def has_trends(self) -> bool:
        return any(row.change is not None or row.is_new for row in self.rows)

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """Return the figures that have a column: of those in which a row has more than nothing."""
        return {name: row for name, row in columns() if any(getattr(each, name) for each in self.ratings)}

    @property
    def columns(self) -> int:
        """Return the number of columns behind the first."""
        return 3 + self.has_trends + len(self.figures)

    def _trends(self) -> dict[int, list[_Moment]]:
        """Return the Elo of late of each version on the page, from its twentieth block on."""
        recent = self.ladder.snapshots.filter(tournament=None, published=True).order_by("-at", "-pk")
        recent_ids = list(recent.values_list("pk", flat=True)[:TREND_SNAPSHOTS])
        trends: dict[int, list[_Moment]] = defaultdict(list)
        shown = [rating.version_id for rating in self.ratings]
        rows = Rating.objects.filter(snapshot__in=recent_ids, version__in=shown, provisional=False)
        rows = rows.order_by("snapshot__at", "snapshot")
        for version, *moment in rows.values_list("version", "elo", "plus_minus"):
            trends[version].append(_Moment._make(moment))
        return trends


def _change(trend: list[_Moment]) -> float | None:
    """Return by how much Elo has changed, if that is more than both intervals leave open."""
    if len(trend) < 2:
        return None
    first, last = trend[0], trend[-1]
    change = last.elo - first.elo
    return change if abs(change) > max(first.plus_minus or 0.0, last.plus_minus or 0.0) else None


def _setting(ladder: Ladder) -> str:
    setting = rulebook.ladder_setting(ladder.game, ladder.seats, ladder.options)
    return _("{setting}, slow").format(setting=setting) if ladder.slow else setting


def _of_the_same_game(request: HttpRequest, ladder: Ladder) -> list[Ladder]:
    """Return the other ladders of a ladder's game that show ratings to the visitor, the main one first."""
    rated = Snapshot.objects.filter(ladder=OuterRef("pk"), tournament=None, published=True)
    others = shown_ladders(request.user).filter(Exists(rated), game=ladder.game).exclude(pk=ladder.pk)
    return list(others.order_by("-main", "seats", "slug"))


def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    entry, found = find_ladder(request, slug)
    page: dict[str, object] = {
        "entries": rulebook.entries(),
        "entry": entry,
        "game": entry.slug if entry else "",
        "slug": slug,
        "title": entry.title if entry else slug,
        "containment": containment(),
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
        page["log"] = [
            (datetime.fromisoformat(line["at"]), told(restored(line["text"], line["parts"])))
            for line in reversed(found.log)
        ]
    return render(request, "web/ladders/ladder.html", page)


def _running_on(request: HttpRequest, ladder: Ladder) -> QuerySet[Tournament]:
    running = rated_tournaments(ladder).filter(shown_to(request.user), state=Tournament.State.RUNNING)
    return running[:RUNNING_SHOWN]


def csv_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the ladder's newest ratings, of every version, as CSV."""
    _, found = find_ladder(request, slug)
    lines = ladder_csv(newest_snapshot(found) if found else None)
    response = HttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="ladder-{slug}.csv"'
    return response


def find_ladder(request: HttpRequest, slug: str) -> tuple[rulebook.GameTexts | None, Ladder | None]:
    """Find the main ladder of a game, or any ladder by its slug. A game without results has no ladder yet."""
    if slug in GAMES:
        return rulebook.GameTexts(slug), main_ladders().filter(game=slug).first()
    found = shown_ladders(request.user).filter(slug=slug).first()
    if found is None:
        raise Http404(
            _("There is no ladder {slug!r}; the games are {names}.").format(slug=slug, names=", ".join(GAMES))
        )
    return rulebook.GameTexts(found.game) if found.game in GAMES else None, found


def overall(request: HttpRequest) -> HttpResponse:
    """Show the mean rating over all main ladders with results."""
    games, rows = overall_ladder()
    shown = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "page": shown,
        "lines": with_versions(list(shown)),
        "games": [rulebook.game_title(game) for game in games],
        "entries": rulebook.entries(),
    }
    return render(request, "web/ladders/overall.html", page)
