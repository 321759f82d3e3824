"""Sign-in with an outside provider: who comes for the first time chooses a name, under the site's limits."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount import views
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.forms import SignupForm
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import TooMany
from stichkampf_platform.people import network_addresses, rates
from stichkampf_platform.people.models import User
from stichkampf_platform.serving.addresses import address_of, is_named
from stichkampf_platform.web.accounts.forms import PlainForm

confirmed = reauthentication_required(app="allauth.mfa")


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Accounts without a password. None is found by its mail address, which may be unchecked there."""

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: SignupForm) -> User:
        """Make the account.

        :raises ImmediateHttpResponse: too many come from this address, or another person took the name.
        """
        address = address_of(request)
        sociallogin.user.language = get_language() or sociallogin.user.language
        try:
            with transaction.atomic():
                rates.count("sign-up", address=address)
                person = super().save_user(request, sociallogin, form=form)
                named = is_named(request)
                network_addresses.remember(person=person, address=address, signed_up=True, named=named)
        except TooMany as error:
            messages.error(request, str(error))
        except IntegrityError:
            messages.error(request, _("That name is taken."))
        else:
            return person
        raise ImmediateHttpResponse(redirect("socialaccount_signup"))


class ProviderJoinForm(PlainForm, SignupForm):
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["username"]
        name.label = _("Name")
        name.help_text = _(
            "Lower-case letters, digits and hyphens, such as ada-7. It is shown in front of your bots' names."
        )
        name.widget.attrs["autocapitalize"] = "none"


def sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider. Who is signed in connects it, after giving the password, a code or a passkey."""
    lead = openid_connect.login
    return (confirmed(lead) if request.user.is_authenticated else lead)(request, provider_id=provider_id)


connections = confirmed(views.connections)
