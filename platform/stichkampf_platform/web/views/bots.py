from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from stichkampf_platform.bots.actions import AUTHOR_ACTIONS, CONSENTS
from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import (
    bots_for,
    named,
    submissions_for,
    versions_for,
)
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.queries import newest_snapshot_ids
from stichkampf_platform.tournaments import seat_results
from stichkampf_platform.tournaments.models import Entrant, Fault, SeatReport, Table
from stichkampf_platform.tournaments.queries import reports_for
from stichkampf_platform.tournaments.scheduling.outlook import outlooks
from stichkampf_platform.tournaments.seat_results import SeatsOfGame
from stichkampf_platform.tournaments.shown import shown_to
from stichkampf_platform.web import charts
from stichkampf_platform.web.actions import act
from stichkampf_platform.web.bot_ladders import BotRating, ladders_of
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.marks.costliest import costliest_decisions
from stichkampf_platform.web.thinking_times import thinking_times
from stichkampf_platform.web.views.remote import presence_of

RESULTS_SHOWN = 10
FAULTS_SHOWN = 20
REPORTS_SHOWN = 10


def bot(request: HttpRequest, slug: str, author: str) -> HttpResponse:
    found = get_object_or_404(named(bots_for(request.user), slug, author))
    versions = list(versions_for(request.user, found).order_by("-number"))
    newest = next((version for version in versions if version.may_play), None)
    shown = newest or next(iter(versions), None)
    return render(request, "web/bots/bot.html", _page(request, found, versions, shown, whole_bot=True))


def version(request: HttpRequest, slug: str, number: int, author: str) -> HttpResponse:
    found = get_object_or_404(named(bots_for(request.user), slug, author))
    versions = list(versions_for(request.user, found).order_by("-number"))
    shown = next((v for v in versions if v.number == number), None)
    if shown is None:
        raise Http404(
            _("{name} has no version {number} that you may see.").format(name=found.name, number=number)
        )
    return render(request, "web/bots/bot.html", _page(request, found, versions, shown, whole_bot=False))


@login_required
@require_POST
def put_forward(request: HttpRequest, slug: str, number: int, author: str) -> HttpResponse:
    found = get_object_or_404(named(bots_for(request.user), slug, author))
    chosen = get_object_or_404(versions_for(request.user, found), number=number)
    return act(request, AUTHOR_ACTIONS["rank"], chosen, then=found)


def _rows_by_seat(lines: list[SeatsOfGame]) -> list[tuple[str, SeatsOfGame, list[float | None]]]:
    """Return each line with the title of its game, and its mean ranks filled up to the longest line."""
    most = max((line.seats for line in lines), default=0)
    return [
        (rulebook.game_title(line.game), line, line.mean_ranks + [None] * (most - line.seats))
        for line in lines
    ]


def _page(
    request: HttpRequest, found: Bot, versions: list[Version], shown: Version | None, *, whole_bot: bool
) -> dict:
    mine = request.user.is_staff or found.owner_id == request.user.pk
    subject = versions if whole_bot else [shown] if shown else []
    entrants = _entrants(request, subject)
    results = seat_results.newest_results(entrants)
    seats = seat_results.by_seat(results)
    thinking = thinking_times(results, request.user)
    rank = AUTHOR_ACTIONS["rank"]
    page = {
        "bot": found,
        "versions": versions,
        "version_rows": _version_rows(versions),
        "shown": shown,
        "whole_bot": whole_bot,
        "mine": mine,
        "rank": rank.words(shown) if mine and rank.useful(shown) else "",
        "consents": [
            (name, row.told(found, accepted=not row.useful(found)), row.words(found), row.useful(found))
            for name, row in CONSENTS.items()
        ],
        "results": seat_results.with_blocks(results[:RESULTS_SHOWN]),
        "by_seat": _rows_by_seat(seats),
        "most_seats": range(1, max((line.seats for line in seats), default=0) + 1),
        "results_read": seat_results.RESULTS_READ,
        "extremes": [(rulebook.game_title(line.game), line) for line in seat_results.best_and_worst(results)],
        "blocks_compared": seat_results.BLOCKS_COMPARED,
        "times": charts.time_histogram(thinking.seconds),
        "decisions": len(thinking.seconds),
        "unreadable": thinking.unreadable,
        "faults": _faults(entrants),
    }
    page |= ladders_of(request, subject)
    page["to_watch"] = _to_watch(page["extremes"], page["best_ladder"])
    page |= presence_of(shown) | costliest_decisions(subject, request.user)
    if mine:
        page["outlooks"] = outlooks(shown, request.user) if shown else []
        page["submission"] = submissions_for(request.user).filter(version=shown).first()
        written = (
            reports_for(request.user)
            .filter(seat__entrant__version__in=subject)
            .filter(~Q(stderr="") | ~Q(complaints=[]) | ~Q(exit_kind=""))
            .select_related("seat__table__block__tournament", "seat__entrant__version__bot__owner")
            .order_by("-pk")[:REPORTS_SHOWN]
        )
        page["reports_by_seat"] = _by_seat(written)
    return page


def _to_watch(
    extremes: list[tuple[str, seat_results.BestAndWorst]], best: BotRating | None
) -> tuple[str, seat_results.BestAndWorst] | None:
    """Return the best match to look at: in the game of the best ladder, where it has one there."""
    of_best = [each for each in extremes if best and each[1].game == best.ladder.game]
    return next(iter(of_best or extremes), None)


def _by_seat(reports: Iterable[SeatReport]) -> list[tuple[int, list[SeatReport]]]:
    """Return the reports of each seat, from seat 1."""
    seats: dict[int, list[SeatReport]] = defaultdict(list)
    for report in reports:
        seats[report.seat.number + 1].append(report)
    return sorted(seats.items())


class _GameRating(NamedTuple):
    """A rating on the main ladder of a game, by its title."""

    game: str
    elo: float
    plus_minus: float


def _version_rows(versions: list[Version]) -> list[tuple[Version, list[_GameRating]]]:
    """Return every version with its newest ratings on the main ladders."""
    ratings: dict[int, list[_GameRating]] = defaultdict(list)
    rated = Rating.objects.filter(
        snapshot__in=newest_snapshot_ids(main_ladders()), version__in=versions, provisional=False
    )
    columns = ("version_id", "snapshot__ladder__game", "elo", "plus_minus")
    for version, game, *elo in rated.order_by("snapshot__ladder__game").values_list(*columns):
        ratings[version].append(_GameRating(rulebook.game_title(game), *elo))
    return [(version, ratings[version.pk]) for version in versions]


def _entrants(request: HttpRequest, versions: list[Version]) -> list[int]:
    """Return the ids of these versions as entrants of the tournaments that the visitor may see."""
    seen = Entrant.objects.filter(shown_to(request.user, "tournament__"), version__in=versions)
    return list(seen.order_by("pk").values_list("pk", flat=True))


def _faults(entrants: list[int]) -> list[Fault]:
    """Return the newest faults of these entrants in finished blocks."""
    own = Fault.objects.filter(
        result__seat__entrant__in=entrants,
        result__seat__table__state=Table.State.DONE,
        result__seat__table__block__over_at__isnull=False,
    )
    # few of them, before all that belongs to one is joined
    newest = list(own.order_by("-pk").values_list("pk", flat=True)[:FAULTS_SHOWN])
    whole = Fault.objects.filter(pk__in=newest).select_related(
        "result__seat__table__block__tournament", "result__seat__entrant__version__bot__owner"
    )
    return list(whole.order_by("-pk")) if newest else []
