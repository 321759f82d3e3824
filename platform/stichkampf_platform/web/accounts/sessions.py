"""The page of a person's open sessions."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.access import audit, open_sessions
from stichkampf_platform.people.models import AuditAction
from stichkampf_platform.people.network_addresses import keyed_digest
from stichkampf_platform.serving.addresses import address_of


@login_required
def sessions(request: HttpRequest) -> HttpResponse:
    """List where a person is signed in."""
    page = {
        "sessions": open_sessions.open_sessions(request.user),
        "here": request.session.session_key,
        "network": keyed_digest(address_of(request)),
    }
    return render(request, "web/people/sessions.html", page)


@login_required
@require_POST
def end(request: HttpRequest, session_id: int) -> HttpResponse:
    """End one of them; the present one, too."""
    try:
        open_sessions.end(person=request.user, session_id=session_id)
        audit.note(AuditAction.SESSIONS_ENDED, person=request.user, subject="1")
        messages.success(request, _("The session is ended."))
    except RequestRefused as error:
        messages.error(request, str(error))
    return redirect("sessions")


@login_required
@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    """End all but the present one."""
    ended = open_sessions.end_others(person=request.user, but=request.session.session_key or "")
    audit.note(AuditAction.SESSIONS_ENDED, person=request.user, subject=str(ended))
    told = ngettext("{ended} other session is ended.", "{ended} other sessions are ended.", ended)
    messages.success(request, told.format(ended=ended))
    return redirect("sessions")
