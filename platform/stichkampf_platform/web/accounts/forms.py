"""The forms of accounts: django-allauth's forms with the site's field names, texts and limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.account import app_settings, forms
from allauth.account.adapter import get_adapter
from allauth.account.fields import PasswordField
from allauth.account.models import EmailAddress
from allauth.account.utils import setup_user_email
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.errors import TooMany
from stichkampf_platform.people import rates, services
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import AuditAction, User
from stichkampf_platform.serving.addresses import address_of, is_named

PASSWORD_HELP = gettext_lazy("At least ten characters.")


class PlainForm(Form):
    """A mixin for forms without placeholders, whose fields may have other names on the page.

    :cvar sent_as: the names that browsers send, by those of the fields.
    """

    sent_as: dict[str, str] = {}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            if name == "email":
                field.label = _("E-mail address")
            if name == "password1":
                field.help_text = PASSWORD_HELP

    def add_prefix(self, field_name: str) -> str:
        return super().add_prefix(self.sent_as.get(field_name, field_name))


class SignInForm(PlainForm, forms.LoginForm):
    sent_as = {"login": "username"}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name")
        self.fields["login"].widget.attrs["autocapitalize"] = "none"


class JoinForm(PlainForm, forms.SignupForm):
    sent_as = {"password1": "password"}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        name, email = self.fields["username"], self.fields["email"]
        name.label = _("Name")
        name.help_text = _(
            "Lower-case letters, digits and hyphens, such as ada-7. It is shown in front of your bots' names."
        )
        name.widget.attrs["autocapitalize"] = "none"
        email.label = _("E-mail address") if email.required else _("E-mail address (optional)")

    def try_save(self, request: HttpRequest):  # type: ignore[no-untyped-def]
        """Return the new person, or an answer that hides that the mail address has an account already.

        :raises TooMany: too many accounts come from this address.
        """
        if self.account_already_exists:
            rates.count("sign-up", address=address_of(request))
        return super().try_save(request)

    def save(self, request: HttpRequest) -> User:
        """Make the account.

        :raises ValidationError: another person took the name at the same moment.
        :raises TooMany: too many accounts come from this address.
        """
        given = self.cleaned_data
        email = given["email"] or ""
        person = services.sign_up(
            username=given["username"],
            password=given["password1"],
            email=email,
            address=address_of(request),
            named=is_named(request),
        )
        setup_user_email(request, person, [EmailAddress(email=email)] if email else [])
        return person


class ChangePasswordForm(PlainForm, forms.ChangePasswordForm):
    def clean_oldpassword(self) -> str:
        with counted_password(self.user):
            return super().clean_oldpassword()


class PasswordAgainForm(PlainForm, forms.ReauthenticateForm):
    """The present password, asked for before an important change."""

    def clean_password(self) -> str:
        with counted_password(self.user):
            return super().clean_password()


class SetPasswordForm(PlainForm, forms.SetPasswordForm):
    pass


class ResetPasswordForm(PlainForm, forms.ResetPasswordForm):
    def save(self, request: HttpRequest, **kwargs: object) -> str:
        """Mail a link to every account of this mail address.

        :raises TooMany: too many mails were requested.
        """
        rates.count("mails", address=address_of(request), account=self.cleaned_data["email"])
        return super().save(request, **kwargs)


class NewPasswordForm(PlainForm, forms.ResetPasswordKeyForm):
    pass


class EmailForm(PlainForm, forms.AddEmailForm):
    """A new mail address. It asks for the password, because mails to the address can reset the password."""

    password = PasswordField(label=gettext_lazy("Your password"), autocomplete="current-password")

    def clean_password(self) -> str:
        with counted_password(self.user):
            if not self.user.check_password(self.cleaned_data["password"]):
                raise get_adapter().validation_error("enter_current_password")
        return self.cleaned_data["password"]

    @transaction.atomic
    def save(self, request: HttpRequest) -> EmailAddress:
        """Store the address: at once, or after its confirmation if the site asks for one."""
        if app_settings.EMAIL_VERIFICATION == app_settings.EmailVerificationMethod.MANDATORY:
            return super().save(request)
        email = self.cleaned_data["email"]
        EmailAddress.objects.filter(user=self.user).delete()
        self.user.email = email
        self.user.save(update_fields=["email"])
        audit.note(AuditAction.ADDRESS_CHANGED, person=self.user)
        return EmailAddress.objects.create(user=self.user, email=email, primary=True)


@contextmanager
def counted_password(person: User) -> Iterator[None]:
    """Count a check of the password as at sign-in, because a stranger may use an open browser.

    :raises ValidationError: there were too many wrong passwords.
    """
    who = {"account at address": f"{person.pk}, signed in"}
    try:
        rates.count("passwords", **who)
    except TooMany as error:
        raise ValidationError(str(error)) from None
    yield
    rates.take_back("passwords", **who)
