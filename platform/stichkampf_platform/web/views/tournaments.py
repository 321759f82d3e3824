from __future__ import annotations

import json
from collections import Counter

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from stichkampf_platform.core import markdown
from stichkampf_platform.ratings.models import Pairing, Rating
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.ratings.watch import may_watch
from stichkampf_platform.tournaments.formats import format_named
from stichkampf_platform.tournaments.models import Block, Entrant, Fault, Table, Tournament
from stichkampf_platform.tournaments.queries import progress, revealed_results
from stichkampf_platform.tournaments.visibility import seen_by
from stichkampf_platform.web import charts
from stichkampf_platform.web.entry.views import entry_part
from stichkampf_platform.web.games import rulebook

PER_PAGE = 50
CROSSTABLE_AT_MOST = 40


def listing(request: HttpRequest) -> HttpResponse:
    found = Paginator(Tournament.objects.visible_to(request.user), PER_PAGE).get_page(request.GET.get("page"))
    percents = _percents([each for each in found if each.state == Tournament.State.RUNNING])
    rows = [
        (each, rulebook.game_title(each.game), format_named(each.format).title, percents.get(each.pk))
        for each in found
    ]
    return render(request, "web/tournaments/list.html", {"page": found, "rows": rows})


def _percents(running: list[Tournament]) -> dict[int, int]:
    """Return the percentage of played tables of each tournament, with one query."""
    tables = Table.objects.filter(block__tournament__in=running).exclude(state=Table.State.VOID)
    tables = tables.values("block__tournament")
    counts = tables.annotate(all=Count("pk"), done=Count("pk", filter=Q(state=Table.State.DONE)))
    return {row["block__tournament"]: 100 * row["done"] // row["all"] for row in counts}


def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Show progress, standings with intervals, and the crosstable."""
    found = get_object_or_404(Tournament.objects.visible_to(request.user), slug=slug)
    lines = standings(found)
    ratings = [line.rating for line in lines if line.rating is not None]
    entrants = list(found.entrants.select_related("version__bot__owner"))
    axis = charts.EloAxis([(r.elo, r.plus_minus) for r in ratings])
    page = {
        "tournament": found,
        "description": markdown.render(found.description),
        "game": rulebook.game_title(found.game),
        "length": _length(found),
        "format": format_named(found.format).title,
        "options": [(name, _as_typed(value)) for name, value in found.options.items()],
        "progress": progress(found),
        "entrants": entrants,
        "out": [entrant for entrant in entrants if entrant.disqualified_at],
        "watched": may_watch(request.user, found),
        "axis": axis,
        "lines": [
            (line, axis.whisker(line.rating.elo, line.rating.plus_minus) if line.rating else "")
            for line in lines
        ],
        "points": any(line.entrant.points is not None for line in lines),
        "rounds": any(line.entrant.round_reached is not None for line in lines),
        "crosstable": _crosstable(ratings) if 0 < len(ratings) <= CROSSTABLE_AT_MOST else [],
        "latest": found.blocks.exclude(over_at=None).order_by("-number").first(),
        "live": found.state == Tournament.State.RUNNING,
        "announced": found.state == Tournament.State.DRAFT,
        **entry_part(request, found),
    }
    return render(request, "web/tournaments/tournament.html", page)


def _length(tournament: Tournament) -> str:
    """Return the length of a tournament in words, in the unit of its format."""
    return format_named(tournament.format).describe_length(
        blocks=tournament.blocks_planned, rounds=tournament.rounds, stopping=tournament.stopping
    )


def _as_typed(option: object) -> str:
    """Return the value of an option as organisers type it: JSON, but texts without quotes."""
    return option if isinstance(option, str) else json.dumps(option)


def _crosstable(ratings: list[Rating]) -> list:
    """Return each entrant's percentage of the same-hand points against each other; None on the diagonal."""
    shares: dict[tuple[int, int], float] = {}
    for pairing in Pairing.objects.filter(snapshot=ratings[0].snapshot_id, comparisons__gt=0):
        share = pairing.half_points / pairing.comparisons / 2
        shares[pairing.first_id, pairing.second_id] = 100 * share
        shares[pairing.second_id, pairing.first_id] = 100 * (1 - share)
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


def schedule(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every block with its entrants; results and replays of finished blocks only."""
    found = get_object_or_404(Tournament.objects.visible_to(request.user), slug=slug)
    blocks = found.blocks.order_by("number").select_related("replaced_by")
    blocks = blocks.prefetch_related("tables__seats__entrant__version__bot__owner")
    page = Paginator(blocks, PER_PAGE).get_page(request.GET.get("page"))
    rows = [(block, _who(block), Counter(table.state for table in block.tables.all())) for block in page]
    shows_rounds = format_named(found.format).shows_rounds
    return render(
        request,
        "web/tournaments/schedule.html",
        {"tournament": found, "page": page, "rows": rows, "shows_rounds": shows_rounds},
    )


def _who(block: Block) -> list[str]:
    """Return the names of the block's entrants, or none as long as they are hidden."""
    if not block.shows_seats:
        return []
    names = {
        seat.entrant.number: str(seat.entrant.version) for t in block.tables.all() for seat in t.seats.all()
    }
    return [name for _, name in sorted(names.items())]


def block(request: HttpRequest, block_id: int) -> HttpResponse:
    """Show the tables of a block; scores, faults and the seed only once its last table has ended."""
    found = get_object_or_404(
        Block.objects.filter(seen_by(request.user, "tournament__"))
        .select_related("tournament", "replaced_by", "replaces")
        .prefetch_related("tables__seats__entrant__version__bot__owner"),
        pk=block_id,
    )
    is_open = found.over_at is not None
    results = (
        {r.seat_id: r for r in revealed_results(request.user).filter(seat__table__block=found)}
        if is_open
        else {}
    )
    faults = Fault.objects.filter(result__in=results.values()).select_related(
        "result__seat__table", "result__seat__entrant__version__bot__owner"
    )
    page = {
        "this_block": found,
        "instead_of": getattr(found, "replaces", None),
        "void": any(table.state == Table.State.VOID for table in found.tables.all()),
        "out": _disqualified(found),
        "tournament": found.tournament,
        "game": rulebook.game_title(found.tournament.game),
        "is_open": is_open,
        "seed": bytes(found.seed).hex() if is_open else "",
        "seats": range(1, found.tournament.seats + 1),
        "tables": [
            (
                table,
                [(seat, results.get(seat.pk)) for seat in table.seats.all()] if found.shows_seats else [],
            )
            for table in found.tables.all()
        ],
        "faults": faults if is_open else [],
        "done": sum(table.state == Table.State.DONE for table in found.tables.all()),
        "live": not is_open and found.tournament.state == Tournament.State.RUNNING,
    }
    return render(request, "web/tournaments/block.html", page)


def _disqualified(block: Block) -> list[Entrant]:
    """Return the block's disqualified entrants, in the order of their numbers."""
    seated = {seat.entrant for table in block.tables.all() for seat in table.seats.all()}
    return sorted((e for e in seated if e.disqualified_at), key=lambda entrant: entrant.number)
