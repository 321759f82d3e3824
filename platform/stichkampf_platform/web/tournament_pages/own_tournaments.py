"""The page of an organiser's own tournaments."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from stichkampf_platform.people.services import may_organise
from stichkampf_platform.ratings.organising import possible
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.shown import organised_by
from stichkampf_platform.tournaments.titles import format_title, game_title

PER_PAGE = 50


@login_required
def own(request: HttpRequest) -> HttpResponse:
    """Show the tournaments that a person organises, drafts too, with what waits for them."""
    if not may_organise(request.user):
        raise PermissionDenied(
            _("This page is for organisers; an administrator adds people to the group Organisers.")
        )
    mine = Tournament.objects.filter(organised_by(request.user), experiment=False)
    mine = mine.annotate(entered=Count("entries", distinct=True)).order_by("-created_at", "-pk")
    page = Paginator(mine, PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    counts = queries.table_counts(shown)
    rows = [
        (
            each,
            game_title(each.game),
            format_title(each.format),
            counts[each.pk],
            possible(each, request.user),
        )
        for each in shown
    ]
    return render(request, "web/tournaments/own.html", {"page": page, "rows": rows})
