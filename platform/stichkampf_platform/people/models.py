from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.core.plain_names import one_line
from stichkampf_platform.people.access_models import (
    AuditAction,
    AuditEntry,
    Credential,
    FormerName,
    OpenSession,
)
from stichkampf_platform.people.sentences import restored, told

__all__ = [
    "HOUSE",
    "ApiToken",
    "AuditAction",
    "AuditEntry",
    "Credential",
    "FormerName",
    "KnownAddress",
    "NameReport",
    "Notice",
    "NoticeChoice",
    "NoticeKind",
    "NoticeWay",
    "OpenSession",
    "RateCount",
    "TokenScope",
    "User",
    "player_name",
]

HOUSE = "house"

player_name = RegexValidator(
    r"\A[a-z0-9]+(-[a-z0-9]+)*\Z",
    gettext_lazy("Use lower-case letters, digits and single hyphens between them, such as my-name-2."),
)


MOST_COUNTED = 99


class User(AbstractUser):
    """A person, or the house. The name stands before the slash in match records: `name/bot`."""

    username = models.CharField(
        "name",
        max_length=30,
        unique=True,
        validators=[player_name],
        help_text=gettext_lazy("Lower-case letters, digits and hyphens, at most 30."),
        error_messages={"unique": gettext_lazy("That name is taken.")},
    )
    email = models.EmailField(gettext_lazy("e-mail address"), blank=True)
    language = models.CharField(
        gettext_lazy("language"),
        max_length=5,
        choices=settings.LANGUAGES,
        default=settings.LANGUAGE_CODE,
        help_text=gettext_lazy("In which mails and notices are written."),
    )
    shares_address = models.BooleanField(
        default=False,
        help_text=gettext_lazy(
            "In a class, whose people share a network address: limits for an address leave it out."
        ),
    )
    off_public_ladders = models.BooleanField(
        default=False,
        help_text=gettext_lazy("In a class whose teacher keeps its bots off the public ladders."),
    )
    notices_seen_at = models.DateTimeField(null=True, blank=True, editable=False)

    @property
    def unread_notices(self) -> int:
        """The number of notices since this person last looked at them, `MOST_COUNTED` at most."""
        unread = self.notices.filter(created_at__gt=self.notices_seen_at or self.date_joined)
        return unread.order_by()[:MOST_COUNTED].count()


class TokenScope(models.TextChoices):
    READER = "reader", gettext_lazy("reading only")
    AUTHOR = "author", gettext_lazy("bots and entries")
    ORGANISER = "organiser", gettext_lazy("bots, entries, and your own tournaments and classes")


class ApiToken(models.Model):
    """The right to use the API as its owner. Only a digest is kept; the token itself is shown once."""

    Scope = TokenScope

    owner = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, validators=[one_line])
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=12)
    scope = models.CharField(
        gettext_lazy("what it is for"),
        max_length=10,
        choices=Scope,
        default=Scope.AUTHOR,
        help_text=gettext_lazy("Organising takes a token of its own and the permission."),
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("From then on it is of no use; empty: never.")
    )
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        verbose_name = gettext_lazy("API token")
        constraints = [
            models.UniqueConstraint(
                "owner",
                Lower("name"),
                condition=models.Q(revoked_at=None),
                name="one_live_token_per_name",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"


class NoticeKind(models.TextChoices):
    CONDUCT = "conduct", gettext_lazy("A bot of yours is suspended, or may play again")
    VALIDATION = "validation", gettext_lazy("The validation of a bot of yours is finished")
    TOURNAMENT = "tournament", gettext_lazy("A tournament with a bot of yours has started or ended")
    RANK = "rank", gettext_lazy("The rank of a bot of yours has changed on a main ladder, told once a day")


class NoticeWay(models.TextChoices):
    OFF = "off", gettext_lazy("not at all")
    SITE = "site", gettext_lazy("on the site")
    MAIL = "mail", gettext_lazy("on the site and by mail")


class NoticeChoice(models.Model):
    """The way in which a person wants to be told of one kind of thing; where there is none, the usual way."""

    person = models.ForeignKey(User, models.CASCADE, related_name="notice_choices")
    kind = models.CharField(max_length=12, choices=NoticeKind)
    way = models.CharField(max_length=4, choices=NoticeWay)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "kind"], name="one_choice_per_kind")]

    def __str__(self) -> str:
        return f"{self.person}: {self.kind} {self.way}"


