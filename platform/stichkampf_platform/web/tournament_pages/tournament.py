"""The page of a tournament: what it is before the start, how it stands while it runs, its result."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from stichkampf_platform.people.sentences import told
from stichkampf_platform.ratings.collusion_watch import may_watch
from stichkampf_platform.ratings.highlights import highlights
from stichkampf_platform.ratings.models import Pairing, Rating
from stichkampf_platform.ratings.organising import EXPORTS
from stichkampf_platform.ratings.qualification import decided_by_lot
from stichkampf_platform.ratings.queries import is_unsettled
from stichkampf_platform.ratings.standings import WIDEST_HALF, StandingsOrder
from stichkampf_platform.tournaments import pace
from stichkampf_platform.tournaments.entry.entries import with_a_place
from stichkampf_platform.tournaments.formats import is_endless, shown_format
from stichkampf_platform.tournaments.formats.elimination import FURTHER_BLOCKS
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.queries import progress, scored_seats, shown_blocks, shown_tables
from stichkampf_platform.tournaments.scheduling.played_rounds import played_rounds
from stichkampf_platform.tournaments.titles import options_in_words
from stichkampf_platform.web import charts, markdown
from stichkampf_platform.web.entry.views import entry_part
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.tournament_pages.forfeits import forfeits_in_words
from stichkampf_platform.web.tournament_pages.rulings import rulings_part
from stichkampf_platform.web.tournament_pages.show import show_part

CROSSTABLE_AT_MOST = 40
NEWEST_TABLES = 6
NEWEST_BLOCKS = 12
"""Among whose tables these are: some may be void."""
PODIUM, MOST_ON_PODIUM = 3, 8
"""The last place on it, which may be shared, and how many bots are named at most."""
SECONDS_BEFORE_START, SECONDS_IN_PLAY = 15, 4
PER_PAGE = 60


def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Show progress, standings with intervals, rounds, the crosstable and, after the end, the result."""
    seen = Tournament.objects.opened_by(request.user).filter(experiment=False)
    found = get_object_or_404(seen.select_related("qualifier", "ladder", "created_by"), slug=slug)
    announced = found.state == Tournament.State.DRAFT
    entrants = found.entrants.select_related("version__bot__owner")
    rows, done = StandingsOrder(found, with_unrated=not announced), progress(found)
    counting = _is_counting(found)
    page_of_rows = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "tournament": found,
        "description": markdown.render(found.description),
        "game": rulebook.game_title(found.game),
        "length": _length(found),
        "format": shown_format(found.format).title,
        "options": options_in_words(found.game, found.options),
        "progress": done,
        "left": pace.time_left(found, done),
        "entrants": entrants if announced else [],
        "entrant_count": rows.entrants + (len(with_a_place(found)) if announced else 0),
        "out": entrants.filter(pk__in=rows.out) if rows.out else [],
        "watched": may_watch(request.user, found),
        "latest": shown_blocks()
        .filter(tournament=found, tables__state=Table.State.DONE)
        .order_by("-number")
        .first(),
        "newest": [] if announced else _newest(request, found),
        "live": _seconds_to_look_again(found, counting),
        "counting": counting,
        "announced": announced,
        "endless": is_endless(found.format),
        "files": [] if announced else sorted(EXPORTS),
        "before": related(request, [found.qualifier_id] if found.qualifier_id else []),
        "lot": told(decided_by_lot(found)),
        "after": related(request, found.finals.values_list("pk", flat=True)),
        "following": following_of(request, found),
        **_standings_part(request, found, page_of_rows, rows),
        **_rounds_part(found),
        **_result_part(found, page_of_rows, rows, counting),
        **entry_part(request, found),
        **rulings_part(request, found),
        **show_part(request, found),
    }
    return render(request, "web/tournaments/tournament.html", page)


def _standings_part(
    request: HttpRequest, tournament: Tournament, page: Page, rows: StandingsOrder
) -> dict[str, Any]:
    """Return a page of the standings, and the crosstable of the entrants that are rated."""
    shown = page.object_list
    ratings = [row.rating for row in shown if row.rating is not None]
    telling = [row.telling for row in shown if row.telling is not None]
    with_elo = rows.shows_elo
    forfeits = forfeits_in_words(tournament, [row.entrant.pk for row in shown], request.user)
    axis = charts.EloAxis([(each.elo, each.plus_minus) for each in telling] if with_elo else [])
    return {
        "axis": axis,
        "with_elo": with_elo,
        "lines": [
            (
                row,
                axis.whisker(row.telling.elo, row.telling.plus_minus)
                if with_elo and row.telling is not None
                else "",
                forfeits.get(row.entrant.pk, ""),
            )
            for row in shown
        ],
        "forfeits": bool(forfeits),
        "widest_half": WIDEST_HALF,
        "page": page,
        "points": rows.by_points,
        "tie_breaks": rows.tie_breaks,
        "reached": rows.by_round_reached,
        "crosstable": _crosstable(ratings) if 0 < rows.rated <= CROSSTABLE_AT_MOST else [],
    }


