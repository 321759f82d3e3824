"""The pages of challenges, comparisons and counterfactual seats, each for its author alone."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from stichkampf.limits import COUNTERFACTUAL_BLOCKS_PER_DAY

from stichkampf_platform.bots.actions import CONSENTS
from stichkampf_platform.bots.queries import own_named
from stichkampf_platform.experiments.beginning import BEGIN
from stichkampf_platform.experiments.past_blocks import REASONS
from stichkampf_platform.experiments.queries import allowances, experiments_for, short_name
from stichkampf_platform.experiments.services import ACTIONS, EXPORTS
from stichkampf_platform.experiments.standing import standing
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.web.actions import act
from stichkampf_platform.web.experiments.forms import ExperimentForm
from stichkampf_platform.web.games.rulebook import game_title

PER_PAGE = 50
TABLES_SHOWN = 40


@login_required
@never_cache
def listing(request: HttpRequest) -> HttpResponse:
    own = experiments_for(request.user).filter(tournament__created_by=request.user)
    found = Paginator(own, PER_PAGE).get_page(request.GET.get("page"))
    rows = [(experiment, game_title(experiment.tournament.game)) for experiment in found]
    return render(request, "web/experiments/list.html", {"page": found, "rows": rows})


@login_required
@never_cache
def new(request: HttpRequest) -> HttpResponse:
    """Show the three forms; POST with the kind of one begins it."""
    asked = request.POST.get("kind", "")
    initial = {name: request.GET.get(name, "") for name in ("version", "opponents", "game")}
    forms = {
        kind: ExperimentForm(
            kind, request.POST if kind == asked else None, owner=request.user, initial=initial
        )
        for kind in BEGIN
    }
    if asked in forms and forms[asked].is_valid():
        experiment = forms[asked].begin()
        if experiment is not None:
            return redirect(experiment)
    left = allowances(request.user)
    page = {
        "forms": [(BEGIN[kind], form, left.get(kind)) for kind, form in forms.items()],
        "past_blocks": COUNTERFACTUAL_BLOCKS_PER_DAY,
    }
    return render(request, "web/experiments/new.html", page, status=422 if asked else 200)


@login_required
@never_cache
def experiment(request: HttpRequest, experiment_id: int) -> HttpResponse:
    found = get_object_or_404(experiments_for(request.user), pk=experiment_id)
    tables = (
        Table.objects.filter(block__tournament=found.tournament, state=Table.State.DONE)
        .exclude(block__over_at=None)
        .select_related("block__tournament")
        .prefetch_related("seats__result", "seats__entrant__version__bot__owner")
        .order_by("-block__number", "lane")[:TABLES_SHOWN]
    )
    bot = found.version.bot
    stands = standing(found)
    page = {
        "experiment": found,
        "tournament": found.tournament,
        "game": game_title(found.tournament.game),
        "standing": stands,
        "differences": [
            (short_name(one.version, bot), short_name(one.opponent, bot), one) for one in stands.differences
        ],
        "cancel": ACTIONS["cancel"] if ACTIONS["cancel"].useful(found) else None,
        "files": EXPORTS.items(),
        "left_out": [(REASONS[reason], number) for reason, number in found.left_out.items()],
        "tables": [
            (table, [(short_name(seat.entrant.version, bot), seat.result) for seat in table.seats.all()])
            for table in tables
        ],
    }
    return render(request, "web/experiments/experiment.html", page)


@login_required
@require_POST
def cancel(request: HttpRequest, experiment_id: int) -> HttpResponse:
    return act(request, ACTIONS["cancel"], get_object_or_404(experiments_for(request.user), pk=experiment_id))


@login_required
@require_POST
def consent(request: HttpRequest, name: str, slug: str, author: str) -> HttpResponse:
    """Let others do something with a bot, or no longer."""
    bot = get_object_or_404(own_named(request.user, slug, author))
    return act(request, CONSENTS[name], bot, accepted=request.POST.get("accepted") == "yes")
