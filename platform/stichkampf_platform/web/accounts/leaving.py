"""The pages where a person takes a copy of their data, and deletes the account."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from stichkampf_platform.classes.leaving import delete_account, losses, reasons_to_stay
from stichkampf_platform.classes.own_data import own_data
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import AuditAction, User
from stichkampf_platform.web.accounts.forms import counted_password


class LeavingForm(forms.Form):
    """The password once more; of an account without one, its name."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    name = forms.CharField(
        label=gettext_lazy("The name of your account"),
        help_text=gettext_lazy("As it stands above."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def __init__(self, *args: object, person: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.person = person
        del self.fields["name" if person.has_usable_password() else "password"]

    def clean_password(self) -> str:
        with counted_password(self.person):
            if not self.person.check_password(self.cleaned_data["password"]):
                raise ValidationError(_("That is not your password."))
        return str(self.cleaned_data["password"])

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.person.username:
            raise ValidationError(_("That is not the name of your account."))
        return str(self.cleaned_data["name"])


@login_required
def leave(request: HttpRequest) -> HttpResponse:
    """Say what would be lost and what stays; delete the account when the password is right."""
    form = LeavingForm(request.POST or None, person=request.user)
    if request.method == "POST" and form.is_valid():
        try:
            delete_account(person=request.user)
        except RequestRefused as error:
            form.add_error(None, str(error))
        else:
            request.session.flush()  # not a sign-out, which would be noted with the address
            request.user = AnonymousUser()
            messages.success(request, _("Your account is deleted. Thank you for playing."))
            return redirect("web:home")
    page = {"form": form, "losses": losses(request.user), "reasons": reasons_to_stay(request.user)}
    return render(request, "web/people/leave.html", page, status=422 if form.errors else 200)


@login_required
@require_GET
def data(request: HttpRequest) -> HttpResponse:
    """Send all that is stored about the person, as a file."""
    audit.note_reading(AuditAction.DATA_TAKEN, person=request.user)
    answer = JsonResponse(own_data(request.user), json_dumps_params={"indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="{request.user.username}.json"'
    return answer