class Notice(models.Model):
    """Something that a person has to be told: on the account's page, by the API, and by mail if they have it.

    `evidence` lists the matches that it is about, each `{"match", "address", "faults": {kind: how many},
    "forfeited", "stderr", "stderr_waits"}`. It is for the owner and staff only. `title_parts` and
    `text_parts` are those of a `Sentence`.
    """

    person = models.ForeignKey(User, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=12, choices=NoticeKind, default=NoticeKind.CONDUCT)
    once = models.CharField(
        max_length=80,
        null=True,
        blank=True,
        editable=False,
        help_text=gettext_lazy("What it tells: the same is told to a person once."),
    )
    title = models.CharField(max_length=200)
    text = models.TextField()
    title_parts = models.JSONField(null=True, blank=True, editable=False)
    text_parts = models.JSONField(null=True, blank=True, editable=False)
    address = models.CharField(
        max_length=200, blank=True, help_text=gettext_lazy("The page that it is about.")
    )
    evidence = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    mail_to = models.EmailField(
        blank=True, help_text=gettext_lazy("Where to mail it: the address at the time; empty for no mail.")
    )
    mail_due_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("From when a worker may mail it; empty when nothing is to be mailed."),
    )
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["person", "once"], name="told_once")]
        indexes = [
            models.Index(
                fields=["mail_due_at"], condition=models.Q(mail_due_at__isnull=False), name="notices_to_mail"
            )
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return localized(f"/account/notices/{self.pk}/")

    @property
    def told_title(self) -> str:
        """The title in the present language."""
        return told(restored(self.title, self.title_parts))

    @property
    def told_text(self) -> str:
        """The text in the present language."""
        return told(restored(self.text, self.text_parts))


class NameReport(models.Model):
    """Reports that the name of a person offends, until staff have dealt with them; not who reported it."""

    person = models.OneToOneField(User, models.CASCADE, related_name="name_report")
    times = models.PositiveIntegerField(gettext_lazy("reports"), default=1)
    first_at = models.DateTimeField(gettext_lazy("first report"), auto_now_add=True)

    class Meta:
        ordering = ["-times", "pk"]
        verbose_name = gettext_lazy("reported name")
        verbose_name_plural = gettext_lazy("reported names")

    def __str__(self) -> str:
        return f"{self.person}: {self.times}"


class RateCount(models.Model):
    """A count of one account's or address's actions in a span of time, kept by `people.rates`.

    `who` is a keyed digest, so that the table holds no names.
    """

    scope = models.CharField(max_length=30)
    who = models.CharField(max_length=64)
    ends_at = models.DateTimeField(db_index=True)
    times = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "who", "ends_at"], name="one_count_per_span"),
        ]

    def __str__(self) -> str:
        return f"{self.scope}: {self.times} until {self.ends_at}"


class KnownAddress(models.Model):
    """A network address from which a person signed up or in, as `people.network_addresses` keeps it."""

    person = models.ForeignKey(User, models.CASCADE, related_name="known_addresses")
    digest = models.CharField(max_length=64)
    signed_up = models.BooleanField(default=False, help_text=gettext_lazy("The account was made from here."))
    named_by_proxy = models.BooleanField(
        default=False,
        help_text=gettext_lazy("A proxy that is trusted named the address, so it is the visitor's own."),
    )
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "digest"], name="one_known_address_per_person"),
        ]

    def __str__(self) -> str:
        return f"{self.digest[:8]}… of {self.person}"
