"""Pages on which people choose what they are told of, and how."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from stichkampf_platform.people import notice_choices
from stichkampf_platform.people.models import NoticeKind, NoticeWay, User


class NoticesForm(forms.Form):
    """A choice for each kind of notice."""

    def __init__(self, data: object, person: User) -> None:
        super().__init__(data)
        for kind, way in notice_choices.ways_of(person).items():
            possible = [(each, NoticeWay(each).label) for each in notice_choices.possible_ways(kind)]
            label = NoticeKind(kind).label
            self.fields[kind] = forms.ChoiceField(label=label, choices=possible, initial=way)


@login_required
def choices(request: HttpRequest) -> HttpResponse:
    """Show and keep the choice of the person."""
    form = NoticesForm(request.POST or None, request.user)
    if request.method == "POST" and form.is_valid():
        for kind, way in form.cleaned_data.items():
            notice_choices.choose(person=request.user, kind=kind, way=way)
        messages.success(request, _("Your choice is saved."))
        return redirect("web:notice-choices")
    status = 422 if form.errors else 200
    return render(request, "web/people/notice_choices.html", {"form": form}, status=status)


@csrf_exempt  # the token allows this alone; mail programs post here without having been on the site
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def end_mails(request: HttpRequest, token: str) -> HttpResponse:
    """Ask, and then end mails of one kind, of a person who has read one."""
    found = notice_choices.read_ending_token(token)
    if found is None:
        raise Http404(_("This address ends no mails; use the whole address that a mail has at its end."))
    person, kind = found
    if request.method == "POST":
        notice_choices.end_mails(person=person, kind=kind)
    mailed = notice_choices.ways_of(person)[kind] == NoticeWay.MAIL
    page = {"kind": NoticeKind(kind).label, "person": person, "mailed": mailed}
    return render(request, "web/people/end_mails.html", page)
