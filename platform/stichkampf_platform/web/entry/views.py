"""Entry on the site: enter and withdraw bots, give a code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.entry import entries, leaving
from stichkampf_platform.tournaments.entry.fitness import misfit
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.web.forms import EntryCodeForm, EntryForm
from stichkampf_platform.web.games import rulebook


def entry_part(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return what the page of a tournament shows of entry; nothing where only the organiser enters bots."""
    if tournament.entry == WhoEnters.ORGANISER:
        return {}
    person, lines = request.user, entries.listed(tournament)
    own = [line for line in lines if line.entry.bot.owner_id == person.pk]
    open_now = entries.is_open(tournament, clock.now())
    part = {
        "entry_lines": lines,
        "entry_open": open_now,
        "entry_deadline": entries.deadline(tournament),
        "own_entries": own,
        "members_only": tournament.entry == WhoEnters.MEMBERS,
    }
    if open_now and person.is_authenticated:
        member = tournament.is_organised_by(person) or tournament.members.filter(person=person).exists()
        part["needs_code"] = tournament.entry == WhoEnters.MEMBERS and not member
        part["all_entered"] = len(own) >= tournament.bots_each
        bots = person.bots.select_related("owner")
        if part["all_entered"]:
            bots = bots.filter(pk__in=[line.entry.bot_id for line in own])
        part["entry_form"] = EntryForm(choices=_choices(tournament, bots))
    return part


def _choices(tournament: Tournament, bots: Iterable[Bot]) -> list[tuple[str, str]]:
    """Return the bots and versions that a person may enter: the newest at the deadline, or a certain one."""
    choices = []
    for bot in bots:
        fit = [
            version
            for version in bot.versions.select_related("bot__owner").order_by("-number")
            if not misfit(version, tournament, later=True)
        ]
        if fit:
            choices.append((bot.slug, _("%(bot)s, the newest version at the deadline") % {"bot": bot.slug}))
            choices += [(f"{bot.slug}/{version.number}", f"{bot.slug} v{version.number}") for version in fit]
    return choices


@login_required
@require_POST
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter an own bot."""
    tournament = get_object_or_404(Tournament.objects.shown_to(request.user), slug=slug)
    name, _slash, number = request.POST.get("bot", "").partition("/")
    bot = request.user.bots.select_related("owner").filter(slug=name).first()
    version = _chosen(bot, number) if bot is not None and number else None
    if bot is None or (number and version is None):
        messages.error(
            request, _("You have no bot %(bot)r to enter; choose one of the list.") % {"bot": name[:40]}
        )
        return redirect(tournament)
    try:
        entry = entries.enter(tournament=tournament, bot=bot, by=request.user, version=version)
    except ValidationError as error:
        for text in error.messages:
            messages.error(request, text)
    else:
        messages.success(request, _("%(bot)s is entered.") % {"bot": entry.version or entry.bot})
    return redirect(tournament)


def _chosen(bot: Bot, number: str) -> Version | None:
    known = whole_number(number, 8)
    return None if known is None else bot.versions.select_related("bot__owner").filter(number=known).first()


@login_required
@never_cache
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Show which own bots are to play, or still do, also where nothing else is to be seen; withdraw one."""
    tournament = get_object_or_404(leaving.known_to(request.user), slug=slug)
    if request.method != "POST":
        page = {
            "tournament": tournament,
            "game": rulebook.game_title(tournament.game),
            "bots": leaving.bots_in(tournament, request.user),
            "seen": Tournament.objects.shown_to(request.user).filter(pk=tournament.pk).exists(),
        }
        return render(request, "web/tournaments/withdraw.html", page)
    bot = get_object_or_404(request.user.bots.select_related("owner"), slug=request.POST.get("bot", ""))
    try:
        leaving.withdraw(tournament=tournament, bot=bot, by=request.user)
        messages.success(request, _("%(bot)s is withdrawn.") % {"bot": bot})
    except RequestRefused as error:
        messages.error(request, str(error))
    seen = Tournament.objects.shown_to(request.user).filter(pk=tournament.pk).exists()
    return redirect(tournament) if seen else redirect("web:account")


@login_required
@never_cache
def code(request: HttpRequest) -> HttpResponse:
    """Ask for the code of a tournament, and lead to its page."""
    form = EntryCodeForm(request.POST or None, initial={"code": request.GET.get("code", "")[:40]})
    if request.method == "POST" and form.is_valid():
        opened = form.join(by=request.user, address=address_of(request))
        if len(opened) == 1:
            return redirect(opened[0])
        if opened:
            return redirect("web:tournaments")
    status = 422 if form.errors else 200
    return render(request, "web/tournaments/code.html", {"form": form}, status=status)
