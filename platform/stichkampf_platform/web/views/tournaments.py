from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from stichkampf_platform.serving.page_cache.middleware import play_is_over
from stichkampf_platform.tournaments.block_rows import rows_of
from stichkampf_platform.tournaments.entry.protests import may_protest
from stichkampf_platform.tournaments.formats import shown_format
from stichkampf_platform.tournaments.models import Block, Entrant, Fault, Table, Tournament
from stichkampf_platform.tournaments.queries import shown_results
from stichkampf_platform.tournaments.shown import shown_to
from stichkampf_platform.web.games import rulebook

PER_PAGE = 50


def schedule(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every block with its entrants; results and replays of finished blocks only."""
    found = get_object_or_404(Tournament.objects.opened_by(request.user), experiment=False, slug=slug)
    blocks = found.blocks.order_by("number").select_related("replaced_by")
    page = Paginator(blocks, PER_PAGE).get_page(request.GET.get("page"))
    shown = rows_of(page.object_list)
    rows = [(block, shown[block.pk]) for block in page]
    for again in (block.replaced_by for block, _ in rows if block.replaced_by):
        again.tournament = found
    shows_rounds = shown_format(found.format).shows_rounds
    return render(
        request,
        "web/tournaments/schedule.html",
        {"tournament": found, "page": page, "rows": rows, "shows_rounds": shows_rounds},
    )


def block(request: HttpRequest, block_id: int) -> HttpResponse:
    """Show the tables of a block; scores, faults and the seed only once its last table has ended."""
    found = get_object_or_404(
        Block.objects.filter(shown_to(request.user, "tournament__"))
        .select_related("tournament", "replaced_by", "replaces")
        .prefetch_related("tables__seats__entrant__version__bot__owner"),
        pk=block_id,
    )
    is_shown = found.over_at is not None
    if is_shown:
        play_is_over(request)
    results = (
        {r.seat_id: r for r in shown_results(request.user).filter(seat__table__block=found)}
        if is_shown
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
        "is_shown": is_shown,
        "seed": bytes(found.seed).hex() if is_shown else "",
        "seats": range(1, found.tournament.seats + 1),
        "tables": [
            (
                table,
                [(seat, results.get(seat.pk)) for seat in table.seats.all()] if found.shows_seats else [],
            )
            for table in found.tables.all()
        ],
        "faults": faults if is_shown else [],
        "may_protest": is_shown and may_protest(request.user, found.tournament),
        "done": sum(table.state == Table.State.DONE for table in found.tables.all()),
        "live": not is_shown and found.tournament.state == Tournament.State.RUNNING,
    }
    return render(request, "web/tournaments/block.html", page)


def _disqualified(block: Block) -> list[Entrant]:
    """Return the block's disqualified entrants, in the order of their numbers."""
    seated = {seat.entrant for table in block.tables.all() for seat in table.seats.all()}
    return sorted((e for e in seated if e.out_at), key=lambda entrant: entrant.number)
