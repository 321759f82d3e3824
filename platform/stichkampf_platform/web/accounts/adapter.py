"""django-allauth's adapter for this site: reserved names, limits on mails, error messages."""

from __future__ import annotations

import logging

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import TooMany
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.people.services import RESERVED_NAMES, reserved, was_used
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.web.views.error_pages import unavailable

MAIL_FAILED = gettext_lazy("The mail could not be sent. Try again in a few minutes.")

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """Accounts by name and password, with a mail address where a person has given one."""

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead people of a class to their account, where its ladders stand, and others to the front."""
        url: str = super().get_login_redirect_url(request)
        return reverse("web:account") if request.user.pupils.exists() else url

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy("Please enter a correct name and password."),
        "username_taken": gettext_lazy("That name is taken."),
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        username = super().clean_username(username, shallow=shallow)
        if username in RESERVED_NAMES:
            raise ValidationError(reserved(username))
        if was_used(username):
            raise self.validation_error("username_taken")
        return username

    def get_reauthentication_methods(self, user: User) -> list[dict]:
        """List the ways to confirm who it is, in the site's words."""
        words = {
            "reauthenticate": _("Use your password"),
            "mfa_reauthenticate": _("Use a code"),
            "mfa_reauthenticate:webauthn": _("Use a passkey"),
        }
        ways = super().get_reauthentication_methods(user)
        return [{**way, "description": words[way["id"]]} for way in ways]

    def should_send_confirmation_mail(
        self, request: HttpRequest, email_address: EmailAddress, signup: bool
    ) -> bool:
        """Limit the mails to one address; the previous mail remains valid."""
        try:
            rates.count(
                "mails", address=counted(email_address.user, address_of(request)), account=email_address.email
            )
        except TooMany:
            return False
        return True

    def send_mail(self, template_prefix: str, email: str, context: dict) -> None:
        """Send a mail at once, in the language of its person.

        :raises ImmediateHttpResponse: with a page that says that the mail could not be sent.
        """
        person = context.get("user")
        try:
            with override(person.language if person else get_language()):
                super().send_mail(template_prefix, email, context)
        except OSError as error:  # the base of smtplib's errors
            logger.error("a mail of an account could not be sent: %s", error)
            raise ImmediateHttpResponse(unavailable(context["request"], MAIL_FAILED)) from None
