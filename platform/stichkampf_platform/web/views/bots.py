from __future__ import annotations

from math import ceil
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import bots_for, submissions_for, versions_for
from stichkampf_platform.ratings.models import Pairing, Rating
from stichkampf_platform.tournaments.models import Fault, Result
from stichkampf_platform.tournaments.queries import open_results, reports_for
from stichkampf_platform.web import charts, habits, rulebook
from stichkampf_platform.web.views.remote import presence_of

RESULTS_SHOWN = 10
FAULTS_SHOWN = 20
REPORTS_SHOWN = 10
MOMENTS_SHOWN = 120


class _Past(NamedTuple):
    """A line of an earlier snapshot: its keys, and what a chart shows of it."""

    rating: int
    snapshot: int
    version: int
    moment: charts.Moment


def bot(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(bots_for(request.user), slug=slug)
    versions = list(versions_for(request.user, found).order_by("-number"))
    shown = next((v for v in versions if v.pk == found.ranked_version_id), versions[0] if versions else None)
    return render(request, "web/bots/bot.html", _page(request, found, versions, shown, whole_bot=True))


def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    found = get_object_or_404(bots_for(request.user), slug=slug)
    versions = list(versions_for(request.user, found).order_by("-number"))
    shown = next((v for v in versions if v.number == number), None)
    if shown is None:
        raise Http404(f"{found.name} has no version {number} that you may see.")
    return render(request, "web/bots/bot.html", _page(request, found, versions, shown, whole_bot=False))


def _page(
    request: HttpRequest, found: Bot, versions: list[Version], shown: Version | None, *, whole_bot: bool
) -> dict:
    mine = request.user.is_staff or found.owner_id == request.user.pk
    subject = versions if whole_bot else [shown] if shown else []
    newest = list(_results(subject)[:RESULTS_SHOWN])
    seats = habits.by_seat(_results(subject))
    thinking = habits.thinking(newest)
    page = {
        "bot": found,
        "versions": versions,
        "shown": shown,
        "whole_bot": whole_bot,
        "mine": mine,
        "ladders": _ladders(subject, shown),
        "results": newest,
        "by_seat": seats,
        "seat_numbers": range(1, len(seats[0].mean_ranks) + 1) if seats else [],
        "results_read": habits.RESULTS_READ,
        "times": charts.times(thinking.seconds),
        "decisions": len(thinking.seconds),
        "unreadable": thinking.unreadable,
        "faults": Fault.objects.filter(result__in=_results(subject))
        .select_related("result__seat__table__block__tournament", "result__seat__entrant__version")
        .order_by("-pk")[:FAULTS_SHOWN],
    }
    page |= presence_of(shown, mine=mine)
    if mine:
        page["submission"] = submissions_for(request.user).filter(version=shown).first()
        page["reports"] = (
            reports_for(request.user)
            .filter(seat__entrant__version__in=subject)
            .filter(~Q(stderr="") | ~Q(complaints=[]) | ~Q(exit_kind=""))
            .select_related("seat__table__block__tournament", "seat__entrant__version")
            .order_by("-pk")[:REPORTS_SHOWN]
        )
    return page


def _results(versions: list[Version]) -> QuerySet[Result]:
    """The results of these versions that are open, newest first."""
    results = open_results().filter(seat__entrant__version__in=versions)
    return results.select_related("seat__table__block__tournament", "seat__entrant__version").order_by("-pk")


def _ladders(versions: list[Version], shown: Version | None) -> list[dict]:
    """The newest rating on every ladder, with its history over all versions given and its nearest rivals."""
    history: dict[int, list[_Past]] = {}
    rated = Rating.objects.filter(
        version__in=versions, snapshot__tournament=None, snapshot__published=True
    ).order_by("snapshot__ladder__game", "snapshot__at", "version__number")
    for ladder, pk, snapshot, version, *moment in rated.values_list(
        "snapshot__ladder", "pk", "snapshot", "version", "snapshot__at", "elo", "plus_minus",
        "version__number",
    ):  # fmt: skip
        history.setdefault(ladder, []).append(_Past(pk, snapshot, version, charts.Moment(*moment)))
    newest = {
        ladder: [past.rating for past in line if shown and past.version == shown.pk][-1:]
        for ladder, line in history.items()
    }
    ratings = Rating.objects.select_related("snapshot__ladder", "version").in_bulk(
        [pk for latest in newest.values() for pk in latest]
    )
    pairings = _pairings(list(ratings.values()))
    ladders = []
    for ladder, line in history.items():
        if not newest[ladder]:
            continue
        rating = ratings[newest[ladder][0]]
        moments = _moments(line)
        game = rulebook.game_title(rating.snapshot.ladder.game)
        label = f"Elo in {game} over time, now {rating.elo:.0f}"
        ladders.append(
            {
                "game": game,
                "ladder": rating.snapshot.ladder,
                "rating": rating,
                "chart": charts.history(moments, label) if len(moments) > 1 else "",
                "rivals": pairings.get(rating.snapshot_id, []),
            }
        )
    return ladders


def _moments(line: list[_Past]) -> list[charts.Moment]:
    """The history of a bot, of whose versions the newest counts at each time, with as many points as a chart
    can show; the first of each version and the last are among them.
    """
    newest = {past.snapshot: past.moment for past in line}  # older versions are still rated beside it
    moments = list(newest.values())
    step = ceil(len(moments) / MOMENTS_SHOWN)
    return [
        moment
        for place, moment in enumerate(moments)
        if (len(moments) - 1 - place) % step == 0 or not place or moments[place - 1].version != moment.version
    ]


def _pairings(ratings: list[Rating]) -> dict[int, list[dict]]:
    """Against whom these ratings stand how, by snapshot; the closest contests first."""
    ours = {rating.version_id for rating in ratings}
    rows = Pairing.objects.filter(
        Q(first__in=ours) | Q(second__in=ours),
        snapshot__in=[r.snapshot_id for r in ratings],
        comparisons__gt=0,
    ).select_related("first__bot", "second__bot")
    found: dict[int, list[dict]] = {}
    for row in rows:
        straight = row.first_id in ours
        share = row.half_points / row.comparisons / 2
        superiority = row.superiority
        if superiority is not None and not straight:
            superiority = 1 - superiority
        found.setdefault(row.snapshot_id, []).append(
            {
                "rival": row.second if straight else row.first,
                "comparisons": row.comparisons,
                "share": 100 * (share if straight else 1 - share),
                "superiority": None if superiority is None else 100 * superiority,
            }
        )
    for rivals in found.values():
        rivals.sort(key=lambda rival: abs(50 - (rival["superiority"] or 0)))
    return found
