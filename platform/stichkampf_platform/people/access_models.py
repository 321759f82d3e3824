"""Browsers in which people are signed in, kinds of credentials, and the audit log."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy


class Credential(models.TextChoices):
    PASSWORD = "password", gettext_lazy("password")
    SECOND_FACTOR = "second", gettext_lazy("password and second factor")
    PASSKEY = "passkey", gettext_lazy("passkey")
    PROVIDER = "provider", gettext_lazy("another provider")
    TOKEN = "token", gettext_lazy("API token")
    SYSTEM = "system", gettext_lazy("the installation itself")


class OpenSession(models.Model):
    """A browser in which a person is signed in. The session itself is Django's; this says whose it is."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="open_sessions")
    session_key = models.CharField(max_length=40, unique=True, editable=False)
    browser = models.CharField(max_length=60, blank=True)
    credential = models.CharField(max_length=10, choices=Credential, default=Credential.PASSWORD)
    digest = models.CharField(
        max_length=64, blank=True, help_text=gettext_lazy("Of the network address; not the address.")
    )
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-seen_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.person}: {self.browser}"


class AuditAction(models.TextChoices):
    SIGNED_IN = "signed-in", gettext_lazy("signed in")
    SIGN_IN_FAILED = "failed", gettext_lazy("failed to sign in")
    SIGNED_OUT = "signed-out", gettext_lazy("signed out")
    SESSIONS_ENDED = "ended", gettext_lazy("ended sessions elsewhere")
    PASSWORD_CHANGED = "password", gettext_lazy("changed the password")
    ADDRESS_CHANGED = "address", gettext_lazy("changed the mail address")
    TOKEN_MADE = "token-made", gettext_lazy("made an API token")
    TOKEN_REVOKED = "token-revoked", gettext_lazy("revoked an API token")
    FACTOR_ADDED = "factor-added", gettext_lazy("added a second factor")
    FACTOR_REMOVED = "factor-removed", gettext_lazy("removed a second factor")
    CODES_RENEWED = "codes", gettext_lazy("made new recovery codes")
    PROVIDER_CONNECTED = "connected", gettext_lazy("connected another provider")
    PROVIDER_DISCONNECTED = "disconnected", gettext_lazy("disconnected another provider")
    DATA_TAKEN = "data", gettext_lazy("took a copy of the own data")
    ACCOUNT_DELETED = "deleted", gettext_lazy("deleted the account")
    ADMINISTERED = "administered", gettext_lazy("acted in the administration")
    ORGANISED = "organised", gettext_lazy("organised by the API")


class AuditEntry(models.Model):
    """One act: by a person, by a kind of credential, upon something. It is written once and never changed.

    Secrets and mail addresses are never in it. Of the network address it has the digest, for as long as
    `people.network_addresses` keeps those.
    """

    at = models.DateTimeField(db_index=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="audit_entries"
    )
    action = models.CharField(gettext_lazy("act"), max_length=16, choices=AuditAction)
    credential = models.CharField(max_length=10, choices=Credential, blank=True)
    subject = models.CharField(
        max_length=200,
        blank=True,
        help_text=gettext_lazy("On what or whom, in plain words or as an address."),
    )
    digest = models.CharField(
        max_length=64, blank=True, help_text=gettext_lazy("Of the network address; not the address.")
    )

    class Meta:
        ordering = ["-at", "-pk"]
        verbose_name = gettext_lazy("entry of the audit log")
        verbose_name_plural = gettext_lazy("audit log")

    def __str__(self) -> str:
        return f"{self.person} {self.get_action_display()} {self.subject}".strip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the entry.

        :raises TypeError: it is written already.
        """
        if self.pk is not None:
            raise TypeError("An entry of the audit log is written once and never changed.")
        super().save(*args, **kwargs)


class FormerName(models.Model):
    """The digest of a name that a deleted account had: match records keep it, so no other person gets it."""

    digest = models.CharField(max_length=64, unique=True)

    def __str__(self) -> str:
        return self.digest[:8]
