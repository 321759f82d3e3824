"""Two bots against each other, and the pairs of a ladder that the ratings do not explain."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.queries import bots_for, named, versions_for
from stichkampf_platform.ratings.meetings import blocks_between, meetings, most_surprising
from stichkampf_platform.ratings.models import Pairing
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.marks.costliest import costliest_decisions
from stichkampf_platform.web.views.ladders import find_ladder

BLOCKS_SHOWN = 20
PAIRS_SHOWN = 40
BEYOND_TWO_ERRORS = 0.0455
"""The share of pairs that luck alone puts beyond two standard errors, by the normal distribution."""


def versus(request: HttpRequest, slug: str, other: str, author: str, other_author: str) -> HttpResponse:
    """Show a bot against a rival: on every ladder, and in the newest blocks in which they shared hands."""
    own = get_object_or_404(named(bots_for(request.user), slug, author))
    rival = get_object_or_404(named(bots_for(request.user), other, other_author))
    if own == rival:
        raise Http404(_("{name} is never compared with itself.").format(name=own.name))
    page = {
        "bot": own,
        "rival": rival,
        "meetings": meetings(own, rival, request.user),
        "blocks": blocks_between(own, rival, request.user, BLOCKS_SHOWN),
        **costliest_decisions(list(versions_for(request.user, own)), request.user, beside=rival),
    }
    return render(request, "web/bots/versus.html", page)


def ladder_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the pairs of a ladder whose results differ from the prediction of their ratings."""
    entry, ladder = find_ladder(request, slug)
    snapshot = newest_snapshot(ladder) if ladder else None
    known = Pairing.objects.filter(snapshot=snapshot, z__isnull=False)
    remarkable = Count("pk", filter=Q(z__gt=2) | Q(z__lt=-2))
    counted = known.aggregate(pairs=Count("pk"), remarkable=remarkable)
    page = {
        "entries": rulebook.entries(),
        "entry": entry,
        "slug": slug,
        "title": entry.title if entry else slug,
        "snapshot": snapshot,
        "meetings": most_surprising(snapshot, PAIRS_SHOWN) if snapshot else [],
        **counted,
        "by_luck": BEYOND_TWO_ERRORS * counted["pairs"],
    }
    if snapshot is not None and snapshot.cyclic_share is not None:
        page["cyclic"] = 100 * snapshot.cyclic_share
        page["few"] = PROVISIONAL_BLOCKS if snapshot.blocks < PROVISIONAL_BLOCKS else None
    return render(request, "web/ladders/pairs.html", page)
