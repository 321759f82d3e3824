"""All matches of a bot, chosen by opponent, result, fault and cost."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy
from stichkampf.errors import StichkampfError

from stichkampf_platform.bots.queries import bots_for, named
from stichkampf_platform.marks.chosen_matches import COSTLIEST, FAULTS, NEWEST, MatchChoice
from stichkampf_platform.marks.match_rows import MatchRows
from stichkampf_platform.people import fault_texts
from stichkampf_platform.web.discovery.lists import kept
from stichkampf_platform.web.games import rulebook

PER_PAGE = 30
RESULT_NAMES = {
    "": gettext_lazy("All results"),
    "won": gettext_lazy("Won"),
    "lost": gettext_lazy("Not won"),
    "last": gettext_lazy("Last"),
}
FAULT_NAMES = {
    "": gettext_lazy("With and without faults"),
    "any": gettext_lazy("With a fault of its own"),
    "forfeited": gettext_lazy("Forfeited"),
}
ORDER_NAMES = {
    NEWEST: gettext_lazy("Newest first"),
    COSTLIEST: gettext_lazy("Costliest decisions first"),
}


def matches(request: HttpRequest, slug: str, author: str) -> HttpResponse:
    """Show the matches of a bot in finished blocks."""
    bot = get_object_or_404(named(bots_for(request.user), slug, author))
    try:
        choice = MatchChoice.read(request.GET)
        results = choice.results([bot], request.user)
    except StichkampfError as error:
        raise Http404(str(error)) from error
    page = Paginator(MatchRows(results), PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "web/bots/matches.html",
        {
            "bot": bot,
            "page": page,
            "kept": kept(request),
            "choice": choice,
            "costliest": choice.order == COSTLIEST,
            "entries": rulebook.entries(),
            "results": RESULT_NAMES,
            "faults": FAULT_NAMES
            | {kind: fault_texts.name(kind) for kind in FAULTS if kind not in FAULT_NAMES},
            "orders": ORDER_NAMES,
            "rows": [(match, rulebook.game_title(match.game)) for match in page],
        },
    )
