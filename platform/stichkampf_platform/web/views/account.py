from __future__ import annotations

from allauth.account.views import PasswordResetView, SignupView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from stichkampf_platform.bots.queries import submissions_for
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.people import services
from stichkampf_platform.people.queries import live_tokens, notices_for
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.web.accounts.forms import JoinForm, ResetPasswordForm
from stichkampf_platform.web.forms import TokenForm
from stichkampf_platform.web.play.own_ratings import own_ratings

SUBMISSIONS_SHOWN = 20
NOTICES_SHOWN = 20
CLASSES_SHOWN = 20


class JoinView(SignupView):
    """A new account; it is signed in at once unless its mail address has to be confirmed first."""

    def form_valid(self, form: JoinForm) -> HttpResponse:
        try:
            answer = super().form_valid(form)
        except TooMany as error:
            form.add_error(None, str(error))
            return self.form_invalid(form)
        except ValidationError as error:  # somebody was a moment quicker
            for field, texts in error.message_dict.items():
                form.add_error(field if field in form.fields else None, texts)
            return self.form_invalid(form)
        if self.request.user.is_authenticated:
            welcome = _("Welcome, {user}. Make a token for the command line, or submit a bot.").format(
                user=self.request.user
            )
            messages.success(self.request, welcome)
        return answer

    def form_invalid(self, form: JoinForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


class ResetPasswordView(PasswordResetView):
    """A mail with a link to a new password, for the person who reads it; the answer is the same for all."""

    def form_valid(self, form: ResetPasswordForm) -> HttpResponse:
        try:
            return super().form_valid(form)
        except TooMany as error:
            form.add_error(None, str(error))
            return self.render_to_response(self.get_context_data(form=form), status=422)


@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Show a person's own bots, submissions and notices."""
    bots = request.user.bots.select_related("owner", "ranked_version").prefetch_related("versions")
    submissions = submissions_for(request.user).filter(submitted_by=request.user)[:SUBMISSIONS_SHOWN]
    page = {
        "bots": bots,
        "submissions": submissions,
        "notices": notices_for(request.user)[:NOTICES_SHOWN],
        "own_ratings": own_ratings(request.user),
        "languages": settings.LANGUAGES,
        "pupils": request.user.pupils.select_related("school_class__teacher").prefetch_related(
            "school_class__ladders"
        )[:CLASSES_SHOWN],
    }
    answer = render(request, "web/people/account.html", page)
    services.see_notices(person=request.user)
    return answer


@login_required
def notice(request: HttpRequest, notice_id: int) -> HttpResponse:
    """Show a notice with its evidence to its person; for all others it does not exist."""
    found = get_object_or_404(notices_for(request.user), pk=notice_id)
    return render(request, "web/people/notice.html", {"notice": found})


@login_required
@never_cache
def tokens(request: HttpRequest) -> HttpResponse:
    """Show a person's own tokens; a new one is shown only in the answer to the request that made it."""
    form = TokenForm(request.POST or None, owner=request.user)
    made, text = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made, text = services.create_token(
                owner=request.user, address=address_of(request), **form.cleaned_data
            )
            form = TokenForm(owner=request.user)
        except RequestRefused as error:
            form.add_error("name", str(error))
    page = {"form": form, "made": made, "text": text, "tokens": live_tokens(request.user)}
    return render(request, "web/people/tokens.html", page, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    try:
        services.revoke_token(owner=request.user, token_id=token_id)
        messages.success(request, _("The token is revoked and can no longer be used."))
    except RequestRefused as error:
        messages.error(request, str(error))
    return redirect("web:tokens")
