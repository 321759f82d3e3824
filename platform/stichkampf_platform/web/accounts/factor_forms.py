"""The forms of second factors: django-allauth's, with the site's limits; a code is right only once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.core import context
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.base import forms as base
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.mfa.utils import decrypt
from allauth.mfa.webauthn import forms as webauthn
from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.errors import TooMany
from stichkampf_platform.core.plain_names import one_line
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.web.accounts.forms import PlainForm


class FactorCodeForm(PlainForm):
    """A mixin for forms with a code of an app, or a recovery code."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["code"]
        field.label = gettext_lazy("Code")
        field.help_text = gettext_lazy(
            "The six digits that the app shows now, or one of your recovery codes."
        )
        field.widget.attrs.update({"autocomplete": "one-time-code", "autocapitalize": "none"})

    def clean_code(self) -> str:
        """Check the code; wrong ones are counted, and a right one of an app is right once.

        :raises ValidationError: it is wrong or was used, or there were too many wrong ones.
        """
        with _counted(self.user):
            code = super().clean_code()  # type: ignore[misc]
            if self.authenticator.type == Authenticator.Type.TOTP:
                _use_up(self.authenticator, code)
        return code


class SecondFactorForm(FactorCodeForm, base.AuthenticateForm):
    pass


class SecondFactorAgainForm(FactorCodeForm, base.ReauthenticateForm):
    pass


class AppForm(PlainForm, totp.ActivateTOTPForm):
    """The first code of an app, which shows that it has the secret."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = gettext_lazy("Code")
        self.fields["code"].help_text = gettext_lazy("The six digits that the app shows now.")

    def clean_code(self) -> str:
        with _counted(self.user):
            return super().clean_code()


class PasskeyForm(webauthn.AddWebAuthnForm):
    """A new passkey. All of them sign in alone, so all of them ask who holds them, by PIN or finger."""

    passwordless = forms.BooleanField(widget=forms.HiddenInput, initial=True)
    field_order = ["name"]

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["name"]
        name.label = gettext_lazy("Name")
        name.help_text = gettext_lazy("Of the device or key that keeps it, such as: my phone.")
        name.max_length = 60
        name.validators.append(one_line)
        name.widget.attrs["maxlength"] = 60


class PasskeySignInForm(webauthn.LoginWebAuthnForm):
    """A sign-in by a passkey alone. There is nothing to guess; the limit saves work."""

    def clean_credential(self) -> Authenticator:
        who = {"address": address_of(context.request)}
        try:
            rates.count("passkeys", **who)
        except TooMany as error:
            raise ValidationError(str(error)) from None
        found = super().clean_credential()
        rates.take_back("passkeys", **who)
        return found


@contextmanager
def _counted(person: User) -> Iterator[None]:
    """Count a code, and take it back where it is right.

    :raises ValidationError: there were too many wrong ones.
    """
    address = counted(person, address_of(context.request))
    who = {"address": address, "account at address": f"{person.pk} {address}", "account": str(person.pk)}
    try:
        rates.count("second factors", **who)
    except TooMany as error:
        raise ValidationError(str(error)) from None
    yield
    rates.take_back("second factors", **who)


@transaction.atomic
def _use_up(authenticator: Authenticator, code: str) -> None:
    """Take the code's span of time, and all before it, out of use.

    :raises ValidationError: it was used before, perhaps by somebody who watched.
    """
    locked = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
    secret = decrypt(locked.data["secret"])
    typed = normalize_user_code(code)
    spans = [
        span
        for span in yield_hotp_counters_from_time()
        if format_hotp_value(hotp_value(secret, span)) == typed
    ]
    if not spans or spans[-1] <= locked.data.get("used_span", 0):
        raise ValidationError(gettext_lazy("That code was used before. Wait for the next one."))
    locked.data["used_span"] = spans[-1]
    locked.save(update_fields=["data"])
    authenticator.data = locked.data
