"""Remote bots: the connected ones, and the tokens with which authors connect theirs."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from stichkampf.limits import REMOTE_ABSENCE_SECONDS, REMOTE_OUTAGE_SECONDS

from stichkampf_platform.bots import remote
from stichkampf_platform.bots.arbiter_sync import connect_command, remote_address
from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.queries import own_named, remote_accesses_for, submissions_for
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.scheduling.ladder_field import ladders_of, reason_to_wait
from stichkampf_platform.web.forms import RemoteForm

PER_PAGE = 50


def listing(request: HttpRequest) -> HttpResponse:
    """List the remote bots, connected ones first. Latency and tables are shown to the owner only."""
    found = Paginator(remote_accesses_for(request.user), PER_PAGE).get_page(request.GET.get("page"))
    rows = [(access, may_manage(request, access.version)) for access in found]
    page = {
        "page": found,
        "rows": rows,
        "address": remote_address(),
        "outage_seconds": REMOTE_OUTAGE_SECONDS,
        "absence_seconds": REMOTE_ABSENCE_SECONDS,
    }
    return render(request, "web/remote/list.html", page)


@login_required
@never_cache
def connect(request: HttpRequest) -> HttpResponse:
    """Make a remote version; its token is shown only in the answer to the request that made it."""
    initial = {"slug": request.GET.get("bot", "")}
    form = RemoteForm(request.POST or None, owner=request.user, initial=initial)
    if request.method == "POST" and form.is_valid():
        made = form.make(address_of(request))
        if made is not None:
            submission, token = made
            return _token_page(request, submission.version, token)
    status = 422 if form.errors else 200
    return render(request, "web/remote/connect.html", {"form": form}, status=status)


@login_required
@never_cache
def token(request: HttpRequest, slug: str, number: int, author: str) -> HttpResponse:
    """Show the page of a remote version's token; POST makes a new token, which is shown only once."""
    version = _own(request, slug, number, author)
    text = ""
    if request.method == "POST":
        try:
            text = remote.new_token(version=version, by=request.user, address=address_of(request))
        except RequestRefused as error:
            messages.error(request, str(error))
    return _token_page(request, version, text)


@login_required
@require_POST
def revoke(request: HttpRequest, slug: str, number: int, author: str) -> HttpResponse:
    version = _own(request, slug, number, author)
    try:
        remote.revoke(version=version, by=request.user)
        messages.success(
            request, _("The token is revoked. A bot that was connected with it is disconnected.")
        )
    except RequestRefused as error:
        messages.error(request, str(error))
    return redirect(f"{version.get_absolute_url()}token/")


def presence_of(version: Version | None) -> dict:
    """Return the remote access of a remote version for its page; an empty dict for other versions."""
    return {"access": version.access} if version is not None and version.remote else {}


def waits_of(version: Version | None) -> list[tuple[Tournament, str]]:
    """Return the running ladders on which a version is not drawn now or drawn later, each with the reason."""
    if version is None:
        return []
    reasons = [(ladder, reason_to_wait(version, ladder)) for ladder in ladders_of(version)]
    return [(ladder, reason) for ladder, reason in reasons if reason]


def may_manage(request: HttpRequest, version: Version) -> bool:
    return request.user.is_staff or version.bot.owner_id == request.user.pk


def _own(request: HttpRequest, slug: str, number: int, author: str) -> Version:
    """Return a remote version of this person; for others it does not exist."""
    bots = own_named(request.user, slug, author)
    mine = submissions_for(request.user).filter(version__remote=True, version__bot__in=bots)
    return get_object_or_404(mine.select_related("version__access"), version__number=number).version


def _token_page(request: HttpRequest, version: Version, text: str) -> HttpResponse:
    version.access.refresh_from_db()
    page = {
        "version": version,
        "text": text,
        "command": connect_command(),
        **presence_of(version),
        "waits": waits_of(version),
    }
    return render(request, "web/remote/token.html", page)