def _rounds_part(tournament: Tournament) -> dict[str, Any]:
    if not shown_format(tournament.format).shows_rounds or tournament.started_at is None:
        return {}
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    drawn = played_rounds(tournament, entrants)
    return {
        "drawn": drawn,
        "bracket": shown_format(tournament.format).knocks_out,
        "final_round": drawn[-1].number if drawn and drawn[-1].is_final else None,
        "further_blocks": FURTHER_BLOCKS,
    }


def _seconds_to_look_again(tournament: Tournament, counting: bool) -> int:
    """Return after how many seconds an open page looks for something new; 0 where nothing will come."""
    if tournament.state == Tournament.State.DRAFT:
        return SECONDS_BEFORE_START
    return SECONDS_IN_PLAY if counting or tournament.state == Tournament.State.RUNNING else 0


def _is_counting(tournament: Tournament) -> bool:
    """Tell whether all blocks are over and the final ratings are still being computed."""
    return tournament.state == Tournament.State.FINISHED and is_unsettled(tournament)


def _result_part(tournament: Tournament, page: Page, rows: StandingsOrder, counting: bool) -> dict[str, Any]:
    """Return the result; none before the final ratings where these decide the places."""
    if tournament.state != Tournament.State.FINISHED or is_endless(tournament.format):
        return {}
    if counting and not rows.placed_by_format:
        return {}
    first = page.object_list if page.number == 1 else rows[:MOST_ON_PODIUM]
    on_podium = sum(place is not None and place <= PODIUM for place in rows.ranks.values())
    return {
        "podium": first[: min(on_podium, MOST_ON_PODIUM)],
        "below_podium": max(on_podium - MOST_ON_PODIUM, 0),
        "highlights": highlights(tournament, rows),
    }


def _newest(request: HttpRequest, tournament: Tournament) -> list[Table]:
    """Return the tables to watch that were shown last."""
    blocks = tournament.blocks.filter(over_at__isnull=False, replaced_by=None).order_by("-over_at", "-pk")
    newest = list(blocks.values_list("pk", flat=True)[:NEWEST_BLOCKS])
    tables = shown_tables(request.user).filter(block__in=newest)
    tables = tables.select_related("block").prefetch_related(scored_seats())
    return list(tables.order_by("-block__over_at", "-pk")[:NEWEST_TABLES])


def related(request: HttpRequest, keys: Any) -> list[Tournament]:
    """Return those of the tournaments with these keys that the visitor may see."""
    keys = list(keys)
    return list(Tournament.objects.shown_to(request.user).filter(pk__in=keys)) if keys else []


def following_of(request: HttpRequest, tournament: Tournament) -> Tournament | None:
    """Return the next tournament of a series, into which bots are entered now."""
    if not tournament.repeats:
        return None
    first = tournament.series_id or tournament.pk
    drafts = Tournament.objects.shown_to(request.user).filter(series=first, state=Tournament.State.DRAFT)
    return drafts.exclude(pk=tournament.pk).exclude(starts_at=None).order_by("starts_at").first()


def _length(tournament: Tournament) -> str:
    """Return the length of a tournament in words, in the unit of its format."""
    return shown_format(tournament.format).describe_length(
        blocks=tournament.blocks_planned, rounds=tournament.rounds, stopping=tournament.stopping
    )


def _crosstable(ratings: list[Rating]) -> list:
    """Return each entrant's percentage of the same-hand points against each other; None on the diagonal."""
    shares: dict[tuple[int, int], float] = {}
    for pairing in Pairing.objects.filter(snapshot=ratings[0].snapshot_id, comparisons__gt=0):
        first, second = pairing.shares
        shares[pairing.first_id, pairing.second_id] = 100 * first
        shares[pairing.second_id, pairing.first_id] = 100 * second
    return [
        (
            row,
            [
                None if row is column else shares.get((row.version_id, column.version_id), "")
                for column in ratings
            ],
        )
        for row in ratings
    ]
