"""django-allauth's adapter for second factors: secrets are encrypted, names are the site's."""

from __future__ import annotations

import base64
import hashlib

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.people.models import User


class FactorAdapter(DefaultMFAAdapter):
    """Second factors whose secrets are of no use without the secret key, so not in a backup alone."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("That was not right, or it was used before. Try again."),
    }

    def get_totp_label(self, user: User) -> str:
        return user.username

    def _get_user_identifier(self, user: User) -> str:
        return user.username

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret.

        :raises ValidationError: it was encrypted with another secret key, as after a restore without it.
        """
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise ValidationError(
                _("This second factor is not readable here any more; ask an administrator to remove it.")
            ) from None

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return _("Passkey {number}").format(number=number)


def _cipher() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(f"stichkampf.second-factors {key}".encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
