"""The pages of challenges, comparisons and counterfactual seats, each for its author alone."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from stichkampf.limits import CHALLENGE_BLOCKS_PER_DAY, COUNTERFACTUAL_BLOCKS_PER_DAY

from stichkampf_platform.bots.queries import own_named
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.experiments import services
from stichkampf_platform.experiments.past_blocks import REASONS
from stichkampf_platform.experiments.queries import OPEN_STATES, experiments_for
from stichkampf_platform.experiments.standing import standing
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.web.experiments.forms import FORMS
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
        kind: form(
            request.POST if kind == asked else None, owner=request.user, initial=initial, auto_id=f"{kind}_%s"
        )
        for kind, form in FORMS.items()
    }
    if asked in forms and forms[asked].is_valid():
        experiment = forms[asked].begin()
        if experiment is not None:
            return redirect(experiment)
    page = {
        "forms": forms,
        "challenge_blocks": CHALLENGE_BLOCKS_PER_DAY,
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
    page = {
        "experiment": found,
        "tournament": found.tournament,
        "game": game_title(found.tournament.game),
        "standing": standing(found),
        "running": found.tournament.state in OPEN_STATES,
        "left_out": [(REASONS[reason], number) for reason, number in found.left_out.items()],
        "tables": [(table, [(seat, seat.result) for seat in table.seats.all()]) for table in tables],
    }
    return render(request, "web/experiments/experiment.html", page)


@login_required
@require_POST
def cancel(request: HttpRequest, experiment_id: int) -> HttpResponse:
    found = get_object_or_404(experiments_for(request.user), pk=experiment_id)
    try:
        services.cancel(experiment=found, by=request.user)
    except RequestRefused as error:
        messages.error(request, str(error))
    return redirect(found)


@login_required
@require_POST
def accept_entries(request: HttpRequest, slug: str, author: str = "") -> HttpResponse:
    """Let organisers enter a bot, or no longer."""
    bot = get_object_or_404(own_named(request.user, slug, author))
    accepted = request.POST.get("accepted") == "yes"
    services.accept_entries(bot=bot, accepted=accepted, by=request.user)
    if accepted:
        messages.success(request, _("Organisers may enter this bot in their tournaments."))
    else:
        messages.success(request, _("Only you can enter this bot now."))
    return redirect(bot)


@login_required
@require_POST
def accept_challenges(request: HttpRequest, slug: str, author: str = "") -> HttpResponse:
    """Let other authors challenge a bot, or no longer."""
    bot = get_object_or_404(own_named(request.user, slug, author))
    accepted = request.POST.get("accepted") == "yes"
    services.accept_challenges(bot=bot, accepted=accepted, by=request.user)
    if accepted:
        messages.success(request, _("Other authors may challenge this bot."))
    else:
        messages.success(request, _("Only you can challenge this bot now."))
    return redirect(bot)
