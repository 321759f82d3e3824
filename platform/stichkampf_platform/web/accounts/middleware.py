"""Middleware of accounts: it notes sessions and acts of staff, and requires second factors of staff."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

from stichkampf_platform.people.access import audit, open_sessions
from stichkampf_platform.people.access.credentials import has_second_factor
from stichkampf_platform.people.models import AuditAction, User
from stichkampf_platform.web.accounts.callers import RequestCaller

OPEN_WITHOUT_FACTOR = ("mfa_", "account_logout", "account_reauthenticate", "language")
"""Beginnings of the names of addresses that staff reach before they have a second factor."""


class OpenSessionMiddleware(MiddlewareMixin):
    """Note which sessions are in use. Answers that looked at no session stay without a query."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        session = getattr(request, "session", None)
        if session is not None and session.accessed and request.user.is_authenticated:
            note_session(request, request.user)
            _note_deletion_of_many(request, response)
        return response


def note_session(request: HttpRequest, person: User) -> None:
    """Note that a person uses the session of a request."""
    open_sessions.note(
        request.session.session_key,
        person,
        browser=request.META.get("HTTP_USER_AGENT", ""),
        caller=RequestCaller(request),
    )


def _note_deletion_of_many(request: HttpRequest, response: HttpResponseBase) -> None:
    """Note a list's deletion of several things, of which Django logs each without a signal."""
    if request.method != "POST" or not request.path.startswith("/admin/") or response.status_code >= 400:
        return
    chosen = request.POST.getlist("_selected_action")
    if request.POST.get("action") == "delete_selected" and request.POST.get("post") and len(chosen) > 1:
        subject = f"deleted of {request.path}: {', '.join(chosen)}"
        audit.note(AuditAction.ADMINISTERED, person=request.user, subject=subject)


class SecondFactorMiddleware(MiddlewareMixin):
    """Lead staff without a second factor to the page where they add one, if the installation requires it.

    Tokens were made in a session, so the API is left alone where it is used with one.
    """

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponseBase | None:
        if not settings.STAFF_NEED_SECOND_FACTOR or settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None
        name = request.resolver_match.url_name or ""
        if name.startswith(OPEN_WITHOUT_FACTOR) or "Authorization" in request.headers:
            return None
        person = request.user
        if not person.is_authenticated or not person.is_staff or has_second_factor(person):
            return None
        told = _("Staff sign in with a second factor here: add one, then go on.")
        if request.path.startswith("/api/"):
            return JsonResponse({"detail": told}, status=403)
        messages.warning(request, told)
        return HttpResponseRedirect(reverse("mfa_index"))
