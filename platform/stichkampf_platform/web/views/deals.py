"""The same deal at all tables of a block, and two of them side by side where they first differ."""

from __future__ import annotations

from collections.abc import Collection
from statistics import mean

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.core.errors import RecordUnreadable
from stichkampf_platform.serving.page_cache.middleware import play_is_over
from stichkampf_platform.tournaments.models import Block, Table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.shown import opened_by
from stichkampf_platform.web.games.rulebook import game_title
from stichkampf_platform.web.replay.replay import Replay, ReplayDeal
from stichkampf_platform.web.replay.same_deal import DealAtTable, at_table, deal_of
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant
from stichkampf_platform.web.views.error_pages import no_record
from stichkampf_platform.web.views.replays import player_of, replay_of


def deal(request: HttpRequest, block_id: int, deal: int) -> HttpResponse:
    """Show a deal of a block that is over at each of its tables, compared with the table `a`."""
    block = get_object_or_404(
        Block.objects.filter(opened_by(request.user, "tournament__")).select_related("tournament"),
        pk=block_id,
    )
    if block.over_at is None:
        return render(request, "web/replay/not_open.html", {"this_block": block}, status=403)
    play_is_over(request)
    tables = (
        shown_tables(request.user)
        .filter(block=block)
        .select_related("match_record")
        .prefetch_related("seats__entrant__version__bot")
        .order_by("lane")
    )
    try:
        played = {table.lane + 1: (table, replay_of(table, ALL_HANDS)) for table in tables}
    except RecordUnreadable as error:
        return no_record(request, error)
    dealt = {
        number: (table, replay, found)
        for number, (table, replay) in played.items()
        if (found := deal_of(replay, deal)) is not None
    }
    if not dealt:
        raise Http404(_("No table of this block played a deal {deal}.").format(deal=deal + 1))
    a = _table(request, "a", dealt, min(dealt))
    b = _table(request, "b", dealt, next((number for number in dealt if number != a), a))
    rows = [
        at_table(number, table.pk, replay, found, _players(table), dealt[b if number == a else a][2])
        for number, (table, replay, found) in dealt.items()
    ]
    sides = [_side(dealt[number], next(row for row in rows if row.number == number)) for number in (a, b)]
    page = {
        "this_block": block,
        "tournament": block.tournament,
        "game": game_title(block.tournament.game),
        "deal_number": deal,
        "deals": range(max(len(replay.deals) for _, replay in played.values())),
        "rows": rows,
        "any_terms": any(row.terms for row in rows),
        "seats": [[row.seats[seat] for row in rows] for seat in range(len(rows[0].seats))],
        "a": a,
        "b": b,
        "sides": list(zip((a, b), sides, strict=True)) if a != b else [],
    }
    return render(request, "web/replay/deal.html", page)


def costliest_deal(request: HttpRequest, table_id: int, seat: int) -> HttpResponse:
    """Redirect to the deal of a match that cost a seat most, against the mean of all that held its hand."""
    table = get_object_or_404(shown_tables(request.user), pk=table_id)
    tables = shown_tables(request.user).filter(block=table.block_id).select_related("match_record")
    try:
        replays = {each.pk: replay_of(each, ALL_HANDS) for each in tables}
    except RecordUnreadable as error:
        return no_record(request, error)
    here = replays[table.pk]
    if seat >= here.seats:
        raise Http404(_("The table has {seats} seats, not {seat}.").format(seats=here.seats, seat=seat + 1))

    def gain(deal: ReplayDeal) -> float:
        held = [found.scores[seat] for each in replays.values() if (found := deal_of(each, deal.number))]
        return deal.scores[seat] - mean(held)

    deal = min(here.deals, key=gain)
    address = reverse("web:replay-at", args=[table.pk, deal.first_step + bool(deal.number)])
    return redirect(f"{address}?view={seat + 1}")


def _side(dealt: tuple[Table, Replay, ReplayDeal], row: DealAtTable) -> Scene:
    """Return the table at its first difference, or at the end of the deal."""
    table, replay, found = dealt
    return Scene(replay, row.difference or found.last_step, _players(table))


def _players(table: Table) -> list[SeatOccupant]:
    return [player_of(seat) for seat in table.seats.all()]


def _table(request: HttpRequest, name: str, dealt: Collection[int], default: int) -> int:
    text = request.GET.get(name, str(default))
    if text not in {str(number) for number in dealt}:
        tables = ", ".join(str(number) for number in dealt)
        raise Http404(
            _("{name}={text!r} is no table of this block that played the deal; there are {tables}.").format(
                name=name, text=text, tables=tables
            )
        )
    return int(text)
